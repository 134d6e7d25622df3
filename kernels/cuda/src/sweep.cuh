// One pass over the entity table: scores, and sums of rows.
#pragma once

#include "rows.cuh"

// A block takes rows_at_once rows at a time; each of its threads holds
// CHUNKS × 4 coordinates of them. A pass of up to 512 threads has room for rank 2048.
#define CHUNKS 2
#define PASS_THREADS 512

// put_partial writes a block's sum of rows, of which each thread has CHUNKS × 4 coordinates.
__device__ inline void put_partial(const Query &t, int number, const float4 (&acc)[CHUNKS]) {
#pragma unroll
  for (int c = 0; c < CHUNKS; c++) {
    const int at = 4 * (threadIdx.x + c * blockDim.x);
    if (at < (int)t.m.stride) *(float4 *)(t.partial(number, blockIdx.x) + at) = acc[c];
  }
}

// Weigh is how a row counts in a sum: weight·exp(exponent − largest exponent).
struct Weigh {
  float exponent, weight;
};

// Sweep is a pass that makes S scores and G sums. Rows stay in registers between
// the two, as they were in memory: an estimate is summed while its scores are made, relative
// to the largest exponent so far (online softmax). AHEAD of their use the next rows are on
// their way meanwhile; the first ones are before anything else happens. LOOPS and COSINES
// are bits of scores.
template <typename Row, int S, int G, unsigned LOOPS, unsigned COSINES> struct Sweep : Query {
  static constexpr int ROWS = rows_at_once(Row(), G);
  static constexpr bool AHEAD = G > 0; // without sums a block waits less, and more blocks are resident
  typedef typename Four<Row>::type Packed;
  // Shared memory.
  float *queries; // S × stride
  float *parts;   // 2 × warps × ROWS × S
  float lengths[S > 0 ? S : 1];
  int vectors[S > 0 ? S : 1], stats[S + G], sums[G > 0 ? G : 1];
  Packed next[ROWS][CHUNKS];
  float nextScale; // of row lane()

  __device__ Sweep(const Model &m, const Run &q) : Query(m, q) {
    queries = (float *)dynamic_shared();
    parts = queries + S * m.stride;
    if (first() < m.n) fetch(first());
  }

  // project sets what score i multiplies rows with to ±r⊗x.
  template <typename X> __device__ void project(int i, const X &x, int relation, Direction way, Sign sign) {
    put_projected(*this, x, relation, way, sign, query(i));
  }
  template <typename X> __device__ void plain(int i, const X &x) { put_plain(*this, x, query(i)); }
  __device__ void loop(int i, int relation, Sign sign) { put_looped(*this, relation, sign, query(i)); }
  // into sets the vector that score i goes to, and the stat of its softmax, -1 for none.
  __device__ void into(int i, int vector, int stat) { vectors[i] = vector, stats[i] = stat; }
  __device__ void sum(int i, int number, int stat) { sums[i] = number, stats[S + i] = stat; }

  __device__ To query(int i) const { return {queries + i * m.stride}; }

  // The rows from first on, as many as ROWS, are this block's; then those a stride on.
  __device__ int first() const { return blockIdx.x * ROWS; }
  // has reports whether this thread has coordinates at(chunk) and on of a chunk.
  __device__ bool has(int chunk) const { return at(chunk) < (int)m.stride; }
  __device__ int at(int chunk) const { return 4 * (threadIdx.x + chunk * blockDim.x); }

  // fetch starts to read the rows from low on. Where there are none, or no coordinates,
  // others are read, and not used.
  __device__ void fetch(int low) {
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const Row *row = (const Row *)m.entities + min(low + r, (int)m.n - 1) * m.stride;
#pragma unroll
      for (int c = 0; c < CHUNKS; c++) next[r][c] = load(row + (has(c) ? at(c) : 0));
    }
    nextScale = scale_of<Row>(m, min(low + lane(), (int)m.n - 1));
  }

  // pass makes a pass without sums.
  __device__ void pass() {
    pass([](int, const float *, Weigh *) {});
  }
  // This makes one with sums: weigh(e, scores, weighs) sets the weights of row e in the sums.
  template <typename F> __device__ void pass(const F &weigh) {
    float4 acc[G > 0 ? G : 1][CHUNKS];
    float top[G > 0 ? G : 1], mass[G > 0 ? G : 1];
    float2 seen[S > 0 ? S : 1]; // of the scores of this lane's rows
    for (int g = 0; g < G; g++) {
      top[g] = -INFINITE, mass[g] = 0;
      for (int c = 0; c < CHUNKS; c++) acc[g][c] = make_float4(0, 0, 0, 0);
    }
    for (int s = 0; s < S; s++) seen[s] = no_stat();
    __syncthreads(); // the queries are there
    measure();
    const int n = (int)m.n, step = gridDim.x * ROWS;
    int turn = 0;
    for (int low = first(); low < n; low += step, turn ^= 1) {
      Packed x[ROWS][CHUNKS];
#pragma unroll
      for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) x[r][c] = next[r][c];
      const float scale = nextScale;
      if (AHEAD && low + step < n) fetch(low + step);
      float score[S > 0 ? S : 1]; // of row lane()
      if (S > 0) multiply(x, scale, score, turn);
      const int e = low + lane();
      const bool mine = lane() < ROWS && e < n;
      if (mine && warp() == 0)
        for (int s = 0; s < S; s++) {
          const float value = COSINES >> s & 1 ? cosine(s, score[s], e) : score[s];
          vector(vectors[s])[e] = value;
          seen[s] = merge(seen[s], make_float2(value, 1.f));
        }
      if (!AHEAD && low + step < n) fetch(low + step);
      if (G == 0) continue;
      Weigh w[G > 0 ? G : 1];
      for (int g = 0; g < G; g++) w[g] = {-INFINITE, 0.f};
      if (mine) weigh(e, score, w);
#pragma unroll
      for (int g = 0; g < G; g++) {
        const float largest = fmaxf(top[g], warp_max(w[g].exponent));
        const float factor = mine ? w[g].weight * expf(w[g].exponent - largest) : 0.f;
        if (largest != top[g]) {
          const float by = expf(top[g] - largest);
          mass[g] *= by;
#pragma unroll
          for (int c = 0; c < CHUNKS; c++) scale4(acc[g][c], by);
        }
        top[g] = largest, mass[g] += factor;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
          const float f = __shfl_sync(ALL_LANES, factor * scale, r);
#pragma unroll
          for (int c = 0; c < CHUNKS; c++) add4(acc[g][c], f, widen(x[r][c]));
        }
      }
    }
    float2 made[S + G];
    for (int s = 0; s < S; s++) made[s] = warp_merge(seen[s]); // the first warp's are the block's
    for (int g = 0; g < G; g++) made[S + g] = make_float2(top[g], warp_sum(mass[g]));
    if (threadIdx.x == 0)
