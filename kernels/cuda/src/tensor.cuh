// Tensor cores, and copies that go on beside other work. Numbers in float16 go in pairs,
// the first one in the lower bits.
#pragma once

#include "model.cuh"

#ifndef EFOC_EMULATED
// halves rounds two numbers to float16, to the nearest, ties to even.
__device__ inline unsigned halves(float first, float second) {
  unsigned y;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(second), "f"(first));
  return y;
}

// widen_halves makes float32 of them.
__device__ inline float2 widen_halves(unsigned x) {
  float2 y;
  asm("{.reg .f16 a, b;\n\tmov.b32 {a, b}, %2;\n\tcvt.f32.f16 %0, a;\n\tcvt.f32.f16 %1, b;}" : "=f"(y.x), "=f"(y.y) : "r"(x));
  return y;
}

// mma adds the product of a 16×16 and a 16×8 tile to c, each spread over a warp.
__device__ inline void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// read_tiles reads four tiles of 8 rows of 16 bytes from shared memory: lane l says where
// row l % 8 of tile l / 8 is, and gets the four bytes l % 4 of row l / 4 of each.
__device__ inline void read_tiles(unsigned (&x)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"((unsigned)__cvta_generic_to_shared(row))
               : "memory");
}

// copy_async copies 16 bytes to shared memory, or puts 0 there, and goes on.
__device__ inline void copy_async(void *to, const void *from, bool copies) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(copies ? 16 : 0)
               : "memory");
}
// Copies between two calls of copies_end are one group; copies_wait waits for all groups of
// this thread but the LAST ones.
__device__ inline void copies_end() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LAST> __device__ inline void copies_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(LAST) : "memory"); }
#endif
