// The best entities of a fuzzy set, and the best branches: one block finds them.
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

// select calls found(rank, key) for the most largest keys above 0 of count different ones,
// and returns how many there are. The digits of the least of them are found by counting, the
// first one first; keys is room for most keys.
template <typename K, typename F>
__device__ inline int select(long long count, long long most, unsigned long long *keys, const K &key, const F &found) {
  __shared__ int bins[256], size;
  __shared__ unsigned long long least;
  __shared__ long long left;
  __shared__ bool done;
  __syncthreads();
  if (threadIdx.x == 0) least = 0, left = most, done = most == 0, size = 0;
  __syncthreads();
  for (int shift = 56; shift >= 0 && !done; shift -= 8) {
    for (int d = threadIdx.x; d < 256; d += blockDim.x) bins[d] = 0;
    __syncthreads();
    for (long long i = threadIdx.x; i < count; i += blockDim.x) {
      const unsigned long long x = key(i);
      if (x != 0 && (shift == 56 || x >> (shift + 8) == least >> (shift + 8))) atomicAdd(&bins[x >> shift & 255], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      int d = 255;
      while (d > 0 && bins[d] < left) left -= bins[d--];
      // All keys with these digits are among the best, or there are fewer than most.
      done = bins[d] <= left;
      least |= (unsigned long long)d << shift;
    }
    __syncthreads();
  }
  for (long long i = threadIdx.x; i < count && most > 0; i += blockDim.x) {
    const unsigned long long x = key(i);
    if (x != 0 && x >= least) keys[atomicAdd(&size, 1)] = x;
  }
  __syncthreads();
  const int all = size;
  for (int i = threadIdx.x; i < all; i += blockDim.x) {
    int rank = 0;
    for (int j = 0; j < all; j++) rank += keys[j] > keys[i];
    found(rank, keys[i]);
  }
  __syncthreads();
  return all;
}

// fit_best finds the entities of largest degree in the product of sets, and how many of them
// have rows: those alone count if few is true. The room holds most keys, and then as many degrees.
__device__ inline void fit_best(const Model &m, const Op &op, bool few) {
  const Value &z = *op.result;
  unsigned long long *keys = (unsigned long long *)op.room;
  float *degrees = (float *)(keys + op.most);
  __shared__ int rows;
  if (threadIdx.x == 0) rows = 0;
  const int all = select(
      m.n, op.most, keys,
      [&](long long e) {
        float x = op.args[0]->degrees[e];
        for (int i = 1; i < op.count; i++) x *= op.args[i]->degrees[e];
        return degree_key(x, (unsigned)e);
      },
      [&](int rank, unsigned long long key) { z.ids[rank] = (int)key_index(key), degrees[rank] = key_degree(key); });
  for (long long i = threadIdx.x; i < all && i < op.rows; i += blockDim.x)
    if (op.all || !(degrees[i] < LEAST_SHARE * degrees[0])) atomicAdd(&rows, 1);
  __syncthreads();
  if (threadIdx.x == 0) z.counts[0] = few ? rows : all, z.counts[1] = rows;
}

// fit_branch makes a branch for each candidate of a variable in each branch there is, in
// order; if those are too many, the best ones, best first. Candidates without rows of their own must
// have an observed link by each atom that is not negated.
__device__ inline void fit_branch(const Model &m, const Run &q, const Op &op) {
  const Value &z = *op.result, &x = *op.args[0], &top = *op.args[1], &from = *op.args[2];
  const int values = top.counts[0];
  const long long count = (long long)from.counts[0] * values;
  const auto weight = [&](long long i) {
    const int value = (int)(i % values), e = top.ids[value];
    for (int r = 3; r < op.count && value >= top.counts[1]; r++) {
      if (op.args[r]->negated) continue;
      const Tails tails = tails_of(m, e, relation_of(q, *op.args[r]));
      if (tails.lo == tails.hi) return 0.f;
    }
    return from.weights[i / values] * set_of(x, (int)(i / values))[e];
  };
  __shared__ int above;
  if (threadIdx.x == 0) above = 0;
  __syncthreads();
  for (long long i = threadIdx.x; i < count; i += blockDim.x)
    if (weight(i) > 0) atomicAdd(&above, 1);
  __syncthreads();
  const bool ranked = above > op.most;
  const int all = select(
      count, op.most, (unsigned long long *)op.room,
      [&](long long i) {
        const float w = weight(i);
        return degree_key(ranked || !(w > 0) ? w : 1.f, (unsigned)i);
      },
      [&](int rank, unsigned long long key) {
        const long long i = key_index(key);
        z.parents[rank] = (int)(i / values), z.ids[rank] = (int)(i % values), z.weights[rank] = weight(i);
      });
  if (threadIdx.x == 0) z.counts[0] = all;
}
