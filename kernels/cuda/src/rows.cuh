// Rows of the entity table: in float32, in bfloat16, or in codes of 8 bits, which a row's
// scale is multiplied by.
#pragma once

#include "model.cuh"

struct bf16 {
  unsigned short bits;
};
struct i8 {
  signed char code;
};

__device__ inline float widen(float x) { return x; }
__device__ inline float widen(bf16 x) { return __uint_as_float((unsigned)x.bits << 16); }
__device__ inline float widen(i8 x) { return x.code; }

// has_scale reports whether rows are codes, scale_of returns what a row is multiplied by.
__device__ constexpr bool has_scale(float) { return false; }
__device__ constexpr bool has_scale(bf16) { return false; }
__device__ constexpr bool has_scale(i8) { return true; }
template <typename Row> __device__ inline float scale_of(const Model &m, long long e) {
  return has_scale(Row()) ? __ldg(m.scales + e) : 1.f;
}

// Four is four numbers of a row as they are in memory.
template <typename Row> struct Four;
template <> struct Four<float> {
  typedef float4 type;
};
template <> struct Four<bf16> {
  typedef uint2 type;
};
template <> struct Four<i8> {
  typedef unsigned type;
};

#ifndef EFOC_EMULATED
// load reads four numbers of a row, where the program says so and not later, past the
// first cache: rows are read once in a pass.
__device__ inline float4 load(const float *row) {
  float4 x;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "l"(row));
  return x;
}
__device__ inline uint2 load(const bf16 *row) {
  uint2 x;
  asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0,%1}, [%2];" : "=r"(x.x), "=r"(x.y) : "l"(row));
  return x;
}
__device__ inline unsigned load(const i8 *row) {
  unsigned x;
  asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(x) : "l"(row));
  return x;
}
#else
template <typename Row> inline typename Four<Row>::type load(const Row *row) { return *(const typename Four<Row>::type *)row; }
#endif

// widen makes float32 of four numbers.
__device__ inline float4 widen(float4 x) { return x; }
__device__ inline float4 widen(uint2 x) {
  return make_float4(__uint_as_float(x.x << 16), __uint_as_float(x.x & 0xffff0000u),
                     __uint_as_float(x.y << 16), __uint_as_float(x.y & 0xffff0000u));
}
__device__ inline float4 widen(unsigned x) {
  x ^= 0x80808080u; // each code plus 128, in the lowest bits of 2²³
  const float offset = 8388608 + 128;
  return make_float4(__uint_as_float(__byte_perm(x, 0x4b000000u, 0x7540)) - offset,
                     __uint_as_float(__byte_perm(x, 0x4b000000u, 0x7541)) - offset,
                     __uint_as_float(__byte_perm(x, 0x4b000000u, 0x7542)) - offset,
                     __uint_as_float(__byte_perm(x, 0x4b000000u, 0x7543)) - offset);
}

// rows_at_once is how many rows a block of a pass with so many sums computes with while as
// many are read, a power of 2: at rank 1000 32 KB of floats, 16 KB of codes. From two sums
// on eight rows would take more registers than there are.
__device__ constexpr int rows_at_once(float, int) { return 4; }
__device__ constexpr int rows_at_once(bf16, int sums) { return sums > 1 ? 4 : 8; }
__device__ constexpr int rows_at_once(i8, int sums) { return sums > 1 ? 4 : 8; }

__device__ inline float dot4(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ inline float dot4_squares(float4 a, float4 b) {
  return a.x * b.x * b.x + a.y * b.y * b.y + a.z * b.z * b.z + a.w * b.w * b.w;
}
__device__ inline void add4(float4 &sum, float by, float4 x) {
  sum.x += by * x.x, sum.y += by * x.y, sum.z += by * x.z, sum.w += by * x.w;
}
__device__ inline void scale4(float4 &x, float by) { x.x *= by, x.y *= by, x.z *= by, x.w *= by; }

// Constant is the embedding of a constant: a row. Others are numbers in memory.
template <typename Row> struct Constant {
  const Row *row;
  float scale;
  __device__ float operator[](long long k) const { return scale * widen(row[k]); }
};

template <typename Row> __device__ inline Constant<Row> entity(const Query &t, int slot) {
  const long long e = t.constant(slot);
  return {(const Row *)t.m.entities + e * t.m.stride, scale_of<Row>(t.m, e)};
}
template <typename Row> __device__ inline const float *embedding(const Query &t, int number) { return t.embedding(number); }

// The following call put(k, number) for the numbers of a query, past the width 0. The threads of a block share them.

// To puts numbers into memory.
struct To {
  float *to;
  __device__ void operator()(int k, float x) const { to[k] = x; }
};

// put_end puts what is past the width.
template <typename F> __device__ inline void put_end(const Query &t, const F &put) {
  for (int k = (int)t.m.width + threadIdx.x; k < (int)t.m.stride; k += blockDim.x) put(k, 0.f);
}

// put_projected puts ±r⊗x, or ±conj(r)⊗x backward.
template <typename X, typename F>
__device__ inline void put_projected(const Query &t, const X &x, int relation, Direction way, Sign sign, const F &put) {
  const int d = (int)(t.m.width / 2);
  const float *r = t.m.relations + t.relation(relation) * t.m.stride;
#pragma unroll 4
  for (int i = threadIdx.x; i < d; i += blockDim.x) {
    const float a = x[i], b = x[d + i], c = __ldg(r + i), s = way == BACKWARD ? -__ldg(r + d + i) : __ldg(r + d + i);
    const float real = a * c - b * s, imaginary = a * s + b * c;
    put(i, sign == NEGATED ? -real : real), put(d + i, sign == NEGATED ? -imaginary : imaginary);
  }
  put_end(t, put);
}

// put_looped puts what the squares of a row are weighed with in its score with itself,
// ±⟨r⊗E_e, E_e⟩: the imaginary half of r cancels.
template <typename F> __device__ inline void put_looped(const Query &t, int relation, Sign sign, const F &put) {
  const int d = (int)(t.m.width / 2);
  const float *r = t.m.relations + t.relation(relation) * t.m.stride;
#pragma unroll 4
  for (int i = threadIdx.x; i < d; i += blockDim.x) {
    const float y = sign == NEGATED ? -__ldg(r + i) : __ldg(r + i);
    put(i, y), put(d + i, y);
  }
  put_end(t, put);
}

// put_plain puts x.
template <typename X, typename F> __device__ inline void put_plain(const Query &t, const X &x, const F &put) {
#pragma unroll 4
  for (int k = threadIdx.x; k < (int)t.m.width; k += blockDim.x) put(k, x[k]);
  put_end(t, put);
}
