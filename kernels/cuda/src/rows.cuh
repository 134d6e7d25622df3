// Rows of the entity table: in float32, or in codes of 8 bits, which a row's
// scale is multiplied by.
#pragma once

#include "model.cuh"

struct i8 {
  signed char code;
};

__device__ inline float widen(float x) { return x; }
__device__ inline float widen(i8 x) { return x.code; }

// has_scale reports whether rows are codes, scale_of returns what a row is multiplied by.
__device__ constexpr bool has_scale(float) { return false; }
__device__ constexpr bool has_scale(i8) { return true; }
template <typename Row> __device__ inline float scale_of(const Model &m, long long e) {
  return has_scale(Row()) ? __ldg(m.scales + e) : 1.f;
}

// Four is four numbers of a row as they are in memory.
template <typename Row> struct Four;
template <> struct Four<float> {
  typedef float4 type;
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
__device__ inline float4 widen(unsigned x) {
  x ^= 0x80808080u; // each code plus 128, in the lowest bits of 2²³
  const float offset = 8388608 + 128;
  return make_float4(__uint_as_float(__byte_perm(x, 0x4b000000u, 0x7540)) - offset,
                     __uint_as_float(__byte_perm(x, 0x4b000000u, 0x7541)) - offset,
                     __uint_as_float(__byte_perm(x, 0x4b000000u, 0x7542)) - offset,
                     __uint_as_float(__byte_perm(x, 0x4b000000u, 0x7543)) - offset);
}

__device__ inline float dot4(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ inline float dot4_squares(float4 a, float4 b) {
  return a.x * b.x * b.x + a.y * b.y * b.y + a.z * b.z * b.z + a.w * b.w * b.w;
}
__device__ inline void add4(float4 &sum, float by, float4 x) {
  sum.x += by * x.x, sum.y += by * x.y, sum.z += by * x.z, sum.w += by * x.w;
}
__device__ inline void scale4(float4 &x, float by) { x.x *= by, x.y *= by, x.z *= by, x.w *= by; }

// Constant is the embedding of a constant: a row.
template <typename Row> struct Constant {
  const Row *row;
  float scale;
  __device__ float operator[](long long k) const { return scale * widen(row[k]); }
};

// To puts numbers into memory.
struct To {
  float *to;
  __device__ void operator()(int k, float x) const { to[k] = x; }
};

// put_factors calls put(k, number) for what a score multiplies rows with: ±r⊗x, or ±conj(r)⊗x
// backward; x over its length for a cosine. A loop multiplies the squares of a row, whose score
// with itself is ±⟨r⊗E_e, E_e⟩: the imaginary half of r cancels. The threads of a block share
// the numbers, which are 0 past the width.
template <typename Row, typename F> __device__ inline void put_factors(const Query &t, const Score &s, const F &put) {
  const int d = (int)(t.m.width / 2);
  const long long e = s.embedding < 0 && s.kind != LOOP ? t.constant(s.constant) : 0;
  const Constant<Row> constant = {(const Row *)t.m.entities + e * t.m.stride, scale_of<Row>(t.m, e)};
  const float *own = t.embedding(s.embedding), *r = t.m.relations + (s.relation < 0 ? 0 : t.relation(s.relation)) * t.m.stride;
  const auto x = [&](int k) { return s.embedding < 0 ? constant[k] : own[k]; };
  float by = s.negated ? -1.f : 1.f;
  if (s.kind == COSINE) {
    float sum = 0;
    for (int k = threadIdx.x; k < (int)t.m.width; k += blockDim.x) sum += x(k) * x(k);
    const float length = sqrtf(block_sum(sum));
    by = length > 0 ? 1 / length : 0.f;
  }
#pragma unroll 4
  for (int i = threadIdx.x; i < d; i += blockDim.x) {
    float real, imaginary;
    if (s.kind == LOOP) {
      real = imaginary = __ldg(r + i);
    } else {
      real = x(i), imaginary = x(d + i);
      if (s.relation >= 0) {
        const float a = real, b = imaginary, c = __ldg(r + i), turn = s.backward ? -__ldg(r + d + i) : __ldg(r + d + i);
        real = a * c - b * turn, imaginary = a * turn + b * c;
      }
    }
    put(i, by * real), put(d + i, by * imaginary);
  }
  for (int k = (int)t.m.width + threadIdx.x; k < (int)t.m.stride; k += blockDim.x) put(k, 0.f);
}
