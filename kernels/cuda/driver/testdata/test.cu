#include "model.cuh"

extern "C" __global__ void first(const Model *m, const Run *q, long long x) { ((long long *)q)[threadIdx.x] += x; }

extern "C" __global__ void second(const Model *m, const Run *q, long long x) {
  dynamic_shared()[threadIdx.x].x = 1;
  ((long long *)q)[threadIdx.x] *= x;
}
