// What a pass of a batch multiplies the entity table with: rows of pairs of float16
// numbers, and the kernels that write them.
//
// A float32 number x is scaled by a power of 2 and split,
//
//	x = high + low + rest,   |low| ≤ 2⁻¹¹·|x|,   |rest| ≤ 2⁻²²·|x| or 2⁻²⁵,
//
// where scaled numbers are below 2¹⁵: the rest is 2⁻²² of a number, or 2⁻³⁹ of the largest
// one that has its scale. That is one of a packed row, or the largest norm of the entity
// table; codes need no scale.
#pragma once

#include "rows.cuh"
#include "tensor.cuh"

#define BATCH_THREADS 256
#define DEPTH 32 // of the tiles that are multiplied; packed rows have a multiple of it

// Split is a pair of scaled numbers: their high parts and their low parts.
struct Split {
  unsigned high, low;
  __device__ Split(float x, float y) : high(halves(x, y)) {
    const float2 rounded = widen_halves(high);
    low = halves(x - rounded.x, y - rounded.y);
  }
};

// PackedRow is the high parts of a row of numbers, as many low parts, and what the sum of
// their products with a row of the table is multiplied by. Number 16·s + 4·t + v of a row
// is at 16·s + 2·t + v%2 + 8·(v/2), where tensor cores want what lane t of four has of a
// row of the table, four numbers that it reads at once.
struct PackedRow {
  char *at;
  int depth; // numbers, a multiple of DEPTH
  __device__ PackedRow(void *rows, long long number, long long numbers) : depth(((int)numbers + DEPTH - 1) / DEPTH * DEPTH) {
    at = (char *)rows + number * (4ll * depth + 16);
  }
  // The row so many rows after another.
  __device__ PackedRow(const PackedRow &from, int rows) : at(from.at + rows * (4ll * from.depth + 16)), depth(from.depth) {}
  __device__ float &unscale() const { return *(float *)(at + 4ll * depth); }

  // put packs what four(k) returns, numbers k to k + 3. All threads of a block call it.
  template <typename F> __device__ void put(const F &four) const {
    float largest = 0;
    for (int k = 4 * threadIdx.x; k < depth; k += 4 * blockDim.x) {
      const float4 x = four(k);
      largest = fmaxf(largest, fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w))));
    }
    largest = block_max(largest);
    const int exponent = (int)(__float_as_uint(largest) >> 23); // largest < 2^(exponent-126)
    const bool scales = exponent > 0 && exponent < 255;
    const float scale = scales ? __uint_as_float((unsigned)min(254, 268 - exponent) << 23) : 1.f;
    for (int k = 4 * threadIdx.x; k < depth; k += 4 * blockDim.x) {
      float4 x = four(k);
      scale4(x, scale);
      const Split first(x.x, x.y), second(x.z, x.w);
      unsigned *to = (unsigned *)at + k / 16 * 8 + k / 4 % 4;
      to[0] = first.high, to[4] = second.high;
      to[depth / 2] = first.low, to[depth / 2 + 4] = second.low;
    }
    if (threadIdx.x == 0) unscale() = 1 / scale;
  }
};

// pack packs what score first and those after it multiply the table with. A block packs that of
// one score, the z coordinate of the grid, for one query of the batch.
template <typename Row> __device__ inline void pack(const Query &t, int first) {
  float *room = (float *)dynamic_shared(); // a row
  put_factors<Row>(t, t.q.scores[first + blockIdx.z], To{room});
  __syncthreads();
  PackedRow(t.q.packed, blockIdx.z * t.q.batch + t.index, t.m.stride).put([&](int k) {
    return k < t.m.stride ? *(const float4 *)(room + k) : make_float4(0, 0, 0, 0);
  });
}

// pack_weights packs the vector of a sum, times the scales of the rows that it weighs.
template <typename Row> __device__ inline void pack_weights(const Query &t, const Sum &sum) {
  const float *x = t.vector(sum.vector);
  const int n = (int)t.m.n;
  const auto weight = [&](int e, float x) { return e < n ? x * scale_of<Row>(t.m, min(e, n - 1)) : 0.f; };
  PackedRow(t.q.states, t.index, n).put([&](int e) {
    const float4 y = *(const float4 *)(x + e);
    return make_float4(weight(e, y.x), weight(e + 1, y.y), weight(e + 2, y.z), weight(e + 3, y.w));
  });
}
