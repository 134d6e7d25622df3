// What CUDA C++ kernels need to run on a processor: the threads of a block take turns as fibers of one
// thread. Blocks follow one another, but those of a cooperative launch are threads side by side. It is
// included before the kernels, by the compiler's -include.
#pragma once

#include <math.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#define EFOC_EMULATED
#define WARP_ROW 4 // small models have such rows
#define BLOCK_ROW 10
#define __global__
#define __device__
#define __host__
#define __noinline__ inline
#define __shared__ static __thread // of the process: a block has its own
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))

using std::max;
using std::min;

struct dim3 {
  unsigned x, y, z;
};
// Vectors are copied number by number: the race detector does not see a struct that is passed by value being read.
struct alignas(8) uint2 {
  unsigned x, y;
  uint2() = default;
  uint2(const uint2 &from) : x(from.x), y(from.y) {}
  uint2 &operator=(const uint2 &) = default;
};
struct alignas(8) float2 {
  float x, y;
  float2() = default;
  float2(float x, float y) : x(x), y(y) {}
  float2(const float2 &from) : x(from.x), y(from.y) {}
  float2 &operator=(const float2 &) = default;
};
struct alignas(16) float4 {
  float x, y, z, w;
  float4() = default;
  float4(float x, float y, float z, float w) : x(x), y(y), z(z), w(w) {}
  float4(const float4 &from) : x(from.x), y(from.y), z(from.z), w(from.w) {}
  float4 &operator=(const float4 &) = default;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

template <typename To, typename From> inline To bits_as(From x) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To y;
  memcpy(&y, &x, sizeof y);
  return y;
}
inline float __uint_as_float(unsigned x) { return bits_as<float>(x); }
inline float __int_as_float(int x) { return bits_as<float>(x); }
inline unsigned __float_as_uint(float x) { return bits_as<unsigned>(x); }
inline int __ffs(unsigned x) { return __builtin_ffs((int)x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
template <typename T> inline T __ldg(const T *p) { return *p; }
// __byte_perm picks four of the eight bytes of y and x, y's being the upper ones.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned which) {
  const unsigned long long all = (unsigned long long)y << 32 | x;
  unsigned out = 0;
  for (int i = 0; i < 4; i++) out |= (unsigned)(all >> 8 * (which >> 4 * i & 7) & 0xff) << 8 * i;
  return out;
}

// Of the fiber that runs, and its block. The process defines them.
extern "C" {
extern __thread dim3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
float4 *dynamic_shared();
void __syncthreads();
int __syncthreads_or(int x); // whether x is not 0 in some thread
void __syncwarp();
// exchange hands size bytes to the other lanes of the warp and returns those of all
// 32 of them, in slots of 32 bytes, until the next exchange but one.
const unsigned char *exchange(const void *mine, unsigned size);
}

template <typename T> inline T from_lane(const unsigned char *all, int lane) {
  T x;
  memcpy(&x, all + 32 * lane, sizeof x);
  return x;
}
template <typename T> inline T __shfl_sync(unsigned, T x, int lane) {
  return from_lane<T>(exchange(&x, sizeof x), lane & 31);
}
template <typename T> inline T __shfl_xor_sync(unsigned, T x, int by) {
  return from_lane<T>(exchange(&x, sizeof x), (threadIdx.x & 31) ^ by);
}
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __nanosleep(unsigned) { usleep(10); } // others need the processor
inline int atomicAdd(int *at, int x) { return __atomic_fetch_add(at, x, __ATOMIC_SEQ_CST); }
inline unsigned __ballot_sync(unsigned, bool x) {
  const unsigned char *all = exchange(&x, sizeof x);
  unsigned bits = 0;
  for (int l = 0; l < 32; l++) bits |= (unsigned)from_lane<bool>(all, l) << l;
  return bits;
}

#include "tensor.h"

// efoc_own is an address in a module's static shared memory.
#ifndef EFOC_HOST
static __thread char own;
extern "C" __attribute__((used)) char *efoc_own() { return &own; }
#endif
