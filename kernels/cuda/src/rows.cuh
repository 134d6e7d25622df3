// Rows of the entity table, in float32 or bfloat16.
#pragma once

#include "model.cuh"

struct bf16 {
  unsigned short bits;
};

__device__ inline float widen(float x) { return x; }
__device__ inline float widen(bf16 x) { return __uint_as_float((unsigned)x.bits << 16); }

// A row is read four numbers at a time.
__device__ inline float4 four(const float *row) { return *(const float4 *)row; }
__device__ inline float4 four(const bf16 *row) {
  const uint2 x = *(const uint2 *)row;
  return make_float4(__uint_as_float(x.x << 16), __uint_as_float(x.x & 0xffff0000u),
                     __uint_as_float(x.y << 16), __uint_as_float(x.y & 0xffff0000u));
}

// rows_at_once is how many rows a block keeps in flight: 32 KB at rank 1000.
__device__ constexpr int rows_at_once(float) { return 4; }
__device__ constexpr int rows_at_once(bf16) { return 8; }

__device__ inline float dot4(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ inline float dot4_squares(float4 a, float4 b) {
  return a.x * b.x * b.x + a.y * b.y * b.y + a.z * b.z * b.z + a.w * b.w * b.w;
}
__device__ inline void add4(float4 &sum, float by, float4 x) {
  sum.x += by * x.x, sum.y += by * x.y, sum.z += by * x.z, sum.w += by * x.w;
}
__device__ inline void scale4(float4 &x, float by) { x.x *= by, x.y *= by, x.z *= by, x.w *= by; }

// Source is an embedding: the row of a constant, or a numbered one.
template <typename Row> struct Source {
  const Row *row;
  const float *numbers;
  __device__ float operator[](long long k) const { return row ? widen(row[k]) : numbers[k]; }
};

template <typename Row> __device__ inline Source<Row> entity(const Query &t, int slot) {
  return {(const Row *)t.m.entities + t.constant(slot) * t.m.stride, nullptr};
}
template <typename Row> __device__ inline Source<Row> embedding(const Query &t, int number) {
  return {nullptr, t.embedding(number)};
}

// projected is coordinate k of ±r⊗x, or of ±conj(r)⊗x backward.
template <typename Row>
__device__ inline float projected(const Query &t, Source<Row> x, int relation, Direction way, Sign sign, long long k) {
  if (k >= t.m.width) return 0;
  const long long d = t.m.width / 2, i = k < d ? k : k - d;
  const float *r = t.m.relations + t.relation(relation) * t.m.stride;
  const float a = x[i], b = x[d + i], c = r[i], s = way == BACKWARD ? -r[d + i] : r[d + i];
  const float y = k < d ? a * c - b * s : a * s + b * c;
  return sign == NEGATED ? -y : y;
}

// looped is coordinate k of what the squares of a row are weighed with in its
// score with itself, ±⟨r⊗E_e, E_e⟩: the imaginary half of r cancels.
__device__ inline float looped(const Query &t, int relation, Sign sign, long long k) {
  if (k >= t.m.width) return 0;
  const long long d = t.m.width / 2;
  const float y = t.m.relations[t.relation(relation) * t.m.stride + (k < d ? k : k - d)];
  return sign == NEGATED ? -y : y;
}
