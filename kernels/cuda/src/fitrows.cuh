// Rows of truth degrees: the rows of constants and candidates that are ready at once are
// made in one pass over the entity table for each few of them.
#pragma once

#include "fit.cuh"
#include "rows.cuh"

// The largest degree of a link that is not observed.
#define LARGEST_DEGREE 0.9999f
// Rows that a pass makes at once, and entities that a warp multiplies with them.
#define FIT_TOGETHER 8
#define FIT_ENTITIES 2

// Slot is a row to make: that of candidate index, or of the constant if the op has none.
struct Slot {
  const Op *op;
  long long index;
};

// RowsCall mirrors device.rowsHeader. It is the third argument of the kernels below.
struct RowsCall {
  const Slot *slots;
  long long scored, count; // slots that may be predicted, which come first, and all
  long long together;      // rows of a pass, FIT_TOGETHER at most
  float *scores;           // of the first slots, and then the statistics of their softmax
  long long blocks;        // of a pass: so many statistics has a slot
  long long stride, frame; // numbers from slot to slot, and from query to query
  __device__ float *scores_of(long long slot, long long query = blockIdx.z) const { return scores + query * frame + slot * stride; }
  __device__ float2 *stats_of(long long slot, long long query = blockIdx.z) const { return (float2 *)scores_of(scored, query) + slot * blocks; }
};

// There is a row for slots that are there, and one that is predicted for the first.
__device__ inline bool slot_there(const Slot &s) { return !s.op->count || s.index < counts_of(*s.op->args[0])[0]; }
__device__ inline bool slot_predicted(const Slot &s, long long query = blockIdx.z) {
  return !s.op->count || s.index < counts_of(*s.op->args[0], query)[1];
}
__device__ inline int slot_entity(const Run &q, const Slot &s, long long query = blockIdx.z) {
  return s.op->count ? ids_of(*s.op->args[0], query)[s.index] : constant_of(q, s.op->constant, query);
}

// sharpness is what the softmax of a slot multiplies scores with.
__device__ inline float sharpness(const Run &q, const Slot &s, long long query = blockIdx.z) {
  const Truth &t = *s.op->truth;
  return (float)(1 / (t.temperature * (t.factors ? t.factors[relation_of(q, *s.op->result, query)] : 1.)));
}

// put_query writes what the table is multiplied with for the row of a slot: r⊗E_h. The threads of a
// block share the numbers.
template <typename Row> __device__ inline void put_query(const Model &m, const Run &q, const Slot &s, long long query, float *to) {
  const long long e = slot_entity(q, s, query), d = m.width / 2;
  const Constant<Row> x = {(const Row *)m.entities + e * m.stride, scale_of<Row>(m, e)};
  const float *r = m.relations + relation_of(q, *s.op->result, query) * m.stride;
  for (long long k = threadIdx.x; k < m.stride; k += blockDim.x) {
    float y = 0;
    if (k < d)
      y = x[k] * r[k] - x[d + k] * r[d + k];
    else if (k < m.width)
      y = x[k - d] * r[k] + x[k] * r[k - d];
    to[k] = y;
  }
}

// Scored is a slot whose scores a block makes: where they go, and its part of their statistic.
struct Scored {
  float *scores;
  float2 *stat;
  float by;
};

// fit_scores writes inner products with the rows of all entities and the statistics of their softmax, for as many
// slots as a pass takes, of one query or several: the y coordinate of the grid says which. A warp takes
// some entities at a time.
template <typename Row> __device__ inline void fit_scores(const Model &m, const Run &q, const RowsCall &c) {
  float *queries = (float *)dynamic_shared(); // together × stride
  const long long all = c.scored * q.input->queries;
  for (long long first = blockIdx.y * c.together; first < all; first += gridDim.y * c.together) {
    __shared__ Scored slots[FIT_TOGETHER];
    __shared__ float2 seen[FIT_TOGETHER][MAP_THREADS / 32 * FIT_ENTITIES]; // by one lane
    int count = 0;
    __syncthreads(); // nobody reads the queries before these any more
    for (long long i = first; i < first + c.together && i < all; i++) {
      const long long query = i / c.scored;
      const Slot &slot = c.slots[i % c.scored];
      if (!slot_predicted(slot, query)) continue;
      put_query<Row>(m, q, slot, query, queries + count * m.stride);
      if (threadIdx.x == 0) slots[count] = {c.scores_of(i % c.scored, query), c.stats_of(i % c.scored, query) + blockIdx.x, sharpness(q, slot, query)};
      count++;
    }
    if (count == 0) continue;
    const int parts = warps() * FIT_ENTITIES;
    for (int i = threadIdx.x; i < count * parts; i += blockDim.x) seen[i / parts][i % parts] = no_stat();
    __syncthreads();
    const Row *table = (const Row *)m.entities;
    for (long long low = (blockIdx.x * (long long)warps() + warp()) * FIT_ENTITIES; low < m.n; low += gridDim.x * (long long)warps() * FIT_ENTITIES) {
      float dots[FIT_ENTITIES * FIT_TOGETHER];
#pragma unroll
      for (int i = 0; i < FIT_ENTITIES * FIT_TOGETHER; i++) dots[i] = 0;
      for (long long k = 4 * lane(); k < m.stride; k += 128) {
        float4 x[FIT_ENTITIES];
#pragma unroll
        for (int e = 0; e < FIT_ENTITIES; e++) x[e] = widen(load(table + min(low + e, m.n - 1) * m.stride + k));
#pragma unroll
        for (int j = 0; j < FIT_TOGETHER; j++) {
          if (j >= count) continue;
          const float4 y = *(const float4 *)(queries + j * m.stride + k);
#pragma unroll
          for (int e = 0; e < FIT_ENTITIES; e++) dots[e * FIT_TOGETHER + j] += dot4(x[e], y);
        }
      }
      const float all = warp_sums(dots);
      constexpr int LANES = 32 / (FIT_ENTITIES * FIT_TOGETHER); // that have the same sum
      const int mine = lane() / LANES, j = mine % FIT_TOGETHER;
      const long long e = low + mine / FIT_TOGETHER;
      if (lane() % LANES != 0 || j >= count || e >= m.n) continue;
      const float score = all * scale_of<Row>(m, e);
      slots[j].scores[e] = score;
      float2 &own = seen[j][warp() * FIT_ENTITIES + mine / FIT_TOGETHER];
      own = merge(own, make_float2(score, 1.f), slots[j].by);
    }
    __syncthreads();
    for (int j = warp(); j < count; j += warps()) {
      const float2 s = merged(seen[j], parts, slots[j].by);
      if (lane() == 0) *slots[j].stat = s;
    }
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
