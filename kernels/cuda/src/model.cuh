// The model and the run that kernels read, and sums over warps and blocks.
#pragma once

// Kernels take a Model and a Run by value: they are in constant memory, which costs no
// trip to global memory before the first useful one.

// Model mirrors device.modelHeader: what a device holds of a model. Every field
// takes eight bytes.
struct Model {
  long long n;              // entities
  long long width;          // 2d
  long long stride;         // numbers from row to row: width, rounded up to 16, the rest 0
  const void *entities;     // E, n × stride, float or i8
  const float *scales;      // of rows of i8, n
  const float *norms;       // ‖E_e‖, n
  const float *relations;   // W, 2|R| × stride
  const int *first;         // 2|R|+1: where the rows of each directed relation begin
  const int *heads;         // the entity of each row, ascending within a relation
  const int *starts;        // where the tails of each row begin, and their end
  const int *tails;         // ascending within a row
  double power;             // a power of 2 that numbers of E times it are below 2¹⁵; 1 of codes
};

// Input mirrors device.input: what differs from replay to replay.
struct Input {
  long long queries;        // of the batch that are asked
  double lambda, alpha, weight, epsilon;
};

// ScoreKind mirrors device.ScoreKind.
enum ScoreKind { PRODUCT, COSINE, LOOP };

// Score mirrors device.scoreHeader: how a pass scores entities, by rows of the table times an
// embedding, which a relation may project.
struct Score {
  int kind;
  int constant, embedding;         // the slot of an entity, or the number of an embedding; the other is -1
  int relation, backward, negated; // the slot of the relation, -1 for none
  int vector, stat;                // the scores, and the statistic of their softmax, -1 for none
};

// Sum mirrors device.sumHeader: an embedding is the sum of the table's rows, weighted by a vector.
struct Sum {
  int vector, embedding;
};

// Run mirrors device.runHeader: the memory of a plan. Vectors, embeddings and stats are numbered;
// each is there for every query of the batch.
struct Run {
  const Input *input;
  const int *arguments;     // batch × slots: constants, then directed relations, then numbers of filters
  const Score *scores;      // those of all passes
  const Sum *sums;
  const int *lists;         // the vectors that are ranked
  float *vectors;           // number × batch × vectorStride
  float *embeddings;        // number × batch × stride
  float2 *stats;            // number × batch × blocks: partial results of reductions
  float *partials;          // embedding × batch × blocks × stride: partial sums of rows
  int *counters;            // embedding × slices of it: blocks that have added up, 0 between launches
  int *barrier;             // blocks that wait for the others, 0 between launches, and how often all have
  void *packed, *states;    // number × batch rows, and batch ones, as PackedRow says: what passes
                            // and sums of rows of a batch multiply the table with
  unsigned long long *keys; // 2 × lists × batch × keyStride: candidates of rankings
  unsigned long long *best; // lists × batch × k: the best of each list, in order
  const float *filters;     // number × filterStride: to which degree entities meet a filter
  long long vectorStride, batch, blocks, slots, keyStride;
  long long mapBlocks, scoreBlocks, splits; // partial results of a step, of scores and of a sum of rows
  long long k;              // entities in a ranking
  long long constants, relations; // slots that are entities, and relations
  long long filterStride;
};

// filter_of returns the degrees to which entities meet the filter in a slot of a query. Behind them is the degree of
// unknown values.
__device__ inline const float *filter_of(const Run &q, long long slot, long long query) {
  return q.filters + q.arguments[query * q.slots + q.constants + q.relations + slot] * q.filterStride;
}

// ARGUMENTS are those of every kernel.
#define ARGUMENTS const __grid_constant__ Model m, const __grid_constant__ Run q, long long argument

enum Direction { FORWARD, BACKWARD };
enum Sign { POSITIVE, NEGATED };

#define MAP_THREADS 256 // at most, of a block that computes entity by entity, or reads the table for one query
#define ALL_LANES 0xffffffffu
#define INFINITE __int_as_float(0x7f800000)

#ifndef EFOC_EMULATED
__device__ inline float4 *dynamic_shared() {
  extern __shared__ float4 room[];
  return room;
}
#endif

__device__ inline int lane() { return threadIdx.x & 31; }
__device__ inline int warp() { return threadIdx.x >> 5; }
__device__ inline int warps() { return (blockDim.x + 31) >> 5; }

__device__ inline float warp_sum(float x) {
  for (int by = 16; by > 0; by >>= 1) x += __shfl_xor_sync(ALL_LANES, x, by);
  return x;
}

__device__ inline float warp_max(float x) {
  for (int by = 16; by > 0; by >>= 1) x = fmaxf(x, __shfl_xor_sync(ALL_LANES, x, by));
  return x;
}

// A softmax statistic: x is the largest number so far, y the sum of the exponentials
// relative to it, of by times the numbers.
__device__ inline float2 no_stat() { return make_float2(-INFINITE, 0.f); }

__device__ inline float2 merge(float2 a, float2 b, float by = 1.f) {
  const float top = fmaxf(a.x, b.x);
  if (top == -INFINITE) return no_stat();
  return make_float2(top, a.y * expf((a.x - top) * by) + b.y * expf((b.x - top) * by));
}

