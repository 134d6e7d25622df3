// Passes of batches: matrix products on tensor cores, in TF32, numbers of 11 significant
// bits whose products are summed in float32. A float32 number is split into two of them,
//
//	x = high + low + rest,   |low| ≤ 2⁻¹¹·|x|,   |rest| ≤ 2⁻²²·|x|,
//
// and a product is taken to be high·high + high·low + low·high, which is off by 2⁻²² for
// low·low and by as much for each rest. Tensor cores cut off what float32 does not hold,
// by 2⁻²³ of a sum at most with each of the six products of a tile of 16, so tiles begin
// at 0 and are added with rounding, by 2⁻²⁴ of a sum each. A sum of w products is off by
//
//	(3·2⁻²² + 6·2⁻²³ + w/16·2⁻²⁴)·Σ|x·y|
//
// at most: 9·10⁻⁶·Σ|x·y| at rank 1000, where one of float32 products in order is off by
// up to 1.2·10⁻⁴. Numbers in bfloat16 and codes have no low part; what
// codes are multiplied with, their scales are too, before or afterwards.
#pragma once

#include "rows.cuh"

#define BATCH_THREADS 256
#define DEPTH 16 // of a tile
#define STAGES 3 // tiles in shared memory: one is multiplied while others are copied
// Distances of the rows of tiles at which a warp reads from different banks: of rows along
// the depth, and of rows across it.
#define PITCH_ALONG 20
#define PITCH_ACROSS 136

#ifndef EFOC_EMULATED
// tf32 rounds to the nearest, ties away from 0.
__device__ inline unsigned tf32(float x) {
  unsigned y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return y;
}

// mma adds the product of a 16×8 and an 8×8 tile to c, each spread over a warp.
__device__ inline void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// copy_async copies bytes of BYTES to shared memory, the others are 0, and goes on.
template <int BYTES> __device__ inline void copy_async(void *to, const void *from, int bytes) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);
  if (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(bytes) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(at), "l"(from), "r"(bytes), "n"(BYTES) : "memory");
}
// Copies between two calls of copies_end are one group; copies_wait waits for all groups
// but the last STAGES − 2.
__device__ inline void copies_end() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ inline void copies_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory"); }
#endif

// Pack writes the queries of a pass. One block packs those of one query of the batch.
template <typename Row> struct Pack : Query {
  __device__ Pack(const Model &m, const Run &q) : Query(m, q) {}
  template <typename X> __device__ void project(int i, const X &x, int relation, Direction way, Sign sign) const {
    put_projected(*this, x, relation, way, sign, query(i));
  }
  template <typename X> __device__ void plain(int i, const X &x) const { put_plain(*this, x, query(i)); }
  __device__ void loop(int i, int relation, Sign sign) const { put_looped(*this, relation, sign, query(i)); }
  // The query of a cosine is divided by its length.
  template <typename X> __device__ void cosine(int i, const X &x) const {
    float sum = 0;
    for (int k = threadIdx.x; k < m.width; k += blockDim.x) sum += x[k] * x[k];
    const float length = sqrtf(block_sum(sum));
    const To to = query(i);
    put_plain(*this, x, [&](int k, float y) { to(k, length > 0 ? y / length : 0.f); });
  }
  __device__ To query(int i) const { return {q.packed + (i * q.batch + index) * m.stride}; }
};

// copy_four starts to copy four numbers, those from count on being 0.
template <typename T> __device__ inline void copy_four(T *to, const T *from, long long count) {
  copy_async<4 * sizeof(T)>(to, from, (int)sizeof(T) * (int)max(0ll, min(4ll, count)));
}

// Square is the 32×32 corner of a product that a warp computes.
struct Square {
  float c[2][4][4];
  __device__ Square() {
#pragma unroll
    for (int i = 0; i < 32; i++) c[i / 16][i / 4 % 4][i % 4] = 0;
  }

