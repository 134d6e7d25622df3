// Passes of batches: matrix products on tensor cores. Numbers are split into a high
// and a low part in bfloat16, whose products are summed in float32: 16 bits of each
// factor count.
#pragma once

#include "rows.cuh"

#define BATCH_THREADS 256
#define DEPTH 32 // of a tile
#define PITCH 34 // of its rows, so that neighbours lie in different banks

#ifndef EFOC_EMULATED
// mma adds the product of a 16×16 and a 16×8 tile to c, each spread over a warp.
__device__ inline void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

// Pack writes the queries of a pass as bfloat16, high and low part. One block packs
// those of one query of the batch.
template <typename Row> struct Pack : Query {
  __device__ Pack(const Model &m, const Run &q) : Query(m, q) {}
  template <typename F> __device__ void put(int i, const F &value) const {
    unsigned short *to = q.packed + (i * q.batch + index) * 2 * m.stride;
    for (int k = threadIdx.x; k < m.stride; k += blockDim.x) {
      const float x = value(k);
      to[k] = narrow(x), to[m.stride + k] = narrow(x - widen(bf16{narrow(x)}));
    }
  }
  __device__ void project(int i, Source<Row> x, int relation, Direction way, Sign sign) const {
    put(i, [&](int k) { return projected(*this, x, relation, way, sign, k); });
  }
  __device__ void plain(int i, Source<Row> x) const {
    put(i, [&](int k) { return k < m.width ? x[k] : 0.f; });
  }
  __device__ void loop(int i, int relation, Sign sign) const {
    put(i, [&](int k) { return looped(*this, relation, sign, k); });
  }
  // The query of a cosine is divided by its length.
  __device__ void cosine(int i, Source<Row> x) const {
    float sum = 0;
    for (int k = threadIdx.x; k < m.width; k += blockDim.x) sum += x[k] * x[k];
    const float length = sqrtf(block_sum(sum));
    put(i, [&](int k) { return k < m.width ? ratio_of(x[k], length) : 0.f; });
  }
  static __device__ float ratio_of(float x, float by) { return by > 0 ? x / by : 0.f; }
};

// Tile holds ROWS rows of a factor, DEPTH numbers each, in two parts.
template <int ROWS> struct Tile {
  unsigned short part[2][ROWS][PITCH];
  __device__ void put(int row, int k, float x) {
    const unsigned short high = narrow(x);
    part[0][row][k] = high, part[1][row][k] = narrow(x - widen(bf16{high}));
  }
  __device__ unsigned pair(int p, int row, int k) const { return *(const unsigned *)&part[p][row][k]; }
};

// Square is the 32×32 corner of a product that a warp computes.
struct Square {
  float c[2][4][4];
  __device__ Square() {
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 4; j++)
        for (int k = 0; k < 4; k++) c[i][j][k] = 0;
  }
  // add adds the product of the tiles' rows from row and column on.
  template <int A, int B> __device__ void add(const Tile<A> &a, const Tile<B> &b, int row, int column) {
    const int g = lane() >> 2, t = 2 * (lane() & 3);
#pragma unroll
    for (int k = 0; k < DEPTH; k += 16) {
      unsigned left[2][2][4], right[2][4][2];
#pragma unroll
      for (int p = 0; p < 2; p++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
          const int r = row + 16 * i + g;
          left[p][i][0] = a.pair(p, r, k + t), left[p][i][1] = a.pair(p, r + 8, k + t);
          left[p][i][2] = a.pair(p, r, k + t + 8), left[p][i][3] = a.pair(p, r + 8, k + t + 8);
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
          const int r = column + 8 * j + g;
          right[p][j][0] = b.pair(p, r, k + t), right[p][j][1] = b.pair(p, r, k + t + 8);
        }
      }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
          mma(c[i][j], left[0][i], right[0][j]);
          mma(c[i][j], left[0][i], right[1][j]);
          mma(c[i][j], left[1][i], right[0][j]);
        }
    }
  }
  // each calls f(row, column, value) for this thread's numbers.
  template <typename F> __device__ void each(int row, int column, const F &f) const {
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 4; j++)
        for (int k = 0; k < 4; k++)
          f(row + 16 * i + (lane() >> 2) + 8 * (k >> 1), column + 8 * j + 2 * (lane() & 3) + (k & 1), c[i][j][k]);
  }
};

