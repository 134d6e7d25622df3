// What CUDA C++ kernels need to run on a processor: the threads of a block take
// turns as fibers of one thread, blocks follow one another, and those of a cluster, each in a
// thread, at every barrier. It is included before the kernels, by the compiler's -include.
#pragma once

#include <math.h>
#include <setjmp.h>
#include <string.h>

#include <algorithm>

#define EFOC_EMULATED
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ inline
#define __shared__ static thread_local // one block of a cluster runs in each
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))

using std::max;
using std::min;

struct dim3 {
  unsigned x, y, z;
};
struct uint2 {
  unsigned x, y;
};
struct float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
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
int cluster_rank();
int cluster_size();
void cluster_barrier();
const float4 *dynamic_shared_of(int rank);
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
inline int atomicAdd(int *at, int x) { // one thread runs at a time
  const int before = *at;
  *at += x;
  return before;
}
inline unsigned __ballot_sync(unsigned, bool x) {
  const unsigned char *all = exchange(&x, sizeof x);
  unsigned bits = 0;
  for (int l = 0; l < 32; l++) bits |= (unsigned)from_lane<bool>(all, l) << l;
  return bits;
}

// tf32 rounds to numbers of 11 significant bits, the nearest one, ties away from 0.
inline unsigned tf32(float x) {
  const unsigned bits = __float_as_uint(x);
  return (x == x ? bits + 0x1000 : bits | 0x400000) & 0xffffe000u;
}

// mma as the PTX manual spreads m16n8k8 over the lanes of a warp. Sums are cut off, not
// rounded, as tensor cores do.
inline void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  struct {
    unsigned a[4], b[2];
  } mine;
  memcpy(mine.a, a, sizeof mine.a), memcpy(mine.b, b, sizeof mine.b);
  const unsigned char *all = exchange(&mine, sizeof mine);
  const int lane = threadIdx.x & 31;
  for (int i = 0; i < 4; i++) {
    const int row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
    double sum = c[i];
    for (int k = 0; k < 8; k++) {
      const auto left = from_lane<decltype(mine)>(all, row % 8 * 4 + k % 4);
      const auto right = from_lane<decltype(mine)>(all, column * 4 + k % 4);
      sum += (double)__uint_as_float(left.a[row / 8 + 2 * (k / 4)]) * (double)__uint_as_float(right.b[k / 4]);
    }
    c[i] = (float)sum;
    if (fabs((double)c[i]) > fabs(sum)) c[i] = nextafterf(c[i], 0.f);
  }
}

template <int BYTES> inline void copy_async(void *to, const void *from, int bytes) {
  memcpy(to, from, bytes);
  memset((char *)to + bytes, 0, BYTES - bytes);
}
inline void copies_end() {}
inline void copies_wait() {}
// Kernels follow one another.
inline void after_previous() {}
