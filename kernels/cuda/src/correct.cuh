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
    const int steps[3] = {1, 7, 23}, j = (i + steps[p / SAMPLES]) % SAMPLES;
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
    float squares = 0;
    for (int i = threadIdx.x; i < m.stride; i += blockDim.x) {
      float v = k.x * embedding(estimates[0])[i];
      if (G == 2) v += k.y * embedding(estimates[G - 1])[i];
      squares += v * v;
    }
    const float floor = TOTAL_RESIDUAL * sqrtf(block_sum(squares)) / m.n;
    float4 acc[CHUNKS];
    for (int c = 0; c < CHUNKS; c++) acc[c] = make_float4(0, 0, 0, 0);
    __shared__ float differences[PASS_THREADS];
    const long long each = (m.n + gridDim.x - 1) / gridDim.x;
    const long long lo = blockIdx.x * each, hi = min(m.n, lo + each);
    for (long long from = lo; from < hi; from += blockDim.x) {
      const long long e = from + threadIdx.x;
      float d = 0;
      if (e < hi) {
        const float2 v = values(weigh, (int)e);
        d = x[e] - (k.x * v.x + k.y * v.y);
        if (fabsf(d) <= RELATIVE_RESIDUAL * x[e] || fabsf(d) * m.norms[e] <= floor) d = 0;
      }
      __syncthreads();
      differences[threadIdx.x] = d;
      __syncthreads();
      const int rows = (int)min((long long)blockDim.x, hi - from);
      for (int i = 0; i < rows; i++) {
        const float by = differences[i];
        if (by == 0) continue;
        for (int c = 0; c < CHUNKS; c++)
          if (4 * (threadIdx.x + c * blockDim.x) < m.stride)
            add4(acc[c], by, four((const Row *)m.entities + (from + i) * m.stride + 4 * (threadIdx.x + c * blockDim.x)));
      }
    }
    for (int c = 0; c < CHUNKS; c++)
      if (4 * (threadIdx.x + c * blockDim.x) < m.stride)
        *(float4 *)(partial(number, blockIdx.x) + 4 * (threadIdx.x + c * blockDim.x)) = acc[c];
  }
};

// add_estimates adds κ·g + λ·h to dst, which holds the sum of the residuals. The same
// threads have made it.
template <int G> __device__ inline void add_estimates(const Query &t, int dst, int coefficients, int g, int h) {
  const long long k = blockIdx.x * 32 + lane();
  if (warp() != 0 || k >= t.m.stride) return;
  float sum = t.embedding(dst)[k] + t.coefficient(coefficients)[0] * t.embedding(g)[k];
  if (G == 2) sum += t.coefficient(coefficients)[1] * t.embedding(h)[k];
  t.embedding(dst)[k] = sum;
}
