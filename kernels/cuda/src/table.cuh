// The kernels that all plans share, for tables whose numbers are of type NUMBER: passes over the entity table, and
// rankings. The third argument of a kernel says what of the plan it makes.
#pragma once

#include "batch.cuh"
#include "fitscores.cuh"
#include "scores.cuh"
#include "top.cuh"

#define KERNEL(name, threads) extern "C" __global__ void __launch_bounds__(threads) efoc_##name(ARGUMENTS)

// Of scores the argument is the first one, and from bit 32 on their number.
__device__ inline int first_of(long long argument) { return (int)argument; }
__device__ inline int count_of(long long argument) { return (int)(argument >> 32); }

// For one query: scores, and sums of rows, of which the argument is the first one.
KERNEL(scores, MAP_THREADS) { make_scores<NUMBER>(Query(m, q), q.scores + first_of(argument), count_of(argument)); }
KERNEL(sum, MAP_THREADS) {
  const int slices = slices_of(m);
  sum_rows<NUMBER>(Query(m, q), q.sums[argument + blockIdx.z / slices], blockIdx.z % slices);
}

// For a batch: scores in three kernels, and one sum of rows in three.
KERNEL(batch_pack, BATCH_THREADS) {
  const Query t(m, q);
  if (t.begin()) pack<NUMBER>(t, first_of(argument));
}
KERNEL(batch_products, BATCH_THREADS) { products<NUMBER>(m, q, first_of(argument), count_of(argument)); }
KERNEL(batch_stats, MAP_THREADS) {
  const Query t(m, q);
  if (t.begin()) stat_scores(t, q.scores[first_of(argument) + blockIdx.z]);
}
KERNEL(batch_weights, BATCH_THREADS) {
  const Query t(m, q);
  if (t.begin()) pack_weights<NUMBER>(t, q.sums[argument]);
}
KERNEL(batch_sums, BATCH_THREADS) { sums<NUMBER>(m, q, q.sums[argument].embedding); }
KERNEL(batch_combine, MAP_THREADS) {
  const Query t(m, q);
  if (t.begin()) combine(t, q.sums[argument].embedding, blockIdx.z, (int)q.splits);
}

// Scores of rows of truth degrees: of one query, and in two kernels of a batch. The argument is their RowsCall.
#define ROWS_OF(argument) *(const RowsCall *)argument
KERNEL(fit_scores, MAP_THREADS) { fit_scores<NUMBER>(m, q, ROWS_OF(argument)); }
KERNEL(fit_pack, BATCH_THREADS) {
  if (asked(q)) fit_pack<NUMBER>(m, q, ROWS_OF(argument));
}
KERNEL(fit_products, BATCH_THREADS) { fit_products<NUMBER>(m, q, ROWS_OF(argument)); }

// A pass of the ranking of the answer, and of the fuzzy sets.
KERNEL(top, TOP_THREADS) {
  const Query t(m, q);
  if (t.begin()) top(t, q.lists[blockIdx.z], argument);
}
