// The results of a pass, gathered within clusters.
#pragma once

#include "cluster.cuh"
#include "rows.cuh"

// Gathered is what a block hands to those of its cluster, in dynamic shared memory: sums of
// rows, and statistics, the last ones of the sums; and where these belong.
struct Gathered {
  const float *sums;    // G × stride
  const float2 *stats;  // N
  const int *numbers;   // of the statistics, negative for none, and of the sums, N + G
  __device__ Gathered(const float4 *at, int stride, int n, int g)
      : sums((const float *)at), stats((const float2 *)(sums + g * stride)), numbers((const int *)(stats + n)) {}
};

// gathered brings the blocks' N statistics and G sums together.
__device__ __noinline__ void gathered(const Model &m, const Run &q, int n, int g) {
  const int atOnce = 4, stride = (int)m.stride, rank = cluster_rank(), size = cluster_size(), cluster = blockIdx.x / size;
  const Query t(m, q);
  const Gathered own(dynamic_shared(), stride, n, g);
  cluster_barrier();
  const auto of = [&](int block) { return Gathered(dynamic_shared_of(block), stride, n, g); };
  for (int i = threadIdx.x; rank == 0 && i < n; i += blockDim.x) {
    float2 s = no_stat();
    for (int b = 0; b < size; b++) s = merge(s, of(b).stats[i]);
    if (own.numbers[i] >= 0) t.stat(own.numbers[i])[cluster] = s;
  }
  for (int i = 0; i < g; i++) {
    float top = -INFINITE;
    for (int b = 0; b < size; b++) top = fmaxf(top, of(b).stats[n - g + i].x);
    for (int k = 4 * (rank * blockDim.x + threadIdx.x); k < stride; k += 4 * size * blockDim.x) {
      float4 sum = make_float4(0, 0, 0, 0);
      for (int low = 0; low < size; low += atOnce) {
        float4 x[atOnce];
        float largest[atOnce];
#pragma unroll
        for (int j = 0; j < atOnce; j++) {
          const Gathered from = of(min(low + j, size - 1));
          x[j] = *(const float4 *)(from.sums + i * stride + k);
          largest[j] = from.stats[n - g + i].x;
        }
#pragma unroll
        for (int j = 0; j < atOnce; j++) // a block without rows has no largest exponent
          add4(sum, low + j < size && largest[j] > -INFINITE ? expf(largest[j] - top) : 0.f, x[j]);
      }
      *(float4 *)(t.partial(own.numbers[n + i], cluster) + k) = sum;
    }
  }
  cluster_barrier(); // nobody reads this block's shared memory any more
}

// gather writes one partial result for all rows of a cluster: N statistics, which thread 0 of
// each block has, and the sums of rows that the last G of them are of, CHUNKS × 4 coordinates for
// each thread. All threads call it.
template <int N, int G, int M, int CHUNKS>
__device__ inline void gather(const Query &t, const float2 (&stats)[N], const int (&numbers)[N], const float4 (&acc)[M][CHUNKS], const int (&sums)[M]) {
  const int stride = (int)t.m.stride;
  const Gathered to(dynamic_shared(), stride, N, G);
  __syncthreads(); // nobody in the block reads what was there before any more
#pragma unroll
  for (int g = 0; g < G; g++)
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
      const int at = 4 * (threadIdx.x + c * blockDim.x);
      if (at < stride) *(float4 *)((float *)to.sums + g * stride + at) = acc[g][c];
    }
  if (threadIdx.x == 0) {
#pragma unroll
    for (int i = 0; i < N; i++) ((float2 *)to.stats)[i] = stats[i], ((int *)to.numbers)[i] = numbers[i];
#pragma unroll
    for (int g = 0; g < G; g++) ((int *)to.numbers)[N + g] = sums[g];
  }
  gathered(t.m, t.q, N, G);
}