// warp_sums adds up N numbers of each lane of a warp, N a power of 2: lane l gets the sum
// of x[l/(32/N)]. In each step two lanes share the work: one goes on with the first half
// of the numbers, the other with the second.
template <int N, int BY = 16> __device__ inline float warp_sums(const float (&x)[N]) {
  if constexpr (N == 1) {
    float sum = x[0];
#pragma unroll
    for (int by = BY; by > 0; by /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, by);
    return sum;
  } else {
    const bool second = lane() & BY;
    float half[N / 2];
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
      const float other = __shfl_xor_sync(ALL_LANES, second ? x[i] : x[i + N / 2], BY);
      half[i] = (second ? x[i + N / 2] : x[i]) + other;
    }
    return warp_sums<N / 2, BY / 2>(half);
  }
}

// Functions that every kernel calls a few times are not inlined: kernels stay small
// enough to be compiled while a user waits.

__device__ __noinline__ float2 warp_merge(float2 s, float by = 1.f) {
  for (int apart = 16; apart > 0; apart >>= 1)
    s = merge(s, make_float2(__shfl_xor_sync(ALL_LANES, s.x, apart), __shfl_xor_sync(ALL_LANES, s.y, apart)), by);
  return s;
}

// block_sum returns the sum over a block's threads to all of them.
__device__ __noinline__ float block_sum(float x) {
  __shared__ float part[32];
  x = warp_sum(x);
  __syncthreads();
  if (lane() == 0) part[warp()] = x;
  __syncthreads();
  x = 0;
  for (int w = 0; w < warps(); w++) x += part[w];
  return x;
}

// block_max returns the largest number of a block's threads to all of them.
__device__ __noinline__ float block_max(float x) {
  __shared__ float part[32];
  x = warp_max(x);
  __syncthreads();
  if (lane() == 0) part[warp()] = x;
  __syncthreads();
  for (int w = 0; w < warps(); w++) x = fmaxf(x, part[w]);
  return x;
}

// merged brings partial statistics together; all lanes of a warp call it. The parts that a
// lane reads at once do not wait for one another.
__device__ __noinline__ float2 merged(const float2 *parts, int count, float by = 1.f) {
  const int atOnce = 12; // × 32: a pass of two or three blocks on each multiprocessor
  float2 s = no_stat();
  for (int b = lane(); b < count; b += 32 * atOnce) {
    float2 x[atOnce];
#pragma unroll
    for (int i = 0; i < atOnce; i++) x[i] = b + 32 * i < count ? parts[b + 32 * i] : no_stat();
    float top = x[0].x, sum = 0;
#pragma unroll
    for (int i = 1; i < atOnce; i++) top = fmaxf(top, x[i].x);
    if (top == -INFINITE) continue;
#pragma unroll
    for (int i = 0; i < atOnce; i++) sum += x[i].y * expf((x[i].x - top) * by);
    s = merge(s, make_float2(top, sum), by);
  }
  return warp_merge(s, by);
}

// put_merged writes the statistic of a block's threads. All of them call it.
__device__ __noinline__ void put_merged(float2 *to, float2 s, float by = 1.f) {
  __shared__ float2 part[32];
  s = warp_merge(s, by);
  __syncthreads();
  if (lane() == 0) part[warp()] = s;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < warps(); w++) s = merge(s, part[w], by);
  *to = s;
}

// Query is one query of the batch: that of this block. Kernels give queries the
// y coordinate of the grid.
struct Query {
  const Model &m;
  const Run &q;
  const int index;
  __device__ Query(const Model &m, const Run &q) : m(m), q(q), index(blockIdx.y) {}
  // begin reports whether the block's query is asked. Kernels of batches call it first.
  __device__ bool begin() const { return q.batch == 1 || index < q.input->queries; }
  __device__ int constant(int slot) const { return q.arguments[index * q.slots + slot]; }
  __device__ int relation(int slot) const { return q.arguments[index * q.slots + q.constants + slot]; }
  __device__ const float *filter(int slot) const { return filter_of(q, slot, index); }
  __device__ float *vector(int number) const { return q.vectors + (number * q.batch + index) * q.vectorStride; }
  __device__ float *embedding(int number) const { return q.embeddings + (number * q.batch + index) * m.stride; }
  __device__ float2 *stat(int number) const { return q.stats + (number * q.batch + index) * q.blocks; }
  __device__ float *partial(int embedding, int block) const {
    return q.partials + ((embedding * q.batch + index) * q.blocks + block) * m.stride;
  }

  // softmax_stat, sum_stat and top_stat bring the partial results of a reduction
  // together. All lanes of a warp call them.
  __device__ float2 softmax_stat(int number, int blocks) const { return merged(stat(number), blocks); }
  __device__ float sum_stat(int number) const {
    float s = 0;
#pragma unroll 4
    for (int b = lane(); b < q.mapBlocks; b += 32) s += stat(number)[b].y;
    return warp_sum(s);
  }
  __device__ float top_stat(int number) const {
    float s = -INFINITE;
#pragma unroll 4
    for (int b = lane(); b < q.mapBlocks; b += 32) s = fmaxf(s, stat(number)[b].x);
    return warp_max(s);
  }

  // put_stat writes this block's part of a reduction. All threads call it.
  __device__ void put_stat(int number, float2 s) const { put_merged(stat(number) + blockIdx.x, s); }
  __device__ void put_sum(int number, float x) const {
    x = block_sum(x);
    if (threadIdx.x == 0) stat(number)[blockIdx.x] = make_float2(0.f, x);
  }
  __device__ void put_top(int number, float x) const { put_stat(number, make_float2(x, 0.f)); }
};