#pragma unroll
      for (int i = 0; i < S + G; i++)
        if (stats[i] >= 0) stat(stats[i])[blockIdx.x] = made[i];
    for (int g = 0; g < G; g++) put_partial(*this, sums[g], acc[g]);
  }

  // measure computes the lengths of the embeddings that cosines are taken of.
  __device__ void measure() {
    for (int s = 0; s < S; s++) {
      lengths[s] = 0;
      if (!(COSINES >> s & 1)) continue;
      float sum = 0;
      for (int k = threadIdx.x; k < (int)m.stride; k += blockDim.x) sum += queries[s * m.stride + k] * queries[s * m.stride + k];
      lengths[s] = sqrtf(block_sum(sum));
    }
  }

  // multiply leaves the scores of row r with lane r of every warp. scale is that of row
  // lane().
  __device__ void multiply(const Packed (&x)[ROWS][CHUNKS], float scale, float *score, int turn) {
    float *part = parts + turn * warps() * ROWS * S;
    const int row = lane() / (32 / ROWS); // whose sum this lane gets
#pragma unroll 1 // the body is long
    for (int s = 0; s < S; s++) {
      float dots[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; r++) dots[r] = 0;
#pragma unroll
      for (int c = 0; c < CHUNKS; c++) {
        const float4 by = has(c) ? *(const float4 *)(queries + s * m.stride + at(c)) : make_float4(0, 0, 0, 0);
#pragma unroll
        for (int r = 0; r < ROWS; r++) dots[r] += LOOPS >> s & 1 ? dot4_squares(by, widen(x[r][c])) : dot4(by, widen(x[r][c]));
      }
      const float all = warp_sums(dots);
      if (lane() % (32 / ROWS) == 0) part[(warp() * ROWS + row) * S + s] = all;
    }
    __syncthreads();
    for (int s = 0; s < S; s++) {
      score[s] = 0;
      if (lane() >= ROWS) continue;
#pragma unroll 4
      for (int w = 0; w < warps(); w++) score[s] += part[(w * ROWS + lane()) * S + s];
      score[s] *= LOOPS >> s & 1 ? scale * scale : scale;
    }
  }

  // cosine turns an inner product with row e into a cosine, 0 for zero vectors.
  __device__ float cosine(int s, float product, int e) const {
    const float by = lengths[s] * __ldg(m.norms + e);
    return by > 0 ? product / by : 0.f;
  }
};

