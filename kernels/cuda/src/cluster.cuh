// Clusters: consecutive blocks along x, of compute capability 9.0, that run at once, wait for
// one another and read one another's shared memory. A block that was launched without is a
// cluster of its own.
#pragma once

#include "model.cuh"

#ifndef EFOC_EMULATED
#if __CUDA_ARCH__ >= 900
__device__ inline int cluster_rank() {
  int x;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(x));
  return x;
}
__device__ inline int cluster_size() {
  int x;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(x));
  return x;
}

// cluster_barrier waits for all threads of the cluster, and for what they have written: it
// releases and acquires, unless it says that it does not.
__device__ inline void cluster_barrier() {
  asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
}

// dynamic_shared_of is the dynamic shared memory of a block of the cluster.
__device__ inline const float4 *dynamic_shared_of(int rank) {
  const float4 *x;
  asm("mapa.u64 %0, %1, %2;" : "=l"(x) : "l"(dynamic_shared()), "r"(rank));
  return x;
}
#else
__device__ inline int cluster_rank() { return 0; }
__device__ inline int cluster_size() { return 1; }
__device__ inline void cluster_barrier() { __syncthreads(); }
__device__ inline const float4 *dynamic_shared_of(int) { return dynamic_shared(); }
#endif
#endif
