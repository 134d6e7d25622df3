// The best entities of a fuzzy set, and the best branches. One block finds them, of all or of what
// others have found to be the best of their parts.
#pragma once

#include "fit.cuh"

// The share of the best candidate's degree that another needs to have a row.
#define LEAST_SHARE 0.03f

// A key orders degrees above 0: the larger the better, the one of the smaller index where
// they are equal. It is 0 for degree 0.
__device__ inline unsigned long long degree_key(float d, unsigned index) {
  return d > 0 ? (unsigned long long)__float_as_uint(d) << 32 | (0xffffffffu - index) : 0ull;
}
__device__ inline unsigned key_index(unsigned long long key) { return 0xffffffffu - (unsigned)key; }
__device__ inline float key_degree(unsigned long long key) { return __uint_as_float((unsigned)(key >> 32)); }

// select puts the most largest keys above 0, of those with the numbers lo to hi, which are all different,
// into list and returns how many there are, once in a kernel. The digits of the least of them are found by counting,
// the first one first.
template <typename K> __device__ inline int select(long long lo, long long hi, long long most, unsigned long long *list, const K &key) {
  __shared__ int bins[256], size;
  __shared__ unsigned long long least;
  __shared__ long long left;
  __shared__ bool done;
  if (threadIdx.x == 0) least = 0, left = most, done = most == 0, size = 0;
  __syncthreads();
  for (int shift = 56; shift >= 0 && !done; shift -= 8) {
    for (int d = threadIdx.x; d < 256; d += blockDim.x) bins[d] = 0;
    __syncthreads();
    for (long long i = lo + threadIdx.x; i < hi; i += blockDim.x) {
      const unsigned long long x = key(i);
      if (x != 0 && (shift == 56 || x >> (shift + 8) == least >> (shift + 8))) atomicAdd(&bins[x >> shift & 255], 1);
    }
    __syncthreads();
    if (warp() == 0) {
      // Each lane adds up eight digits, the largest ones first, and those of the lanes before.
      int d = 255 - 8 * lane(), mine = 0;
      for (int i = 0; i < 8; i++) mine += bins[d - i];
      int upTo = mine;
      for (int by = 1; by < 32; by *= 2) {
        const int before = __shfl_sync(ALL_LANES, upTo, lane() - by);
        if (lane() >= by) upTo += before;
      }
      long long here = left - (upTo - mine);
      const bool found = here > 0 && here <= mine;
      const bool fewer = __ballot_sync(ALL_LANES, found) == 0; // than most: all are among the best
      __syncwarp();                                            // no lane reads left any more
      if (found) {
        while (bins[d] < here) here -= bins[d--];
        done = bins[d] == here; // all keys with these digits are among the best
        least |= (unsigned long long)d << shift, left = here;
      }
      if (fewer && lane() == 0) done = true;
    }
    __syncthreads();
  }
  for (long long i = lo + threadIdx.x; i < hi && most > 0; i += blockDim.x) {
    const unsigned long long x = key(i);
    if (x != 0 && x >= least) list[atomicAdd(&size, 1)] = x;
  }
  __syncthreads();
  return size;
}

// each_ranked calls found(rank, key) for the keys of a list.
template <typename F> __device__ inline void each_ranked(const unsigned long long *list, int count, const F &found) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    int rank = 0;
    for (int j = 0; j < count; j++) rank += list[j] > list[i];
    found(rank, list[i]);
  }
  __syncthreads();
}

// A choice among many keys is made in parts first, by one block each. Of its part a block keeps one more
// than are chosen, so that they tell whether there are more keys above 0.
__device__ inline unsigned long long *kept_of(const Op &op) { return room_of<unsigned long long>(op) + 2 * op.most; }
__device__ inline long long kept_by_part(const Op &op) { return op.most + 1; }

template <typename K> __device__ inline void keep(const Op &op, long long count, const K &key) {
  const long long size = (count + op.parts - 1) / op.parts, lo = min(count, blockIdx.x * size), hi = min(count, lo + size);
  unsigned long long *list = kept_of(op) + blockIdx.x * kept_by_part(op);
  for (long long i = threadIdx.x + select(lo, hi, kept_by_part(op), list, key); i < kept_by_part(op); i += blockDim.x) list[i] = 0;
}

// Keys are those that an op chooses from: what the parts kept, or all.
template <typename K> struct Keys {
  const K &all;
  const unsigned long long *kept;
  const long long count;
  __device__ Keys(const Op &op, long long count, const K &all)
      : all(all), kept(op.parts > 1 ? kept_of(op) : nullptr), count(op.parts > 1 ? op.parts * kept_by_part(op) : count) {}
  __device__ unsigned long long operator()(long long i) const { return kept ? kept[i] : all(i); }
};

