// Pushes of truth degrees: what the values of a variable give the entities of a neighbour.
#pragma once

#include "fit.cuh"

// largest_over returns the largest f(c, t) over a row of the graph, or floor: c goes over
// the row of entity t. All lanes of a warp call it; they share the rows that are long.
template <typename F> __device__ inline float largest_over(const Model &m, Tails row, int t, float floor, const F &f) {
  const bool isLong = row.hi - row.lo > 64;
  float best = floor;
  if (!isLong)
    for (int i = row.lo; i < row.hi; i++) best = fmaxf(best, f(m.tails[i], t, best));
  for (unsigned left = __ballot_sync(ALL_LANES, isLong); left != 0; left &= left - 1) {
    const int owner = __ffs(left) - 1;
    const int lo = __shfl_sync(ALL_LANES, row.lo, owner), hi = __shfl_sync(ALL_LANES, row.hi, owner);
    const int to = __shfl_sync(ALL_LANES, t, owner);
    float most = __shfl_sync(ALL_LANES, best, owner);
    for (int i = lo + lane(); i < hi; i += 32) most = fmaxf(most, f(m.tails[i], to, most));
    most = warp_max(most);
    if (lane() == owner) best = most;
  }
  return best;
}

// linked reports whether the link of a row is observed from c to t: equality for an
// inequality.
__device__ inline bool linked(const Model &m, const Run &q, const Value &row, int c, int t) {
  if (row.unequal) return c == t;
  return contains(m, tails_of(m, c, relation_of(q, row)), t) > 0;
}

// leads reports whether all links but one, which is, are observed from c to t, and none that
// is negated.
__device__ inline bool leads(const Model &m, const Run &q, const Op &op, int along, int c, int t) {
  for (int i = 1; i < op.count; i++)
    if (i != along && linked(m, q, *op.args[i], c, t) == (op.args[i]->negated != 0)) return false;
  return true;
}

__device__ inline bool among(const int *list, int count, int c) {
  for (int i = 0; i < count; i++)
    if (list[i] == c) return true;
  return false;
}

// each_warp_entry sets every degree of the result to f(i)(e), of set i and entity e. Whole warps call f(i) once for a
// set, and what it returns also where e is past the rest: what that returns there is left.
template <typename F> __device__ inline void each_warp_entry(const Model &m, const Value &z, const F &f) {
  const int count = sets(z);
  for (int i = blockIdx.y; i < count; i += gridDim.y) {
    const auto degree = f(i);
    for (long long base = blockIdx.x * (long long)blockDim.x; base <= m.n; base += gridDim.x * (long long)blockDim.x) {
      const int e = (int)base + threadIdx.x;
      const float x = degree(e);
      if (e <= m.n) set_of(z, i)[e] = x;
    }
  }
}

// tails_to are the entities from which a link of a row leads to t.
__device__ inline Tails tails_to(const Model &m, const Run &q, const Value &row, int t) {
  if (t >= m.n) return {0, 0};
  return tails_of(m, t, relation_of(q, row) ^ 1);
}

// fit_push is the best product of a value's degree and its rows, times what is known of the entity if
// anything is. Values without rows lead where all links are observed.
__device__ inline void fit_push(const Model &m, const Run &q, const Op &op, const Value *known) {
  const Value &top = *op.args[1]->over;
  const int count = counts_of(top)[0], *ids = ids_of(top);
  int along = 0; // a row that is not negated
  for (int i = (int)op.count - 1; i > 0; i--)
    if (!op.args[i]->negated) along = i;
  each_warp_entry(m, *op.result, [&](int b) {
    const float *x = set_of(*op.args[0], b);
    return [&, b, x](int e) {
      float best = 0;
      if (e <= m.n)
        for (int i = 0; i < count; i++) {
          const float d = x[ids[i]];
          if (d <= best) continue; // no row has more than 1
          float product = 1;
          for (int j = 1; j < op.count; j++) product *= set_of(*op.args[j], i)[e];
          best = fmaxf(best, d * product);
        }
      if (along > 0 && !op.all)
        best = largest_over(m, tails_to(m, q, *op.args[along], e), e, best, [&](int c, int t, float floor) {
          const float d = x[c];
          return d > floor && d != x[m.n] && !among(ids, count, c) && leads(m, q, op, along, c, t) ? d : 0.f;
        });
      if (known && e <= m.n) best *= set_of(*known, b)[e];
      return best;
    };
  });
}

