// One tile by warp groups and by warps, of numbers whose sums are exact: both must be
// equal. Counts of sums that differ and of all are added to two ints at the input.
#include "batch.cuh"

extern "C" __global__ void __launch_bounds__(BATCH_THREADS) groups(ARGUMENTS) {
  after_previous();
#if WARP_GROUPS
  // High parts are from -3 to 3, low ones 2^-13 times that: all sums have 22 bits.
  const auto number = [](int x) { return (float)((x * 40503 >> 4) % 7 - 3); };
  unsigned *room = (unsigned *)tiles_room();
  for (int at = threadIdx.x; at < PACKED_BYTES / 4; at += blockDim.x) {
    const float unit = at < PACKED_BYTES / 8 ? 1.f : 0x1p-13f;
    room[at] = halves(unit * number(2 * at), unit * number(2 * at + 1));
  }
  group_sees();
  __syncthreads();
  const auto table = [&](int s, float4 *x) {
    for (int i = 0; i < 4; i++) {
      const int at = 8 * ((threadIdx.x * 4 + i) * 2 + s);
      const auto y = [&](int v) { return number(at + v) + 0x1p-13f * number(at + v + 4); };
      x[i] = make_float4(y(0), y(1), y(2), y(3));
    }
  };
  const char *packed = (const char *)room + warp() / 4 * 64 * 2 * DEPTH;
  Sums one, other;
  one.add<false, false>(table, packed);
  other.add<false, true>(table, packed);
  int differ = 0;
  for (int i = 0; i < 64; i++) differ += one.c[i / 32][i / 4 % 8][i % 4] != other.c[i / 32][i / 4 % 8][i % 4];
  atomicAdd((int *)q.input, differ);
  atomicAdd((int *)q.input + 1, 64);
#endif
}