// best_key is the key of an entity, by the product of sets.
__device__ inline unsigned long long best_key(const Op &op, long long e) {
  float x = set_of(*op.args[0], 0)[e];
  for (int i = 1; i < op.count; i++) x *= set_of(*op.args[i], 0)[e];
  return degree_key(x, (unsigned)e);
}

__device__ inline void fit_candidates_part(const Model &m, const Op &op) {
  keep(op, m.n, [&](long long e) { return best_key(op, e); });
}

// fit_best finds the entities of largest degree in the product of sets, and how many of them
// have rows: those alone count if few is true. The room holds most keys, and then as many degrees.
__device__ inline void fit_best(const Model &m, const Op &op, bool few) {
  const Value &z = *op.result;
  int *ids = ids_of(z), *counts = counts_of(z);
  unsigned long long *list = room_of<unsigned long long>(op);
  float *degrees = (float *)(list + op.most);
  __shared__ int rows;
  if (threadIdx.x == 0) rows = 0;
  const auto key = [&](long long e) { return best_key(op, e); };
  const Keys<decltype(key)> keys(op, m.n, key);
  const int all = select(0, keys.count, op.most, list, keys);
  each_ranked(list, all, [&](int rank, unsigned long long key) { ids[rank] = (int)key_index(key), degrees[rank] = key_degree(key); });
  for (long long i = threadIdx.x; i < all && i < op.rows; i += blockDim.x)
    if (op.all || !(degrees[i] < LEAST_SHARE * degrees[0])) atomicAdd(&rows, 1);
  __syncthreads();
  if (threadIdx.x == 0) counts[0] = few ? rows : all, counts[1] = rows;
}

// Branching is a choice of branches: number i is candidate i % values in branch i / values of those before.
struct Branching {
  const Model &m;
  const Run &q;
  const Op &op;
  const Value &x, &top;
  const int *ids, values, rows;
  const float *weights;
  const long long count;
  __device__ Branching(const Model &m, const Run &q, const Op &op)
      : m(m), q(q), op(op), x(*op.args[0]), top(*op.args[1]), ids(ids_of(top)), values(counts_of(top)[0]), rows(counts_of(top)[1]),
        weights(weights_of(*op.args[2])), count((long long)counts_of(*op.args[2])[0] * values) {}

  // weight is that of a branch. Candidates without rows of their own must have an observed link by each
  // atom that is not negated.
  __device__ float weight(long long i) const {
    const int value = (int)(i % values), e = ids[value];
    for (int r = 3; r < op.count && value >= rows; r++) {
      if (op.args[r]->negated) continue;
      const Tails tails = tails_of(m, e, relation_of(q, *op.args[r]));
      if (tails.lo == tails.hi) return 0.f;
    }
    return weights[i / values] * set_of(x, i / values)[e];
  }
  __device__ unsigned long long operator()(long long i) const { return degree_key(weight(i), (unsigned)i); }
};

__device__ inline void fit_branches_part(const Model &m, const Run &q, const Op &op) {
  const Branching all(m, q, op);
  keep(op, all.count, all);
}

// fit_branch makes a branch for each candidate of a variable in each branch there is, in
// order; if those are too many, the best ones, best first.
__device__ inline void fit_branch(const Model &m, const Run &q, const Op &op) {
  const Value &z = *op.result;
  const Branching branching(m, q, op);
  const Keys<Branching> keys(op, branching.count, branching);
  unsigned long long *list = room_of<unsigned long long>(op);
  __shared__ int above;
  if (threadIdx.x == 0) above = 0;
  __syncthreads();
  for (long long i = threadIdx.x; i < keys.count; i += blockDim.x)
    if (keys(i) != 0) atomicAdd(&above, 1);
  __syncthreads();
  const bool ranked = above > op.most;
  const int all = select(0, keys.count, op.most, list, [&](long long i) {
    const unsigned long long key = keys(i);
    return ranked || key == 0 ? key : degree_key(1.f, key_index(key));
  });
  int *ids = ids_of(z), *parents = parents_of(z);
  float *weights = weights_of(z);
  each_ranked(list, all, [&](int rank, unsigned long long key) {
    const long long i = key_index(key);
    parents[rank] = (int)(i / branching.values), ids[rank] = (int)(i % branching.values), weights[rank] = branching.weight(i);
  });
  if (threadIdx.x == 0) counts_of(z)[0] = all;
}
