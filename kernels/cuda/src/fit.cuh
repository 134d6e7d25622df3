// Truth degrees, op by op: package fit of the runtime says what they are. A fuzzy set is
// dense: a degree for each entity, and behind those the one of entities of which nothing is
// said, its rest. What the data decides, such as how many candidates there are, is in
// memory, so that every launch is known beforehand: kernels have as many blocks as there
// may be branches and candidates, and those that are not there do nothing. The z coordinate of
// a grid is the query of the batch.
#pragma once

#include "fuzzy.cuh"

// Truth mirrors device.truthHeader: the settings of truth degrees.
struct Truth {
  double threshold, temperature, negation, leaf, mixture;
  long long mass;        // whether rows are scaled by the mass of the observed tails
  const double *factors; // of the temperature, one for each directed relation; null if all are 1
};

// Value mirrors device.valueHeader: a value of the plan.
struct Value {
  float *degrees;    // of a set one for all branches, or one for each; of rows one for each candidate
  int *counts;       // of candidates, all and those with rows; of branches
  int *ids;          // candidates, best first; of branches the index of their value among those
  int *parents;      // of branches, where they come from
  float *weights;    // of branches
  const Value *over; // branches of a set, null if it is one for all; candidates of rows and of branches
  long long stride;  // degrees from set to set
  long long frame;   // numbers of four bytes from query to query, in all that is above
  // Of rows: the slot of their relation, whether it is read backward, whether the atom is
  // negated, and whether it is an inequality and has no relation.
  long long relation, backward, negated, unequal;
};

// Op mirrors device.opHeader: an op of the plan. It is the third argument of kernels.
struct Op {
  const Truth *truth;
  const Value *result;
  const Value *const *args;
  long long count;      // of args
  long long constant, filter; // slots
  long long most, rows; // candidates or branches at most, and candidates with rows
  long long all;        // whether every candidate has its rows: the method is exact
  long long parts;      // in which a choice is made first
  float *room;          // of the op alone
  long long frame;      // numbers of four bytes from query to query there
};

// asked reports whether the query of this block is asked.
__device__ inline bool asked(const Run &q) { return blockIdx.z < q.input->queries; }

// The following are those of a query, which is this block's unless another is named.

__device__ inline int constant_of(const Run &q, long long slot) { return q.arguments[blockIdx.z * q.slots + slot]; }
__device__ inline int relation_of(const Run &q, const Value &v) {
  return q.arguments[blockIdx.z * q.slots + q.constants + v.relation] ^ (int)v.backward;
}
__device__ inline int *counts_of(const Value &v, long long query = blockIdx.z) { return v.counts + query * v.frame; }
__device__ inline int *ids_of(const Value &v) { return v.ids + blockIdx.z * v.frame; }
__device__ inline int *parents_of(const Value &v) { return v.parents + blockIdx.z * v.frame; }
__device__ inline float *weights_of(const Value &v) { return v.weights + blockIdx.z * v.frame; }
template <typename T> __device__ inline T *room_of(const Op &op) { return (T *)(op.room + blockIdx.z * op.frame); }

// sets is how many sets a value has, and set_of the one of a branch or a candidate.
__device__ inline int sets(const Value &v) { return v.over ? counts_of(*v.over)[0] : 1; }
__device__ inline float *set_of(const Value &v, long long i) {
  return v.degrees + blockIdx.z * v.frame + (v.over ? i : 0) * v.stride;
}

// negated_degree is 1 − min(1, ν·d).
__device__ inline float negated_degree(const Truth &t, float d) { return (float)(1 - fmin(1., t.negation * (double)d)); }

// each_entry sets every degree of the result to f(i, e): of set i and entity e, which is n
// for the rest.
template <typename F> __device__ inline void each_entry(const Model &m, const Value &z, const F &f) {
  const int count = sets(z);
  for (int i = blockIdx.y; i < count; i += gridDim.y)
    for (long long e = blockIdx.x * (long long)blockDim.x + threadIdx.x; e <= m.n; e += gridDim.x * (long long)blockDim.x)
      set_of(z, i)[e] = f(i, (int)e);
}

// fit_any is 1 for every entity.
__device__ inline void fit_any(const Model &m, const Op &op) {
  each_entry(m, *op.result, [](int, int) { return 1.f; });
}

// fit_except is 1 for every entity but the constant.
__device__ inline void fit_except(const Model &m, const Run &q, const Op &op) {
  const int id = constant_of(q, op.constant);
  each_entry(m, *op.result, [&](int, int e) { return e == id ? 0.f : 1.f; });
}

