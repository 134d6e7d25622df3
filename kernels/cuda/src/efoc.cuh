// All that generated kernels are made of.
#pragma once

#include "model.cuh"
#include "rows.cuh"
#include "fuzzy.cuh"
#include "sweep.cuh"
#include "correct.cuh"
#include "batch.cuh"
#include "top.cuh"
