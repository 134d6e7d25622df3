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
};

// There is a row for slots that are there, and one that is predicted for the first.
__device__ inline bool slot_there(const Slot &s) { return !s.op->count || s.index < counts_of(*s.op->args[0])[0]; }
__device__ inline bool slot_predicted(const Slot &s, long long query = blockIdx.z) {
  return !s.op->count || s.index < counts_of(*s.op->args[0], query)[1];
}
__device__ inline int slot_entity(const Run &q, const Slot &s, long long query = blockIdx.z) {
  return s.op->count ? ids_of(*s.op->args[0], query)[s.index] : constant_of(q, s.op->constant, query);
}
__device__ inline float *slot_row(const Slot &s, long long query = blockIdx.z) { return set_of(*s.op->result, s.index, query); }

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

// fit_scores writes inner products with the rows of all entities, for as many slots as a
// pass takes, of one query or several: the y coordinate of the grid says which. A warp takes
// some entities at a time.
template <typename Row> __device__ inline void fit_scores(const Model &m, const Run &q, const RowsCall &c) {
  float *queries = (float *)dynamic_shared(); // together × stride
  const long long all = c.scored * q.input->queries;
  for (long long first = blockIdx.y * c.together; first < all; first += gridDim.y * c.together) {
    __shared__ float *rows[FIT_TOGETHER];
    int count = 0;
    __syncthreads(); // nobody reads the queries before these any more
    for (long long i = first; i < first + c.together && i < all; i++) {
      const long long query = i / c.scored;
      const Slot &slot = c.slots[i % c.scored];
      if (!slot_predicted(slot, query)) continue;
      put_query<Row>(m, q, slot, query, queries + count * m.stride);
      if (threadIdx.x == 0) rows[count] = slot_row(slot, query);
      count++;
    }
    if (count == 0) continue;
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
      if (lane() % LANES == 0 && j < count && e < m.n) rows[j][e] = all * scale_of<Row>(m, e);
    }
  }
}

// fit_degrees turns the scores of a slot into degrees. A block takes a slot.
__device__ inline void fit_degrees(const Model &m, const Run &q, const RowsCall &c) {
  for (long long i = blockIdx.x; i < c.count; i += gridDim.x) {
    const Slot s = c.slots[i];
    if (!slot_there(s)) continue;
    const Truth &t = *s.op->truth;
    const bool negated = s.op->result->negated;
    const int r = relation_of(q, *s.op->result);
    const Tails tails = tails_of(m, slot_entity(q, s), r);
    float *row = slot_row(s);
    const float none = negated ? negated_degree(t, 0.f) : 0.f, one = negated ? negated_degree(t, 1.f) : 1.f;
    if (slot_predicted(s)) {
      const float by = (float)(1 / (t.temperature * (t.factors ? t.factors[r] : 1.)));
      float top = -INFINITE, sum = 0, mass = 0;
      for (long long e = threadIdx.x; e < m.n; e += blockDim.x) top = fmaxf(top, row[e]);
      top = block_max(top);
      for (long long e = threadIdx.x; e < m.n; e += blockDim.x) sum += expf((row[e] - top) * by);
      sum = block_sum(sum);
      double scale = max(1, tails.hi - tails.lo);
      if (t.mass && tails.hi > tails.lo) {
        for (int k = tails.lo + threadIdx.x; k < tails.hi; k += blockDim.x) mass += expf((row[m.tails[k]] - top) * by);
        scale /= fmax(1e-6, (double)(block_sum(mass) / sum));
      }
      scale /= sum;
      for (long long e = threadIdx.x; e < m.n; e += blockDim.x) {
        const float p = fminf(LARGEST_DEGREE, (float)(scale * (double)expf((row[e] - top) * by)));
        const float d = (double)p < t.threshold ? 0.f : p;
        row[e] = negated ? negated_degree(t, d) : d;
      }
    } else {
      for (long long e = threadIdx.x; e < m.n; e += blockDim.x) row[e] = none;
    }
    __syncthreads();
    for (int k = tails.lo + threadIdx.x; k < tails.hi; k += blockDim.x) row[m.tails[k]] = one;
    if (threadIdx.x == 0) row[m.n] = none;
  }
}