// Coordinates are combined in slices, each by one block.
#define SLICE 128
__device__ inline int slices_of(const Model &m) { return ((int)m.stride + SLICE - 1) / SLICE; }

// combine_slice adds the partial sums of a pass, each relative to its own largest exponent, in
// one slice: dst = Σ_b exp(top_b − top)·partial_b. Each warp takes some of the parts, which it reads
// at once; the first one has the sums.
__device__ __noinline__ void combine_slice(const Model &m, const Run &q, int slice, int dst, int number, int stat, int blocks) {
  __shared__ float4 part[MAP_THREADS / 32][32];
  const Query t(m, q);
  const int atOnce = 4, stride = (int)m.stride, k = slice * SLICE + 4 * lane();
  const float2 all = stat < 0 ? make_float2(0, 0) : t.softmax_stat(stat, blocks);
  float4 sum = make_float4(0, 0, 0, 0);
  if (k < stride)
    for (int low = warp(); low < blocks; low += atOnce * warps()) {
      float4 x[atOnce];
      float by[atOnce];
#pragma unroll
      for (int i = 0; i < atOnce; i++) {
        const int b = min(low + i * warps(), blocks - 1);
        x[i] = *(const float4 *)(t.partial(number, b) + k);
        by[i] = stat < 0 ? 0.f : t.stat(stat)[b].x;
      }
#pragma unroll
      for (int i = 0; i < atOnce; i++) {
        const float factor = low + i * warps() < blocks ? expf(by[i] - all.x) : 0.f;
        if (factor > 0) add4(sum, factor, x[i]);
      }
    }
  __syncthreads(); // nobody reads the parts of the slice before any more
  part[warp()][lane()] = sum;
  __syncthreads();
  if (warp() != 0 || k >= stride) return;
#pragma unroll 8
  for (int w = 1; w < warps(); w++) add4(sum, 1.f, part[w][lane()]);
  *(float4 *)(t.embedding(dst) + k) = sum;
}

// each_slice calls f for the slices of sum i of a step that this block combines: the blocks take
// the slices of all sums in turn.
template <typename F> __device__ inline void each_slice(const Model &m, int i, const F &f) {
  const int slices = slices_of(m), blocks = (int)gridDim.x;
  for (int slice = ((int)blockIdx.x + blocks - i * slices % blocks) % blocks; slice < slices; slice += blocks) f(slice);
}

// combine adds the partial sums of sum i of a step, which so many blocks have made.
__device__ inline void combine(const Query &t, int i, int dst, int number, int stat, int blocks) {
  each_slice(t.m, i, [&](int slice) { combine_slice(t.m, t.q, slice, dst, number, stat, blocks); });
}
