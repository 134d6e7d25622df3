// All that generated kernels are made of.
#pragma once

#include "model.cuh"
#include "rows.cuh"
#include "fuzzy.cuh"
#include "sweep.cuh"
#include "correct.cuh"
#include "batch.cuh"
#include "top.cuh"

// TABLE_KERNELS are the kernels of a template that reads the entity table, one for
// each type of its numbers.
#define TABLE_KERNELS(name, threads)                                                                          \
  extern "C" __global__ void __launch_bounds__(threads) name##_f32(const Model *m, const Run *q, long long) { \
    name<float>(*m, *q);                                                                                      \
  }                                                                                                           \
  extern "C" __global__ void __launch_bounds__(threads) name##_bf16(const Model *m, const Run *q, long long) { \
    name<bf16>(*m, *q);                                                                                       \
  }
