// Passes over the entity table for one query: scores, and sums of rows. A warp takes ROWS rows at
// a time, of which each lane has four numbers in every 128.
#pragma once

#include "rows.cuh"

#define ROWS 8

// first_row and rows_apart say which rows a warp takes.
__device__ inline int first_row() { return (blockIdx.x * warps() + warp()) * ROWS; }
__device__ inline int rows_apart() { return gridDim.x * warps() * ROWS; }

// Shared is what a block of a pass has in shared memory.
struct Shared {
  float *factors; // count × stride
  float2 *seen;   // count × warps × ROWS: the softmax of the scores that one lane has made
  const int stride;
  __device__ Shared(int count, int stride) : factors((float *)dynamic_shared()), seen((float2 *)(factors + count * stride)), stride(stride) {}
  __device__ float2 *of(int score) const { return seen + score * warps() * ROWS; }
};

// score_rows makes S scores, a power of 2 up to 4, of the rows from low on. LOOP says that they are
// loops.
template <typename Row, int S, bool LOOPS>
__device__ inline void score_rows(const Query &t, const Score *scores, int first, const Shared &shared, int low) {
  constexpr int LANES = 32 / (S * ROWS); // that have the same score
  const Row *table = (const Row *)t.m.entities;
  const int n = (int)t.m.n;
  float dots[S * ROWS];
#pragma unroll
  for (int i = 0; i < S * ROWS; i++) dots[i] = 0;
#pragma unroll 2
  for (int k = 4 * lane(); k < shared.stride; k += 128) {
    typename Four<Row>::type x[ROWS];
    float4 by[S];
#pragma unroll
    for (int r = 0; r < ROWS; r++) x[r] = load(table + min(low + r, n - 1) * t.m.stride + k);
#pragma unroll
    for (int s = 0; s < S; s++) by[s] = *(const float4 *)(shared.factors + (first + s) * shared.stride + k);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const float4 y = widen(x[r]);
#pragma unroll
      for (int s = 0; s < S; s++) dots[s * ROWS + r] += LOOPS ? dot4_squares(by[s], y) : dot4(by[s], y);
    }
  }
  const float all = warp_sums(dots);
  const int mine = lane() / LANES, s = first + mine / ROWS, e = low + mine % ROWS;
  if (lane() % LANES != 0 || e >= n) return;
  const float scale = scale_of<Row>(t.m, e);
  float score = all * (LOOPS ? scale * scale : scale);
  if (scores[s].kind == COSINE) {
    const float norm = __ldg(t.m.norms + e);
    score = norm > 0 ? score / norm : 0.f;
  }
  t.vector(scores[s].vector)[e] = score;
  float2 &seen = shared.of(s)[warp() * ROWS + mine % ROWS];
  seen = merge(seen, make_float2(score, 1.f));
}

// make_scores makes count scores, loops last. A pass that makes more than four reads its rows
// again for the others while the cache has them.
template <typename Row> __device__ inline void make_scores(const Query &t, const Score *scores, int count) {
  const Shared shared(count, (int)t.m.stride);
  for (int s = 0; s < count; s++) put_factors<Row>(t, scores[s], To{shared.factors + s * shared.stride});
  for (int i = threadIdx.x; i < count * warps() * ROWS; i += blockDim.x) shared.seen[i] = no_stat();
  int plain = 0;
  while (plain < count && scores[plain].kind != LOOP) plain++;
  __syncthreads();
  for (int low = first_row(); low < (int)t.m.n; low += rows_apart()) {
    int s = 0;
    for (; s + 4 <= plain; s += 4) score_rows<Row, 4, false>(t, scores, s, shared, low);
    for (; s + 2 <= plain; s += 2) score_rows<Row, 2, false>(t, scores, s, shared, low);
    for (; s < plain; s++) score_rows<Row, 1, false>(t, scores, s, shared, low);
    for (; s < count; s++) score_rows<Row, 1, true>(t, scores, s, shared, low);
  }
  __syncthreads();
  for (int s = warp(); s < count; s += warps()) {
    const float2 all = merged(shared.of(s), warps() * ROWS);
    if (lane() == 0 && scores[s].stat >= 0) t.stat(scores[s].stat)[blockIdx.x] = all;
  }
}

// stat_scores makes the statistic of the softmax of a score that products have made.
__device__ inline void stat_scores(const Query &t, const Score &score) {
  if (score.stat < 0) return;
  const float *x = t.vector(score.vector);
  float2 all = no_stat();
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < (int)t.m.n; e += gridDim.x * blockDim.x) all = merge(all, make_float2(x[e], 1.f));
  t.put_stat(score.stat, all);
}

// Coordinates are summed in slices of 128.
#define SLICE 128
__device__ inline int slices_of(const Model &m) { return ((int)m.stride + SLICE - 1) / SLICE; }

// block_sum adds up what the warps of a block have of a slice; the first one returns the sum.
__device__ inline float4 block_sum(float4 x) {
  __shared__ float4 part[MAP_THREADS / 32][32];
  __syncthreads(); // nobody reads the parts of another sum any more
  part[warp()][lane()] = x;
  __syncthreads();
  if (warp() == 0)
    for (int w = 1; w < warps(); w++) add4(x, 1.f, part[w][lane()]);
  return x;
}

// combine adds up the partial sums of a slice, of which there are count.
__device__ inline void combine(const Query &t, int embedding, int slice, int count) {
  const int k = slice * SLICE + 4 * lane();
  const bool has = k < (int)t.m.stride;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 4
  for (int b = warp(); b < count; b += warps())
    if (has) add4(sum, 1.f, *(const float4 *)(t.partial(embedding, b) + k));
  sum = block_sum(sum);
  if (warp() == 0 && has) *(float4 *)(t.embedding(embedding) + k) = sum;
}

// is_last reports whether a block is the last one of count blocks to get here. It sees what the
// others have written before.
__device__ inline bool is_last(int *counter, int count) {
  __shared__ int before;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    before = atomicAdd(counter, 1);
    __threadfence();
  }
  __syncthreads();
  if (before != count - 1) return false;
  if (threadIdx.x == 0) *counter = 0;
  return true;
}

// sum_rows adds up Σ_e x[e]·E_e in a slice of coordinates: a block its share of the rows, and the
// last block the sums of all.
template <typename Row> __device__ inline void sum_rows(const Query &t, const Sum &what, int slice) {
  const Row *table = (const Row *)t.m.entities;
  const float *x = t.vector(what.vector);
  const int n = (int)t.m.n, k = slice * SLICE + 4 * lane();
  const bool has = k < (int)t.m.stride;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int low = first_row(); low < n; low += rows_apart()) {
    typename Four<Row>::type row[ROWS];
    float by[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int e = min(low + r, n - 1);
      row[r] = load(table + e * t.m.stride + (has ? k : 0));
      by[r] = low + r < n ? x[e] * scale_of<Row>(t.m, e) : 0.f;
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) add4(sum, by[r], widen(row[r]));
  }
  sum = block_sum(sum);
  if (warp() == 0 && has) *(float4 *)(t.partial(what.embedding, blockIdx.x) + k) = sum;
  if (is_last(t.q.counters + what.embedding * slices_of(t.m) + slice, gridDim.x)) combine(t, what.embedding, slice, gridDim.x);
}
