// Rows of truth degrees: those of constants and candidates that are ready at once are made together, from their
// scores, which fitscores.cuh makes.
#pragma once

#include "fit.cuh"

// The largest degree of a link that is not observed.
#define LARGEST_DEGREE 0.9999f

// Slot is a row to make: that of candidate index, or of the constant if the op has none.
struct Slot {
  const Op *op;
  long long index;
};

// RowsCall mirrors device.rowsHeader. It is the third argument of the kernels below.
struct RowsCall {
  const Slot *slots;
  long long scored, count; // slots that may be predicted, which come first, and all
  long long together;      // rows that a pass for one query makes, FIT_TOGETHER at most
  void *packed;            // of a batch: a PackedRow of each query that is asked, for each of the first slots
  float *scores;           // of the first slots, and then the statistics of their softmax
  long long blocks;        // that make the statistics of a slot, one each
  long long stride, frame; // numbers from slot to slot, and from query to query
  __device__ float *scores_of(long long slot, long long query = blockIdx.z) const { return scores + query * frame + slot * stride; }
  __device__ float2 *stats_of(long long slot) const { return (float2 *)scores_of(scored) + slot * blocks; }
};

// There is a row for slots that are there, and one that is predicted for the first.
__device__ inline bool slot_there(const Slot &s) { return !s.op->count || s.index < counts_of(*s.op->args[0])[0]; }
__device__ inline bool slot_predicted(const Slot &s, long long query = blockIdx.z) {
  return !s.op->count || s.index < counts_of(*s.op->args[0], query)[1];
}
__device__ inline int slot_entity(const Run &q, const Slot &s) {
  return s.op->count ? ids_of(*s.op->args[0])[s.index] : constant_of(q, s.op->constant);
}

// sharpness is what the softmax of a slot multiplies scores with.
__device__ inline float sharpness(const Run &q, const Slot &s) {
  const Truth &t = *s.op->truth;
  return (float)(1 / (t.temperature * (t.factors ? t.factors[relation_of(q, *s.op->result)] : 1.)));
}

// fit_stats makes the statistics of the softmax of scores that products have made. The y coordinate of the grid says of
// which slots; a block takes some entities.
__device__ inline void fit_stats(const Model &m, const Run &q, const RowsCall &c) {
  for (long long i = blockIdx.y; i < c.scored; i += gridDim.y) {
    if (!slot_predicted(c.slots[i])) continue;
    const float *scores = c.scores_of(i), by = sharpness(q, c.slots[i]);
    float2 all = no_stat();
    for (long long e = blockIdx.x * (long long)blockDim.x + threadIdx.x; e < m.n; e += gridDim.x * (long long)blockDim.x)
      all = merge(all, make_float2(scores[e], 1.f), by);
    put_merged(c.stats_of(i) + blockIdx.x, all, by);
  }
}

// degrees_scale is what the exponentials of a slot are multiplied with, relative to their statistic. All threads of a
// block call it.
__device__ inline double degrees_scale(const Model &m, const Truth &t, const float *scores, float2 stat, float by, Tails tails) {
  double scale = max(1, tails.size());
  if (t.mass && tails.size() > 0) {
    float mass = 0;
    for (int k = tails.lo + threadIdx.x; k < tails.hi; k += blockDim.x) mass += expf((scores[m.tails[k]] - stat.x) * by);
    scale /= fmax(1e-6, (double)(block_sum(mass) / stat.y));
  }
  return scale / stat.y;
}

// fit_degrees makes the degrees of a slot: of predicted ones from their scores. The y coordinate of the grid says
// which; a block takes some entities.
__device__ inline void fit_degrees(const Model &m, const Run &q, const RowsCall &c) {
  const int n = (int)m.n, each = (n + (int)gridDim.x - 1) / (int)gridDim.x;
  const int low = min(n, (int)blockIdx.x * each), high = min(n, low + each);
  for (long long i = blockIdx.y; i < c.count; i += gridDim.y) {
    const Slot s = c.slots[i];
    if (!slot_there(s)) continue;
    const Truth &t = *s.op->truth;
    const bool negated = s.op->result->negated;
    const Tails tails = tails_of(m, slot_entity(q, s), relation_of(q, *s.op->result));
    float *row = set_of(*s.op->result, s.index);
    const float none = negated ? negated_degree(t, 0.f) : 0.f, one = negated ? negated_degree(t, 1.f) : 1.f;
    if (slot_predicted(s)) {
      const float *scores = c.scores_of(i), by = sharpness(q, s);
      const float2 stat = merged(c.stats_of(i), (int)c.blocks, by);
      const double scale = degrees_scale(m, t, scores, stat, by, tails);
      for (int e = low + threadIdx.x; e < high; e += blockDim.x) {
        const float p = fminf(LARGEST_DEGREE, (float)(scale * (double)expf((scores[e] - stat.x) * by)));
        const float d = (double)p < t.threshold ? 0.f : p;
        row[e] = negated ? negated_degree(t, d) : d;
      }
    } else {
      for (int e = low + threadIdx.x; e < high; e += blockDim.x) row[e] = none;
    }
    __syncthreads();
    for (int k = from(m.tails, tails.lo, tails.hi, low) + threadIdx.x; k < tails.hi && m.tails[k] < high; k += blockDim.x) row[m.tails[k]] = one;
    if (blockIdx.x == 0 && threadIdx.x == 0) row[n] = none;
  }
}
