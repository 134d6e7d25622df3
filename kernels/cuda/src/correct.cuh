// Σ_e x[e]·E_e of a state x, from estimates g and h of it that a pass has summed: for
// any κ, λ
//
//	Σ x[e]·E_e = κ·Σ g[e]·E_e + λ·Σ h[e]·E_e + Σ (x[e] − κ·g[e] − λ·h[e])·E_e,
//
// so that only the rows with a residual, where the state differs from κ·g + λ·h, are
// read. κ and λ are fitted by RANSAC. The estimates are the results of the op estimate.
#pragma once

#include "sweep.cuh"

#define SAMPLES 64
// A residual is left out if it is at most this part of the entry, or so small that all
// such residuals together are at most this part of the sum of the estimates.
#define RELATIVE_RESIDUAL 2e-6f
#define TOTAL_RESIDUAL 1e-6f
// The largest weight of the estimates, relative to a state's: larger ones cancel, and
// digits are lost.
#define LARGEST_GUESS 4

// Residual sums the residual of a state over G estimates.
template <typename Row, int G> struct Residual : Query {
  float top[G], mass[G];
  int estimates[G];
  __device__ Residual(const Model &m, const Run &q) : Query(m, q) {}

  // estimate sets where the sum of estimate i is, and its statistic.
  __device__ void estimate(int i, int embedding, int stat) {
    const float2 s = softmax_stat(stat, q.sweepBlocks);
    top[i] = s.x, mass[i] = s.y, estimates[i] = embedding;
  }

  template <typename F> __device__ float2 values(const F &weigh, int e) const {
    Weigh w[G];
    weigh(e, w);
    float v[2] = {0, 0};
    for (int g = 0; g < G; g++) v[g] = w[g].weight * expf(w[g].exponent - top[g]);
    return make_float2(v[0], v[1]);
  }

  // fit returns κ and λ by RANSAC: of the coefficients that one sample of the state
  // gives, or a pair, those with which most samples agree; 0 if the estimates are
  // unusable. Every block gets the same result.
  template <typename F> __device__ float2 fit(const float *x, const F &weigh) const {
    __shared__ float sx[SAMPLES], sg[SAMPLES], sh[SAMPLES];
    __shared__ int best[32];
    __shared__ float2 chosen;
    for (int i = threadIdx.x; i < SAMPLES; i += blockDim.x) {
      const int e = (int)(i * m.n / SAMPLES);
      const float2 v = values(weigh, e);
      sx[i] = v.x + v.y > 1e-30f ? x[e] : 0.f, sg[i] = v.x, sh[i] = v.y;
    }
    __syncthreads();
    int mine = -1;
    for (int p = threadIdx.x; p < SAMPLES * (G == 1 ? 1 : 3); p += blockDim.x) {
      const float2 k = propose(p, sx, sg, sh);
      int agree = 0;
#pragma unroll 8
      for (int i = 0; i < SAMPLES; i++)
        agree += sx[i] > 0 && fabsf(sx[i] - k.x * sg[i] - k.y * sh[i]) <= RELATIVE_RESIDUAL * sx[i];
      mine = max(mine, agree << 8 | (255 - p));
    }
    for (int by = 16; by > 0; by >>= 1) mine = max(mine, __shfl_xor_sync(ALL_LANES, mine, by));
    if (lane() == 0) best[warp()] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < warps(); w++) mine = max(mine, best[w]);
      float2 k = propose(255 - (mine & 255), sx, sg, sh);
      float all = fabsf(k.x) * mass[0];
      if (G == 2) all += fabsf(k.y) * mass[G - 1];
      if (!(all <= LARGEST_GUESS)) k = make_float2(0, 0);
      chosen = k;
    }
    __syncthreads();
    return chosen;
  }

  // propose returns the coefficients that one sample gives, or two.
  __device__ float2 propose(int p, const float *sx, const float *sg, const float *sh) const {
    const int i = p % SAMPLES;
    if (G == 1) return sx[i] > 0 ? make_float2(sx[i] / sg[i], 0) : make_float2(0, 0);
    const int step = p < SAMPLES ? 1 : p < 2 * SAMPLES ? 7 : 23, j = (i + step) % SAMPLES;
    const double a = (double)sg[i] * sh[j], b = (double)sg[j] * sh[i], det = a - b;
    if (!(sx[i] > 0 && sx[j] > 0) || fabs(det) <= 1e-3 * fabs(a)) return make_float2(0, 0);
    return make_float2((float)(((double)sx[i] * sh[j] - (double)sx[j] * sh[i]) / det),
                       (float)(((double)sg[i] * sx[j] - (double)sg[j] * sx[i]) / det));
  }

  // sum adds up this block's share of the rows with a residual. weigh(e, weighs) sets
  // how each estimate weighs row e.
  template <typename F> __device__ void sum(int state, int coefficients, int number, const F &weigh) const {
    const float *x = vector(state);
    const float2 k = fit(x, weigh);
    if (blockIdx.x == 0 && threadIdx.x == 0) coefficient(coefficients)[0] = k.x, coefficient(coefficients)[1] = k.y;
    const int n = (int)m.n, stride = (int)m.stride;
    float squares = 0;
    for (int i = threadIdx.x; i < stride; i += blockDim.x) {
      float v = k.x * embedding(estimates[0])[i];
      if (G == 2) v += k.y * embedding(estimates[G - 1])[i];
      squares += v * v;
    }
    const float floor = TOTAL_RESIDUAL * sqrtf(block_sum(squares)) / n;
    float4 acc[CHUNKS];
    for (int c = 0; c < CHUNKS; c++) acc[c] = make_float4(0, 0, 0, 0);
    const int each = (n + gridDim.x - 1) / gridDim.x;
    const int lo = blockIdx.x * each, hi = min(n, lo + each);
    for (int from = lo; from < hi; from += blockDim.x) {
      const int e = from + threadIdx.x;
      float d = 0;
      if (e < hi) {
        const float2 v = values(weigh, e);
        d = x[e] - (k.x * v.x + k.y * v.y);
        if (fabsf(d) <= RELATIVE_RESIDUAL * x[e] || fabsf(d) * m.norms[e] <= floor) d = 0;
      }
      add(list(e, d), acc);
    }
    put_partial(*this, number, acc);
  }

  struct List {
    const int *rows;
    const float *residuals;
    int count;
  };
  // list returns those rows of a block's threads that have a residual, in order.
  __device__ List list(int e, float d) const {
    __shared__ int rows[PASS_THREADS], counts[32];
    __shared__ float residuals[PASS_THREADS];
    const unsigned all = __ballot_sync(ALL_LANES, d != 0);
    __syncthreads(); // nobody reads the list before any more
    if (lane() == 0) counts[warp()] = __popc(all);
    __syncthreads();
    int place = __popc(all & ((1u << lane()) - 1)), count = 0;
    for (int w = 0; w < warps(); w++) {
      if (w < warp()) place += counts[w];
      count += counts[w];
    }
    if (d != 0) rows[place] = e, residuals[place] = d * scale_of<Row>(m, e);
    __syncthreads();
    return {rows, residuals, count};
  }

  // add adds up the rows of a list, ROWS of which are read at once.
  __device__ void add(const List &list, float4 (&acc)[CHUNKS]) const {
    const int ROWS = 4;
    for (int low = 0; low < list.count; low += ROWS) {
      typename Four<Row>::type x[ROWS][CHUNKS];
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        const Row *row = (const Row *)m.entities + list.rows[min(low + r, list.count - 1)] * m.stride;
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) x[r][c] = load(row + (at(c) < m.stride ? at(c) : 0));
      }
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        const float by = low + r < list.count ? list.residuals[low + r] : 0.f;
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) add4(acc[c], by, widen(x[r][c]));
      }
    }
  }
  __device__ int at(int chunk) const { return 4 * (threadIdx.x + chunk * blockDim.x); }
};

// correct combines sum i of a step, of residuals, and adds κ·g + λ·h to it.
template <int G> __device__ inline void correct(const Query &t, int i, int dst, int number, int coefficients, int g, int h) {
  each_slice(t.m, i, [&](int slice) {
    combine_slice(t.m, t.q, slice, dst, number, -1, (int)t.q.residualBlocks);
    const int k = slice * SLICE + 4 * lane();
    if (warp() != 0 || k >= (int)t.m.stride) return; // the first warp has the sum
    float4 sum = *(const float4 *)(t.embedding(dst) + k);
    add4(sum, t.coefficient(coefficients)[0], *(const float4 *)(t.embedding(g) + k));
    if (G == 2) add4(sum, t.coefficient(coefficients)[1], *(const float4 *)(t.embedding(h) + k));
    *(float4 *)(t.embedding(dst) + k) = sum;
  });
}
