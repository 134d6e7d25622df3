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
#define TABLE_KERNEL(name, threads, Row, type)                                            \
  extern "C" __global__ void __launch_bounds__(threads) name##_##type(ARGUMENTS) {        \
    name<Row>(m, q);                                                                      \
  }
#ifndef TABLE_KERNELS
#define TABLE_KERNELS(name, threads)       \
  TABLE_KERNEL(name, threads, float, f32) \
  TABLE_KERNEL(name, threads, bf16, bf16) \
  TABLE_KERNEL(name, threads, i8, i8)
#endif