// fit_selected is the degree to which an entity meets the filter.
__device__ inline void fit_selected(const Model &m, const Run &q, const Op &op) {
  const float *filter = filter_of(q, op.filter, blockIdx.z);
  each_entry(m, *op.result, [&](int, int e) { return filter[e]; });
}

// fit_others is 1 for every entity but the candidate.
__device__ inline void fit_others(const Model &m, const Op &op) {
  const int *ids = ids_of(*op.args[0]);
  each_entry(m, *op.result, [&](int i, int e) { return e == ids[i] ? 0.f : 1.f; });
}

__device__ inline void fit_times(const Model &m, const Op &op) {
  each_entry(m, *op.result, [&](int b, int e) {
    float x = set_of(*op.args[0], b)[e];
    for (int i = 1; i < op.count; i++) x *= set_of(*op.args[i], b)[e];
    return x;
  });
}

// fit_either is the probabilistic sum.
__device__ inline void fit_either(const Model &m, const Op &op) {
  each_entry(m, *op.result, [&](int b, int e) {
    float x = set_of(*op.args[0], b)[e];
    for (int i = 1; i < op.count; i++) x = (float)(1 - (1 - (double)x) * (1 - (double)set_of(*op.args[i], b)[e]));
    return x;
  });
}

// fit_each is the product of the rows of each branch's value.
__device__ inline void fit_each(const Model &m, const Op &op) {
  const int *values = ids_of(*op.args[0]);
  each_entry(m, *op.result, [&](int b, int e) {
    float x = 1;
    for (int i = 1; i < op.count; i++) x *= set_of(*op.args[i], values[b])[e];
    return x;
  });
}

// fit_follow gives each branch the degrees of its parent.
__device__ inline void fit_follow(const Model &m, const Op &op) {
  const int *parents = parents_of(*op.args[1]);
  each_entry(m, *op.result, [&](int b, int e) { return set_of(*op.args[0], parents[b])[e]; });
}

// fit_join is the largest degree in any branch, times its weight.
__device__ inline void fit_join(const Model &m, const Op &op) {
  const int count = counts_of(*op.args[1])[0];
  const float *weights = weights_of(*op.args[1]);
  each_entry(m, *op.result, [&](int, int e) {
    float x = 0;
    for (int b = 0; b < count; b++) x = fmaxf(x, weights[b] * set_of(*op.args[0], b)[e]);
    return x;
  });
}

// fit_diagonal is the degree of each entity's link to itself: by its row, or by the graph
// if it is none of the candidates.
__device__ inline void fit_diagonal(const Model &m, const Run &q, const Op &op) {
  const Value &rows = *op.args[0];
  const int r = relation_of(q, rows), count = sets(rows), *ids = ids_of(*rows.over);
  each_entry(m, *op.result, [&](int, int e) {
    float linked = 0;
    if (e < m.n) {
      for (int i = 0; i < count; i++)
        if (ids[i] == e) return set_of(rows, i)[e];
      linked = contains(m, tails_of(m, e, r), e);
    }
    return rows.negated ? negated_degree(*op.truth, linked) : linked;
  });
}

// fit_dense copies the degrees of the entities to a vector.
__device__ inline void fit_dense(const Model &m, const Op &op) {
  const float *x = set_of(*op.args[0], 0);
  float *z = set_of(*op.result, 0);
  for (long long e = blockIdx.x * (long long)blockDim.x + threadIdx.x; e < m.n; e += gridDim.x * (long long)blockDim.x) z[e] = x[e];
}

// The floors of the mixture, as package fit has them.
#define FLOOR_MESSAGES 1e-12
#define FLOOR_DEGREES 1e-6

// fit_over is how far F(p, d) exceeds F(0, 0), in units of the latter.
__device__ inline double fit_over(double p, double d, double g) {
  return expm1((1 - g) * log1p(p / FLOOR_MESSAGES) + g * log1p(d / FLOOR_DEGREES));
}

// fit_mixture computes the scores of the mixture of probabilities and degrees.
__device__ inline void fit_mixture(const Model &m, const Op &op) {
  const float *x = set_of(*op.args[0], 0), *y = set_of(*op.args[1], 0);
  float *z = set_of(*op.result, 0);
  const double g = op.truth->mixture, most = fit_over(1, 1, g);
  for (long long e = blockIdx.x * (long long)blockDim.x + threadIdx.x; e < m.n; e += gridDim.x * (long long)blockDim.x)
    z[e] = (float)(fit_over(x[e], y[e], g) / most);
}