// products computes score i of a pass for 64 queries and 128 entities:
// vector[e] = ⟨x, E_e⟩, over ‖E_e‖ for a cosine, of the squares for a loop.
template <typename Row>
__device__ __noinline__ void products(const Model &m, const Run &q, int i, int vector, bool cosine, bool loop) {
  __shared__ Tile<128> rows;
  __shared__ Tile<64> queries;
  const long long e0 = blockIdx.x * 128, q0 = blockIdx.y * 64;
  if (q0 >= q.queries) return;
  const int row = 32 * (warp() & 3), column = 32 * (warp() >> 2);
  Square sum;
  for (long long k0 = 0; k0 < m.stride; k0 += DEPTH) {
    __syncthreads();
    for (int at = threadIdx.x; at < 128 * DEPTH / 4; at += blockDim.x) {
      const int r = at / (DEPTH / 4), k = at % (DEPTH / 4) * 4;
      const bool in = e0 + r < m.n && k0 + k < m.stride;
      const float4 x = in ? four((const Row *)m.entities + (e0 + r) * m.stride + k0 + k) : make_float4(0, 0, 0, 0);
      rows.put(r, k, loop ? x.x * x.x : x.x), rows.put(r, k + 1, loop ? x.y * x.y : x.y);
      rows.put(r, k + 2, loop ? x.z * x.z : x.z), rows.put(r, k + 3, loop ? x.w * x.w : x.w);
    }
    for (int at = threadIdx.x; at < 2 * 64 * DEPTH; at += blockDim.x) {
      const int part = at / (64 * DEPTH), r = at / DEPTH % 64, k = at % DEPTH;
      const bool in = q0 + r < q.queries && k0 + k < m.stride;
      queries.part[part][r][k] = in ? q.packed[((i * q.batch + q0 + r) * 2 + part) * m.stride + k0 + k] : 0;
    }
    __syncthreads();
    sum.add(rows, queries, row, column);
  }
  sum.each(row, column, [&](int r, int c, float x) {
    const long long e = e0 + r, j = q0 + c;
    if (e >= m.n || j >= q.queries) return;
    if (cosine) x = m.norms[e] > 0 ? x / m.norms[e] : 0.f;
    q.vectors[(vector * q.batch + j) * q.vectorStride + e] = x;
  });
}

// embeds computes a share of Σ_e x[e]·E_e for 64 queries and 128 coordinates.
template <typename Row> __device__ __noinline__ void embeds(const Model &m, const Run &q, int vector, int number) {
  __shared__ Tile<64> weights;
  __shared__ Tile<128> columns;
  const long long k0 = blockIdx.x * 128, q0 = blockIdx.y * 64;
  if (q0 >= q.queries) return;
  const int row = 32 * (warp() & 1), column = 32 * (warp() >> 1);
  const long long each = ((m.n + gridDim.z - 1) / gridDim.z + DEPTH - 1) / DEPTH * DEPTH;
  const long long lo = blockIdx.z * each, hi = min(m.n, lo + each);
  Square sum;
  for (long long e0 = lo; e0 < hi; e0 += DEPTH) {
    __syncthreads();
    for (int at = threadIdx.x; at < 64 * DEPTH; at += blockDim.x) {
      const int r = at / DEPTH, e = at % DEPTH;
      const bool in = q0 + r < q.queries && e0 + e < hi;
      weights.put(r, e, in ? q.vectors[(vector * q.batch + q0 + r) * q.vectorStride + e0 + e] : 0.f);
    }
    for (int at = threadIdx.x; at < 128 / 4 * DEPTH; at += blockDim.x) {
      const int e = at / (128 / 4), k = at % (128 / 4) * 4;
      const bool in = e0 + e < hi && k0 + k < m.stride;
      const float4 x = in ? four((const Row *)m.entities + (e0 + e) * m.stride + k0 + k) : make_float4(0, 0, 0, 0);
      columns.put(k, e, x.x), columns.put(k + 1, e, x.y), columns.put(k + 2, e, x.z), columns.put(k + 3, e, x.w);
    }
    __syncthreads();
    sum.add(weights, columns, row, column);
  }
  sum.each(row, column, [&](int r, int c, float x) {
    const long long j = q0 + r, k = k0 + c;
    if (j >= q.queries || k >= m.stride) return;
    q.partials[((number * q.batch + j) * q.blocks + blockIdx.z) * m.stride + k] = x;
  });
}
