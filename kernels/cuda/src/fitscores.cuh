// Scores of rows of truth degrees: passes over the entity table for one query, products on tensor cores for a batch.
#pragma once

#include "batch.cuh"
#include "fitrows.cuh"

// Rows that a pass makes at once, and entities that a warp multiplies with them.
#define FIT_TOGETHER 8
#define FIT_ENTITIES 2

// put_query writes what the table is multiplied with for the row of a slot: r⊗E_h. The threads of a
// block share the numbers.
template <typename Row> __device__ inline void put_query(const Model &m, const Run &q, const Slot &s, float *to) {
  const long long e = slot_entity(q, s), d = m.width / 2;
  const Constant<Row> x = {(const Row *)m.entities + e * m.stride, scale_of<Row>(m, e)};
  const float *r = m.relations + relation_of(q, *s.op->result) * m.stride;
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
// slots of one query as a pass takes: the y coordinate of the grid says which. A warp takes some entities at a time.
template <typename Row> __device__ inline void fit_scores(const Model &m, const Run &q, const RowsCall &c) {
  float *queries = (float *)dynamic_shared(); // together × stride
  for (long long first = blockIdx.y * c.together; first < c.scored; first += gridDim.y * c.together) {
    __shared__ Scored slots[FIT_TOGETHER];
    __shared__ float2 seen[FIT_TOGETHER][MAP_THREADS / 32 * FIT_ENTITIES]; // by one lane
    int count = 0;
    __syncthreads(); // nobody reads the queries before these any more
    for (long long i = first; i < first + c.together && i < c.scored; i++) {
      const Slot &slot = c.slots[i];
      if (!slot_predicted(slot)) continue;
      put_query<Row>(m, q, slot, queries + count * m.stride);
      if (threadIdx.x == 0) slots[count] = {c.scores_of(i), c.stats_of(i) + blockIdx.x, sharpness(q, slot)};
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

// fit_pack packs what products multiply the table with, a block the row of one slot for one query: 0 if there is none.
template <typename Row> __device__ inline void fit_pack(const Model &m, const Run &q, const RowsCall &c) {
  float *room = (float *)dynamic_shared(); // a row
  const Slot &slot = c.slots[blockIdx.x];
  const bool has = slot_predicted(slot);
  if (has) put_query<Row>(m, q, slot, room);
  __syncthreads();
  PackedRow(c.packed, blockIdx.x * q.input->queries + blockIdx.z, m.stride).put([&](int k) {
    return has && k < m.stride ? *(const float4 *)(room + k) : make_float4(0, 0, 0, 0);
  });
}

// fit_products makes scores: each block those of 128 packed rows and as many entities.
template <typename Row> __device__ inline void fit_products(const Model &m, const Run &q, const RowsCall &c) {
  const int asked = (int)q.input->queries, rows = (int)c.scored * asked, across = tiles(c.scored * q.batch), first = blockIdx.x % across * TILE;
  if (first >= rows) return;
  multiply<Row>(m, PackedRow(c.packed, first, m.stride), rows - first, blockIdx.x / across * (long long)TILE, PRODUCT, [&](int row) -> float * {
    const int slot = (first + row) / asked, query = (first + row) % asked;
    return slot_predicted(c.slots[slot], query) ? c.scores_of(slot, query) : nullptr;
  });
}