  // add adds the product of two tiles: a(r, k) and b(k, j) are the numbers of this warp's
  // rows of the left one and columns of the right one. EXACT_A and EXACT_B say that they
  // are in TF32, without a low part.
  template <bool EXACT_A, bool EXACT_B, typename A, typename B> __device__ void add(const A &a, const B &b) {
    const int g = lane() >> 2, t = lane() & 3;
    Square sum;
#pragma unroll
    for (int k = 0; k < DEPTH; k += 8) {
      unsigned left[2][2][4], right[2][4][2]; // high and low parts
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int x = 0; x < 4; x++)
          split(EXACT_A, a(16 * i + g + 8 * (x & 1), k + t + 4 * (x >> 1)), left[0][i][x], left[1][i][x]);
#pragma unroll
      for (int j = 0; j < 4; j++)
#pragma unroll
        for (int x = 0; x < 2; x++) split(EXACT_B, b(k + t + 4 * x, 8 * j + g), right[0][j][x], right[1][j][x]);
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
          if (!EXACT_B) mma(sum.c[i][j], left[0][i], right[1][j]);
          if (!EXACT_A) mma(sum.c[i][j], left[1][i], right[0][j]);
          mma(sum.c[i][j], left[0][i], right[0][j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 32; i++) c[i / 16][i / 4 % 4][i % 4] += sum.c[i / 16][i / 4 % 4][i % 4];
  }
  static __device__ void split(bool exact, float x, unsigned &high, unsigned &low) {
    high = exact ? __float_as_uint(x) : tf32(x);
    low = exact ? 0 : tf32(x - __uint_as_float(high));
  }

  // each calls f(row, column, value) for this thread's numbers.
  template <typename F> __device__ void each(int row, int column, const F &f) const {
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
      for (int j = 0; j < 4; j++)
#pragma unroll
        for (int k = 0; k < 4; k++)
          f(row + 16 * i + (lane() >> 2) + 8 * (k >> 1), column + 8 * j + 2 * (lane() & 3) + (k & 1), c[i][j][k]);
  }
};

// over_tiles calls load(stage, tile) and then multiply(stage) for all tiles, which are
// loaded ahead.
template <typename Load, typename Multiply>
__device__ inline void over_tiles(long long tiles, const Load &load, const Multiply &multiply) {
#pragma unroll
  for (int ahead = 0; ahead < STAGES - 1; ahead++) {
    if (ahead < tiles) load(ahead, ahead);
    copies_end();
  }
  for (long long tile = 0; tile < tiles; tile++) {
    copies_wait();
    __syncthreads(); // the tile is there, and nobody reads the one before it any more
    const long long next = tile + STAGES - 1;
    if (next < tiles) load((int)(next % STAGES), next);
    copies_end();
    multiply((int)(tile % STAGES));
  }
}

// products computes score i of a pass for 64 queries and 128 entities:
// vector[e] = ⟨x, E_e⟩, over ‖E_e‖ for a cosine, of the squares for a loop.
template <typename Row>
__device__ __noinline__ void products(const Model &m, const Run &q, int i, int vector, bool cosine, bool loop) {
  after_previous();
  __shared__ __align__(16) Row rows[STAGES][128][PITCH_ALONG];
  __shared__ __align__(16) float queries[STAGES][64][PITCH_ALONG];
  const long long e0 = blockIdx.x * 128, q0 = blockIdx.y * 64, asked = q.input->queries;
  if (q0 >= asked) return;
  const int row = 32 * (warp() & 3), column = 32 * (warp() >> 2);
  Square sum;
  over_tiles(
      (m.stride + DEPTH - 1) / DEPTH,
      [&](int stage, long long tile) {
        const long long k0 = tile * DEPTH;
        for (int at = threadIdx.x; at < (128 + 64) * DEPTH / 4; at += BATCH_THREADS) {
          const int r = at / (DEPTH / 4), k = at % (DEPTH / 4) * 4;
          const long long left = m.stride - k0 - k;
          if (r < 128) {
            const bool in = e0 + r < m.n && left > 0;
            copy_four(&rows[stage][r][k], (const Row *)m.entities + (in ? (e0 + r) * m.stride + k0 + k : 0), in ? left : 0);
          } else {
            const bool in = q0 + r - 128 < asked && left > 0;
            copy_four(&queries[stage][r - 128][k], q.packed + (in ? (i * q.batch + q0 + r - 128) * m.stride + k0 + k : 0), in ? left : 0);
          }
        }
      },
      [&](int stage) {
        const auto b = [&](int k, int j) { return queries[stage][column + j][k]; };
        if (loop) {
          sum.template add<false, false>([&](int r, int k) {
            const float x = widen(rows[stage][row + r][k]);
            return x * x;
          }, b);
        } else
          sum.template add<sizeof(Row) < 4, false>([&](int r, int k) { return widen(rows[stage][row + r][k]); }, b);
      });
  sum.each(row, column, [&](int r, int c, float x) {
    const long long e = e0 + r, j = q0 + c;
    if (e >= m.n || j >= asked) return;
    const float scale = scale_of<Row>(m, e);
    x *= loop ? scale * scale : scale;
    if (cosine) x = m.norms[e] > 0 ? x / m.norms[e] : 0.f;
    q.vectors[(vector * q.batch + j) * q.vectorStride + e] = x;
  });
}

// embeds computes a share of Σ_e x[e]·E_e for 64 queries and 128 coordinates.
template <typename Row> __device__ __noinline__ void embeds(const Model &m, const Run &q, int vector, int number) {
  after_previous();
  __shared__ __align__(16) float weights[STAGES][64][PITCH_ALONG];
  __shared__ __align__(16) Row rows[STAGES][DEPTH][PITCH_ACROSS];
  __shared__ __align__(16) float scales[STAGES][DEPTH];
  const long long k0 = blockIdx.x * 128, q0 = blockIdx.y * 64, asked = q.input->queries;
  if (q0 >= asked) return;
  const int row = 32 * (warp() & 1), column = 32 * (warp() >> 1);
  const long long each = ((m.n + gridDim.z - 1) / gridDim.z + DEPTH - 1) / DEPTH * DEPTH;
  const long long lo = blockIdx.z * each, hi = min(m.n, lo + each);
  Square sum;
  over_tiles(
      lo < hi ? (hi - lo + DEPTH - 1) / DEPTH : 0,
      [&](int stage, long long tile) {
        const long long e0 = lo + tile * DEPTH;
        for (int at = threadIdx.x; at < (64 + 128) * DEPTH / 4; at += BATCH_THREADS) {
          if (at < 64 * DEPTH / 4) {
            const int r = at / (DEPTH / 4), e = at % (DEPTH / 4) * 4;
            const bool in = q0 + r < asked && e0 + e < hi;
            copy_four(&weights[stage][r][e], q.vectors + (in ? (vector * q.batch + q0 + r) * q.vectorStride + e0 + e : 0), in ? hi - e0 - e : 0);
          } else {
            const int e = (at - 64 * DEPTH / 4) / (128 / 4), k = (at - 64 * DEPTH / 4) % (128 / 4) * 4;
            const bool in = e0 + e < hi && k0 + k < m.stride;
            copy_four(&rows[stage][e][k], (const Row *)m.entities + (in ? (e0 + e) * m.stride + k0 + k : 0), in ? m.stride - k0 - k : 0);
          }
        }
        const int e = 4 * threadIdx.x;
        if (has_scale(Row()) && e < DEPTH) copy_four(&scales[stage][e], m.scales + (e0 + e < hi ? e0 + e : 0), hi - e0 - e);
      },
      [&](int stage) {
        const auto weight = [&](int r, int e) { return has_scale(Row()) ? weights[stage][row + r][e] * scales[stage][e] : weights[stage][row + r][e]; };
        sum.template add<false, sizeof(Row) < 4>(weight, [&](int e, int k) { return widen(rows[stage][e][column + k]); });
      });
  sum.each(row, column, [&](int r, int c, float x) {
    const long long j = q0 + r, k = k0 + c;
    if (j >= asked || k >= m.stride) return;
    q.partials[((number * q.batch + j) * q.blocks + blockIdx.z) * m.stride + k] = x;
  });
}
