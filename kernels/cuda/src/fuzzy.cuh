// Fuzzy vectors: what is computed entity by entity between two passes over the
// entity table, and rows of the graph.
#pragma once

#include "model.cuh"
#include "top.cuh"

// wait_for_all waits until all blocks of a grid are here, which sees what they have written. The
// launch must be cooperative: all blocks are resident.
__device__ __noinline__ void wait_for_all(int *barrier) {
  __syncthreads();
  if (threadIdx.x == 0) {
    volatile int *turns = barrier + 1;
    const int turn = *turns;
    __threadfence();
    if (atomicAdd(barrier, 1) == (int)gridDim.x - 1) {
      *barrier = 0;
      __threadfence();
      *turns = turn + 1;
    } else {
      while (*turns == turn) __nanosleep(32);
    }
    __threadfence();
  }
  __syncthreads();
}

// Steps is what is computed between two passes, in steps that need all of those before. A
// cooperative launch makes all of them for one query: its argument is 0, or from bit 32 on the
// number of lists that the last kernel ranks. Otherwise each is a launch of its own, whose argument is
// the step's number from 1 on.
struct Steps : Query {
  const int n, only, lists;
  const bool asked;
  int at = 0;
  __device__ Steps(const Model &m, const Run &q, long long argument)
      : Query(m, q), n((int)m.n), only((int)argument), lists((int)(argument >> 32)), asked(begin()) {}
  // next goes on to the next step, and reports whether the launch makes it.
  __device__ bool next() {
    at++;
    if (only > 0) return at == only && asked;
    if (at > 1) wait_for_all(q.barrier);
    return true;
  }
  // rank ranks the lists, if there are any, once all steps are made.
  __device__ void rank() const {
    long long count = lists > 0 ? n : 0;
    for (int pass = 0; count > 0; pass++) {
      wait_for_all(q.barrier);
      const int tiles = (int)((count + blockDim.x - 1) / blockDim.x);
      for (int i = blockIdx.x; i < lists * tiles; i += gridDim.x) top({*this, i / tiles, lists, i % tiles, tiles, pass}, q.lists[i / tiles], count);
      count = tiles == 1 ? 0 : tiles * q.k;
    }
  }

  // each calls f for the entities of this thread.
  template <typename F> __device__ void each(const F &f) const {
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < n; e += gridDim.x * blockDim.x) f(e);
  }
  // each_warp calls f in whole warps, in all of a block equally often: e may be past the end.
  template <typename F> __device__ void each_warp(const F &f) const {
    for (int base = blockIdx.x * blockDim.x; base < n; base += gridDim.x * blockDim.x) f(base + (int)threadIdx.x);
  }
  // put writes entry e of a vector, and returns it.
  __device__ float put(int number, int e, float x) const { return vector(number)[e] = x; }
};

__device__ inline float softmax(float x, float2 stat) { return expf(x - stat.x) / stat.y; }

// cut is what an entry adds to the sum that N divides by.
__device__ inline float cut(float x, double epsilon) { return (double)x >= epsilon ? x : 0.f; }

__device__ inline float normalize(float x, float sum, double epsilon) {
  return (double)x >= epsilon ? x / (float)fmax(epsilon, (double)sum) : 0.f;
}

__device__ inline float blend(float x, float y, double weight) {
  return (float)(2 * (1 - weight)) * x + (float)(2 * weight) * y;
}

__device__ inline float complement(float x, double alpha, int n) { return (float)(alpha / n - (double)x); }

// complement_sum is the sum of the complement of so many neighbours' entries, 1, and of all others', 0, that N divides by.
__device__ inline float complement_sum(int neighbors, double alpha, int n, double epsilon) {
  return neighbors * cut(complement(1.f, alpha, n), epsilon) + (n - neighbors) * cut(complement(0.f, alpha, n), epsilon);
}

__device__ inline float mix(float x, float y, double lambda) { return (float)(lambda * x + (1 - lambda) * y); }

// ratio is x/by, and 0 where by is not positive.
__device__ inline float ratio(float x, float by) { return by > 0 ? x / by : 0.f; }

