// The k largest entries of a vector, ties in order of id.
#pragma once

#include "model.cuh"

#define TOP_THREADS 1024

// A key orders entities: the larger the better.
__device__ inline unsigned long long key_of(float x, int e) {
  const unsigned bits = __float_as_uint(x + 0.f); // −0 is 0
  const unsigned up = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return (unsigned long long)up << 32 | (0xffffffffu - (unsigned)e);
}

// top makes one pass of a ranking: every block keeps the k best of as many
// candidates as it has threads. Pass 0 takes the entries of the vector, others what
// the pass before kept; the one that has one block hands over the best. Lists are
// the z coordinate of the grid.
__device__ inline void top(const Query &t, int vector, long long pass) {
  __shared__ unsigned long long keys[TOP_THREADS];
  const int tile = blockDim.x, list = blockIdx.z;
  long long count = t.m.n;
  for (long long p = 0; p < pass; p++) count = (count + tile - 1) / tile * t.q.k;
  const long long from = blockIdx.x * (long long)tile + threadIdx.x, all = t.q.batch * t.q.keyStride * gridDim.z;
  unsigned long long *at = t.q.keys + (list * t.q.batch + t.index) * t.q.keyStride;
  unsigned long long mine = 0;
  if (from < count) mine = pass == 0 ? key_of(t.vector(vector)[from], (int)from) : at[(pass - 1) % 2 * all + from];
  keys[threadIdx.x] = mine;
  // Bitonic sort, largest first.
  for (int size = 2; size <= tile; size *= 2)
    for (int by = size / 2; by > 0; by /= 2) {
      __syncthreads();
      const int i = threadIdx.x, j = i ^ by;
      if (j > i) {
        const unsigned long long a = keys[i], b = keys[j];
        if (((i & size) == 0) == (a < b)) keys[i] = b, keys[j] = a;
      }
    }
  __syncthreads();
  if (threadIdx.x >= t.q.k) return;
  if (gridDim.x == 1)
    t.q.best[(list * t.q.batch + t.index) * t.q.k + threadIdx.x] = keys[threadIdx.x];
  else
    at[pass % 2 * all + blockIdx.x * t.q.k + threadIdx.x] = keys[threadIdx.x];
}