// fit_narrow is a push times its first operand.
__device__ inline void fit_narrow(const Model &m, const Run &q, const Op &op) {
  Op push = op;
  push.args++, push.count--;
  fit_push(m, q, push, op.args[0]);
}

// Extremes are the largest degree of a set and who has it, and the largest of the others.
struct Extremes {
  float best, second;
  long long id;
  __device__ void take(const Extremes &x) {
    second = fmaxf(fminf(best, x.best), fmaxf(second, x.second));
    if (x.best > best) best = x.best, id = x.id;
  }
};
__device__ inline Extremes no_extremes() { return {0, 0, -1}; }

// warp_extremes returns those of what the lanes of a warp have.
__device__ inline Extremes warp_extremes(Extremes x) {
  for (int by = 16; by > 0; by >>= 1)
    x.take({__shfl_xor_sync(ALL_LANES, x.best, by), __shfl_xor_sync(ALL_LANES, x.second, by), __shfl_xor_sync(ALL_LANES, (int)x.id, by)});
  return x;
}

// fit_extremes finds those of each set, for the kernels below: a block those of its part of the entities.
__device__ inline void fit_extremes(const Model &m, const Op &op) {
  __shared__ Extremes found[32];
  for (int b = blockIdx.y; b < sets(*op.args[0]); b += gridDim.y) {
    const float *x = set_of(*op.args[0], b);
    Extremes all = no_extremes();
    for (long long e = blockIdx.x * (long long)blockDim.x + threadIdx.x; e < m.n; e += gridDim.x * (long long)blockDim.x) all.take({x[e], 0, e});
    all = warp_extremes(all);
    __syncthreads();
    if (lane() == 0) found[warp()] = all;
    __syncthreads();
    if (threadIdx.x != 0) continue;
    for (int w = 1; w < warps(); w++) all.take(found[w]);
    room_of<Extremes>(op)[b * op.parts + blockIdx.x] = all;
  }
}

// extremes_of brings together those of the parts. All lanes of a warp call it.
__device__ inline Extremes extremes_of(const Op &op, int b) {
  const Extremes *parts = room_of<Extremes>(op) + b * op.parts;
  Extremes all = no_extremes();
  for (long long i = lane(); i < op.parts; i += 32) all.take(parts[i]);
  return warp_extremes(all);
}

// fit_peak is the largest degree, for every entity.
__device__ inline void fit_peak(const Model &m, const Op &op) {
  each_warp_entry(m, *op.result, [&](int b) {
    const float best = extremes_of(op, b).best;
    return [=](int) { return best; };
  });
}

// other is the largest degree of another entity than e.
__device__ inline float other(const Extremes &x, int e) { return e == x.id ? x.second : x.best; }

__device__ inline void fit_other(const Model &m, const Op &op) {
  each_warp_entry(m, *op.result, [&](int b) {
    const Extremes extremes = extremes_of(op, b);
    return [=](int e) { return other(extremes, e); };
  });
}

// fit_leaf is a push of a variable of which no constant tells anything, whose values have no
// rows: an observed link has degree 1, others φ; a negated one is absent unless it is
// observed. If all have rows, it is a push.
__device__ inline void fit_leaf(const Model &m, const Run &q, const Op &op) {
  if (op.all) return fit_push(m, q, op, nullptr);
  const float phi = (float)op.truth->leaf, absent = negated_degree(*op.truth, 1.f);
  bool apart = false;
  for (int i = 1; i < op.count; i++) apart = apart || op.args[i]->unequal;
  each_warp_entry(m, *op.result, [&](int b) {
    const float *x = set_of(*op.args[0], b);
    const Extremes extremes = extremes_of(op, b);
    return [&, x, extremes](int e) {
      float best = apart ? other(extremes, e) : extremes.best;
      for (int i = 1; i < op.count; i++)
        if (!op.args[i]->negated) best *= phi;
      for (int i = 1; i < op.count; i++) {
        if (op.args[i]->negated) continue;
        best = largest_over(m, tails_to(m, q, *op.args[i], e), e, best, [&](int c, int t, float floor) {
          float d = x[c];
          if (d <= floor || apart && c == t) return 0.f;
          for (int j = 1; j < op.count; j++) {
            const Value &row = *op.args[j];
            if (row.unequal) continue;
            const bool has = j == i || linked(m, q, row, c, t);
            if (row.negated ? has : !has) d *= row.negated ? absent : phi;
          }
          return d;
        });
      }
      return best;
    };
  });
}