// from returns the index of the first entry of list[lo..hi), which ascends, that is x at least; hi if there is none.
__device__ inline int from(const int *list, int lo, int hi, int x) {
  while (lo < hi) {
    const int middle = lo + (hi - lo) / 2;
    if (list[middle] < x)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo;
}

// find returns the index of x there; hi if it is not there.
__device__ inline int find(const int *list, int lo, int hi, int x) {
  const int at = from(list, lo, hi, x);
  return at < hi && list[at] == x ? at : hi;
}

// one_hot is 1 at a constant.
__device__ inline float one_hot(const Query &t, int constant, int e) { return e == t.constant(constant) ? 1.f : 0.f; }

// Tails are the entities to which a relation leads from one: [lo, hi) of m.tails.
struct Tails {
  int lo, hi;
  __device__ int size() const { return hi - lo; }
};

__device__ inline Tails tails_of(const Model &m, int head, int relation) {
  const int end = m.first[relation + 1], row = find(m.heads, m.first[relation], end, head);
  if (row == end) return {0, 0};
  return {m.starts[row], m.starts[row + 1]};
}

// neighbor_row is row s of M_r, or of its transpose backward.
__device__ inline Tails neighbor_row(const Query &t, int constant, int relation, Direction way) {
  return tails_of(t.m, t.constant(constant), t.relation(relation) ^ (way == BACKWARD));
}

__device__ inline float contains(const Model &m, Tails row, int e) {
  return find(m.tails, row.lo, row.hi, e) < row.hi ? 1.f : 0.f;
}

__device__ inline float loops(const Query &t, int relation, int e) {
  return e < t.m.n ? contains(t.m, tails_of(t.m, e, t.relation(relation)), e) : 0.f;
}

// ends is 1 where e is the head of a fact, or the tail of one backward.
__device__ inline float ends(const Query &t, int relation, Direction way, int e) {
  if (e >= t.m.n) return 0.f;
  const Tails row = tails_of(t.m, e, t.relation(relation) ^ (way == BACKWARD));
  return row.hi > row.lo ? 1.f : 0.f;
}

// Rows of the graph that are longer than WARP_ROW a warp takes together, those longer than BLOCK_ROW a block.
#ifndef WARP_ROW
#define WARP_ROW 64
#define BLOCK_ROW 4096
#endif

// row_sum is the sum of x over a row, of whose entries this thread takes one in so many.
__device__ inline float row_sum(const Model &m, const float *x, Tails row, int first, int apart) {
  float sum = 0;
#pragma unroll 4
  for (int i = row.lo + first; i < row.hi; i += apart) sum += x[m.tails[i]];
  return sum;
}

// block_rows sets the sums of the rows that the threads of a block take together. All of them call it.
__device__ __noinline__ void block_rows(const Model &m, const float *x, Tails own, float &sum) {
  __shared__ unsigned owners[MAP_THREADS / 32]; // lanes of each warp
  __shared__ Tails row;
  const unsigned mine = __ballot_sync(ALL_LANES, own.size() > BLOCK_ROW);
  if (lane() == 0) owners[warp()] = mine;
  __syncthreads();
  for (int w = 0; w < warps(); w++)
    for (unsigned left = owners[w]; left != 0; left &= left - 1) {
      const bool owns = (int)threadIdx.x == 32 * w + __ffs(left) - 1;
      if (owns) row = own;
      __syncthreads();
      const float all = block_sum(row_sum(m, x, row, threadIdx.x, blockDim.x));
      if (owns) sum = all;
    }
}

// traverse is entry e of x·M_r, or of x·M_rᵀ backward: the sum of x over the row of
// e in the other direction. All threads of a block call it, also where e is past the
// end; they share the rows that are long.
__device__ inline float traverse(const Query &t, const float *x, int relation, Direction way, int e) {
  Tails row = {0, 0};
  if (e < t.m.n) row = tails_of(t.m, e, t.relation(relation) ^ (way == FORWARD));
  const bool isLong = row.size() > WARP_ROW;
  float sum = isLong ? 0.f : row_sum(t.m, x, row, 0, 1);
  for (unsigned left = __ballot_sync(ALL_LANES, isLong && row.size() <= BLOCK_ROW); left != 0; left &= left - 1) {
    const int owner = __ffs(left) - 1;
    const Tails shared = {__shfl_sync(ALL_LANES, row.lo, owner), __shfl_sync(ALL_LANES, row.hi, owner)};
    const float all = warp_sum(row_sum(t.m, x, shared, lane(), 32));
    if (lane() == owner) sum = all;
  }
  if (__syncthreads_or(row.size() > BLOCK_ROW)) block_rows(t.m, x, row, sum);
  return sum;
}
