// What tensor.cuh declares, for the emulated device. The process defines the functions.
#pragma once

extern "C" {
unsigned halves(float first, float second);
float2 widen_halves(unsigned x);
void mma_f16(float *c, const unsigned *a, const unsigned *b);
void read_tiles_at(unsigned *x, const void *row);
// Copies are made as late as they may be: when their thread waits for them.
void copy_async(void *to, const void *from, bool copies);
void copies_end();
void copies_wait_for(int last);
}
inline void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) { mma_f16(c, a, b); }
inline void read_tiles(unsigned (&x)[4], const void *row) { read_tiles_at(x, row); }
template <int LAST> inline void copies_wait() { copies_wait_for(LAST); }
