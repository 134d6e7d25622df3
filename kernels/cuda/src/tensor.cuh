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

__device__ inline unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
#endif

// Warp groups of 128 threads multiply by themselves in code for compute capability 9.0 alone.
#if !defined(EFOC_EMULATED) && defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define WARP_GROUPS 1
#endif
#ifndef WARP_GROUPS
#define WARP_GROUPS 0
#endif

#if WARP_GROUPS && !defined(EFOC_EMULATED)
// group_sees makes what this thread has copied to shared memory visible to the products of
// warp groups, after a barrier.
__device__ inline void group_sees() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// group_begin comes before products whose registers were written by other instructions,
// group_wait waits for them all.
__device__ inline void group_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void group_wait() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// group_mma begins to add the product of a 64×16 and a 16×64 tile to c, or to set it where
// it does not ADD: each warp has 16 rows, as mma has them, and the other tile is in shared
// memory.
template <bool ADD> __device__ inline void group_mma(float (&c)[8][4], const unsigned (&a)[4], unsigned long long b) {
#define FOUR(j) "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
  asm volatile("{.reg .pred p;\n\tsetp.ne.b32 p, %37, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
               "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
               "{%32,%33,%34,%35}, %36, p, 1, 1, 0;}"
               : FOUR(0), FOUR(1), FOUR(2), FOUR(3), FOUR(4), FOUR(5), FOUR(6), FOUR(7)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(ADD));
#undef FOUR
}
#endif

// group_tile describes a tile of group_mma: rows of 64 bytes, of one column's 32 numbers each,
// whose 16 bytes number p are in place p ^ row/2 % 4. The first row is at a multiple of 512,
// and 16 numbers further 32 bytes on. Bits: 0-13 the address and 32-45 the bytes from eight
// rows to the next eight, both by 16; 16-29 is not used; 62-63 is 2 for this order.
__device__ inline unsigned long long group_tile(const void *rows) {
  return (shared_address(rows) & 0x3ffff) >> 4 | 1ull << 16 | (8 * 64 >> 4) * (1ull << 32) | 2ull << 62;
}
