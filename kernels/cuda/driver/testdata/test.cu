#include "model.cuh"

extern "C" __global__ void first(ARGUMENTS) {
  ((long long *)q.input)[threadIdx.x] += argument + m.n;
}

extern "C" __global__ void third(ARGUMENTS) {
  ((long long *)q.input)[2 + threadIdx.x] = argument;
}

extern "C" __global__ void second(ARGUMENTS) {
  dynamic_shared()[threadIdx.x].x = 1;
  ((long long *)q.input)[threadIdx.x] *= argument;
}
