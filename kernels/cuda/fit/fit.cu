// The kernels of truth degrees. All plans share them: what an op reads and writes is in
// memory, where the third argument says.

#include "fitpush.cuh"
#include "fitrows.cuh"
#include "fitselect.cuh"
#include "top.cuh"

#define FIT_KERNEL(name, threads, call)                                                                                      \
  extern "C" __global__ void __launch_bounds__(threads) efoc_##name(ARGUMENTS) {                                        \
    const Op &op = *(const Op *)argument;                                                                                    \
    if (asked(q)) call;                                                                                                                \
  }

FIT_KERNEL(fit_any, 256, fit_any(m, op))
FIT_KERNEL(fit_except, 256, fit_except(m, q, op))
FIT_KERNEL(fit_selected, 256, fit_selected(m, q, op))
FIT_KERNEL(fit_others, 256, fit_others(m, op))
FIT_KERNEL(fit_times, 256, fit_times(m, op))
FIT_KERNEL(fit_either, 256, fit_either(m, op))
FIT_KERNEL(fit_each, 256, fit_each(m, op))
FIT_KERNEL(fit_follow, 256, fit_follow(m, op))
FIT_KERNEL(fit_join, 256, fit_join(m, op))
FIT_KERNEL(fit_diagonal, 256, fit_diagonal(m, q, op))
FIT_KERNEL(fit_dense, 256, fit_dense(m, op))
FIT_KERNEL(fit_mixture, 256, fit_mixture(m, op))
FIT_KERNEL(fit_push, 256, fit_push(m, q, op, nullptr))
FIT_KERNEL(fit_narrow, 256, fit_narrow(m, q, op))
FIT_KERNEL(fit_extremes, 1024, fit_extremes(m, op))
FIT_KERNEL(fit_peak, 256, fit_peak(m, op))
FIT_KERNEL(fit_other, 256, fit_other(m, op))
FIT_KERNEL(fit_leaf, 256, fit_leaf(m, q, op))
FIT_KERNEL(fit_candidates_part, 1024, fit_candidates_part(m, op))
FIT_KERNEL(fit_branches_part, 1024, fit_branches_part(m, q, op))
FIT_KERNEL(fit_best, 1024, fit_best(m, op, true))
FIT_KERNEL(fit_every, 1024, fit_best(m, op, true))
FIT_KERNEL(fit_values, 1024, fit_best(m, op, false))
FIT_KERNEL(fit_branch, 1024, fit_branch(m, q, op))

#define FIT_ROWS(name, threads, call)                                                                                        \
  extern "C" __global__ void __launch_bounds__(threads) efoc_##name(ARGUMENTS) {                                        \
    const RowsCall &rows = *(const RowsCall *)argument;                                                                      \
    if (asked(q)) call;                                                                                                                \
  }

FIT_ROWS(fit_stats, 256, fit_stats(m, q, rows))
FIT_ROWS(fit_degrees, 256, fit_degrees(m, q, rows))

// Ranking mirrors device.rankingHeader: a pass of the ranking of vectors.
struct Ranking {
  const int *lists;
  long long pass;
};

extern "C" __global__ void __launch_bounds__(TOP_THREADS) efoc_fit_top(ARGUMENTS) {
  const Ranking &r = *(const Ranking *)argument;
  const Query query(m, q);
  if (query.begin()) top(query, r.lists[blockIdx.z], r.pass);
}
