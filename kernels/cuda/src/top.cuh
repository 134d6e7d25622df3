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

// Tile is a part of the candidates of a list, as many as a block has threads, in a pass of a ranking.
struct Tile {
  const Query &t;
  int list, lists, tile, tiles, pass;
};

// top keeps the k best of a tile. Pass 0 takes the entries of the vector, others what the pass before
// kept, count candidates; the one that has one tile hands over the best.
__device__ inline void top(const Tile &at, int vector, long long count) {
  __shared__ unsigned long long keys[TOP_THREADS];
  const Query &t = at.t;
  const int size = blockDim.x, own = threadIdx.x;
  const long long from = at.tile * (long long)size + own, all = t.q.batch * t.q.keyStride * at.lists;
  unsigned long long *kept = t.q.keys + (at.list * t.q.batch + t.index) * t.q.keyStride;
  unsigned long long mine = 0;
  if (from < count) mine = at.pass == 0 ? key_of(t.vector(vector)[from], (int)from) : kept[(at.pass - 1) % 2 * all + from];
  keys[own] = mine;
  // Bitonic sort, largest first.
  for (int part = 2; part <= size; part *= 2)
    for (int by = part / 2; by > 0; by /= 2) {
      __syncthreads();
      const int other = own ^ by;
      if (other > own) {
        const unsigned long long a = keys[own], b = keys[other];
        if (((own & part) == 0) == (a < b)) keys[own] = b, keys[other] = a;
      }
    }
  __syncthreads();
  if (own >= t.q.k) return;
  if (at.tiles == 1)
    t.q.best[(at.list * t.q.batch + t.index) * t.q.k + own] = keys[own];
  else
    kept[at.pass % 2 * all + at.tile * t.q.k + own] = keys[own];
}

// top makes one pass of a ranking, in which every block has a tile. Lists are the z coordinate of the
// grid.
__device__ inline void top(const Query &t, int vector, long long pass) {
  long long count = t.m.n;
  for (long long p = 0; p < pass; p++) count = (count + blockDim.x - 1) / blockDim.x * t.q.k;
  top({t, (int)blockIdx.z, (int)gridDim.z, (int)blockIdx.x, (int)gridDim.x, (int)pass}, vector, count);
}
