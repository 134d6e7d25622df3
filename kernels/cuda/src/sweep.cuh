// One pass over the entity table: scores, and sums of rows.
#pragma once

#include "rows.cuh"

// A block takes rows_at_once rows at a time; each of its threads holds
// CHUNKS × 4 coordinates of them. A pass of up to 512 threads has room for rank 2048.
#define CHUNKS 2
#define PASS_THREADS 512

// Weigh is how a row counts in a sum: weight·exp(exponent − largest exponent).
struct Weigh {
  float exponent, weight;
};

// Sweep is a pass that makes S scores and G sums. Rows stay in registers between
// the two: an estimate is summed while its scores are made, relative to the largest
// exponent so far (online softmax). LOOPS and COSINES are bits of scores.
template <typename Row, int S, int G, unsigned LOOPS, unsigned COSINES> struct Sweep : Query {
  static constexpr int ROWS = rows_at_once(Row());
  float *queries; // S × stride, shared
  float *parts;   // 2 × warps × ROWS × S, shared
  float lengths[S > 0 ? S : 1];
  int vectors[S > 0 ? S : 1], stats[S > 0 ? S : 1], sumStats[G > 0 ? G : 1], sums[G > 0 ? G : 1];

  __device__ Sweep(const Model &m, const Run &q) : Query(m, q) {
    queries = (float *)dynamic_shared();
    parts = queries + S * m.stride;
  }

  // project sets what score i multiplies rows with to ±r⊗x.
  __device__ void project(int i, Source<Row> x, int relation, Direction way, Sign sign) {
    for (int k = threadIdx.x; k < m.stride; k += blockDim.x) queries[i * m.stride + k] = projected(*this, x, relation, way, sign, k);
  }
  __device__ void plain(int i, Source<Row> x) {
    for (int k = threadIdx.x; k < m.stride; k += blockDim.x) queries[i * m.stride + k] = k < m.width ? x[k] : 0.f;
  }
  __device__ void loop(int i, int relation, Sign sign) {
    for (int k = threadIdx.x; k < m.stride; k += blockDim.x) queries[i * m.stride + k] = looped(*this, relation, sign, k);
  }
  // into sets the vector that score i goes to, and the stat of its softmax, -1 for none.
  __device__ void into(int i, int vector, int stat) { vectors[i] = vector, stats[i] = stat; }
  __device__ void sum(int i, int number, int stat) { sums[i] = number, sumStats[i] = stat; }

  __device__ bool has(int chunk) const { return 4 * (threadIdx.x + chunk * (long long)blockDim.x) < m.stride; }
  __device__ long long at(int chunk) const { return 4 * (threadIdx.x + chunk * (long long)blockDim.x); }

  // pass makes the pass. weigh(e, scores, weighs) sets the weights of row e in the sums.
  template <typename F> __device__ void pass(const F &weigh) {
    const Row *table = (const Row *)m.entities;
    float4 acc[G > 0 ? G : 1][CHUNKS];
    float top[G > 0 ? G : 1], mass[G > 0 ? G : 1];
    float2 seen[S > 0 ? S : 1]; // of the scores of this lane's rows
    for (int g = 0; g < G; g++) {
      top[g] = -INFINITE, mass[g] = 0;
      for (int c = 0; c < CHUNKS; c++) acc[g][c] = make_float4(0, 0, 0, 0);
    }
    for (int s = 0; s < S; s++) seen[s] = no_stat();
    __syncthreads(); // the queries are there
    measure();
    int turn = 0;
    for (long long low = blockIdx.x * ROWS; low < m.n; low += (long long)gridDim.x * ROWS, turn ^= 1) {
      float4 x[ROWS][CHUNKS];
#pragma unroll
      for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < CHUNKS; c++)
          x[r][c] = low + r < m.n && has(c) ? four(table + (low + r) * m.stride + at(c)) : make_float4(0, 0, 0, 0);
      float score[S > 0 ? S : 1]; // of row lane()
      if (S > 0) multiply(x, score, turn);
      const long long e = low + lane();
      const bool mine = lane() < ROWS && e < m.n;
      if (mine && warp() == 0)
        for (int s = 0; s < S; s++) {
          const float value = COSINES >> s & 1 ? cosine(s, score[s], e) : score[s];
          vector(vectors[s])[e] = value;
          seen[s] = merge(seen[s], make_float2(value, 1.f));
        }
      if (G == 0) continue;
      Weigh w[G > 0 ? G : 1];
      for (int g = 0; g < G; g++) w[g] = {-INFINITE, 0.f};
      if (mine) weigh((int)e, score, w);
#pragma unroll
      for (int g = 0; g < G; g++) {
        const float next = fmaxf(top[g], warp_max(w[g].exponent)), by = top[g] == next ? 1.f : expf(top[g] - next);
        const float factor = mine ? w[g].weight * expf(w[g].exponent - next) : 0.f;
        top[g] = next, mass[g] = mass[g] * by + factor;
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) scale4(acc[g][c], by);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
          const float f = __shfl_sync(ALL_LANES, factor, r);
#pragma unroll
          for (int c = 0; c < CHUNKS; c++) add4(acc[g][c], f, x[r][c]);
        }
      }
    }
    for (int s = 0; s < S; s++)
      if (stats[s] >= 0) put_stat(stats[s], warp() == 0 ? seen[s] : no_stat());
    for (int g = 0; g < G; g++) {
      const float all = warp_sum(mass[g]);
      if (threadIdx.x == 0) stat(sumStats[g])[blockIdx.x] = make_float2(top[g], all);
      for (int c = 0; c < CHUNKS; c++)
        if (has(c)) *(float4 *)(partial(sums[g], blockIdx.x) + at(c)) = acc[g][c];
    }
  }

  // measure computes the lengths of the embeddings that cosines are taken of.
  __device__ void measure() {
    for (int s = 0; s < S; s++) {
      lengths[s] = 0;
      if (!(COSINES >> s & 1)) continue;
      float sum = 0;
      for (int k = threadIdx.x; k < m.stride; k += blockDim.x) sum += queries[s * m.stride + k] * queries[s * m.stride + k];
      lengths[s] = sqrtf(block_sum(sum));
    }
  }

  // multiply leaves the scores of row r with lane r of every warp.
  __device__ void multiply(const float4 (&x)[ROWS][CHUNKS], float *score, int turn) {
    float *part = parts + turn * warps() * ROWS * S;
#pragma unroll 1 // the body is long
    for (int s = 0; s < S; s++) {
      float dots[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; r++) dots[r] = 0;
#pragma unroll
      for (int c = 0; c < CHUNKS; c++) {
        const float4 q4 = has(c) ? four(queries + s * m.stride + at(c)) : make_float4(0, 0, 0, 0);
#pragma unroll
        for (int r = 0; r < ROWS; r++) dots[r] += LOOPS >> s & 1 ? dot4_squares(q4, x[r][c]) : dot4(q4, x[r][c]);
      }
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        const float all = warp_sum(dots[r]);
        if (lane() == 0) part[(warp() * ROWS + r) * S + s] = all;
      }
    }
    __syncthreads();
    for (int s = 0; s < S; s++) {
      score[s] = 0;
      if (lane() >= ROWS) continue;
      for (int w = 0; w < warps(); w++) score[s] += part[(w * ROWS + lane()) * S + s];
    }
  }

  // cosine turns an inner product with row e into a cosine, 0 for zero vectors.
  __device__ float cosine(int s, float product, long long e) const {
    const float by = lengths[s] * m.norms[e];
    return by > 0 ? product / by : 0.f;
  }
};

// combine adds the partial sums of a pass, each relative to its own largest
// exponent: dst = Σ_b exp(top_b − top)·partial_b. A block takes 32 coordinates,
// each of its warps some of the parts.
__device__ inline void combine(const Query &t, int dst, int number, int stat, int blocks) {
  const float2 all = stat < 0 ? make_float2(0, 0) : t.softmax_stat(stat, blocks);
  const long long k = blockIdx.x * 32 + lane();
  float sum = 0;
  if (k < t.m.stride)
    for (int b = warp(); b < blocks; b += warps()) {
      const float by = stat < 0 ? 1.f : expf(t.stat(stat)[b].x - all.x);
      if (by > 0) sum += by * t.partial(number, b)[k];
    }
  __shared__ float part[32][33];
  part[warp()][lane()] = sum;
  __syncthreads();
  if (warp() != 0 || k >= t.m.stride) return;
  for (int w = 1; w < warps(); w++) sum += part[w][lane()];
  t.embedding(dst)[k] = sum;
}
