// Passes of batches: matrix products on tensor cores, which multiply float16 numbers and
// add up in float32. A number of the table is scaled and split like those that packed.cuh
// packs. Of two pairs the product is taken to be high·high + high·low + low·high, which is
// off by 2⁻²² for low·low and by as much for each rest. Numbers in bfloat16 and codes of 8
// bits have no low part: two products do, and a rest less. Tensor cores cut off what float32
// does not hold, by 2⁻²³ of a sum at most for every eight products, which are 12 times in a
// tile of 32; tiles begin at 0 and are added with rounding, by 2⁻²⁴ of a sum each. A sum of
// w products is off by
//
//	(3·2⁻²² + 12·2⁻²³ + w/32·2⁻²⁴)·Σ|x·y|
//
// at most, 6·10⁻⁶·Σ|x·y| at rank 1000, where one of float32 products in order is off by up
// to 1.2·10⁻⁴; and by 2⁻³⁹ of the largest x for each y and of the largest y for each x,
// which is for numbers so much smaller than those that have their scale.
#pragma once

#include "packed.cuh"

#define TILE 128 // entities, or coordinates, and queries of a block
#define PACKED_BYTES (2 * TILE * DEPTH * 2) // of packed rows in a stage: high and low parts

// stages is how many tiles are in shared memory: one is multiplied while others are copied.
// Their bytes fit into what a block of compute capability 8.6 may have.
__device__ constexpr int stages(float) { return 3; }
__device__ constexpr int stages(i8) { return 4; }
template <typename Row> __device__ constexpr int stage_bytes() { return PACKED_BYTES + TILE * DEPTH * (int)sizeof(Row); }

// Sums are the 32 rows of a product that a warp computes, by 64 queries. This thread has
// rows lane/4, lane/4 + 8 and so on, as its fragments have them, of columns 2·(lane%4) and
// the one after it in each eight.
struct Sums {
  float c[2][8][4];
  __device__ Sums() {
#pragma unroll
    for (int i = 0; i < 64; i++) c[i / 32][i / 4 % 8][i % 4] = 0;
  }

  // add adds the product of a tile of the table and one of packed rows. table(s, x) sets
  // x[i] to what this thread has of row i of its four: numbers 16·s + 4·(lane%4) and on,
  // scaled. EXACT says that they are float16 numbers.
  template <bool EXACT, typename Table> __device__ void add(const Table &table, const char *packed) {
    Sums sum;
#pragma unroll
    for (int s = 0; s < DEPTH / 16; s++) {
      float4 x[4];
      unsigned high[2][4], low[2][4];
      table(s, x);
#pragma unroll
      for (int i = 0; i < 4; i++) {
        split<EXACT>(x[i].x, x[i].y, high[i / 2][i % 2], low[i / 2][i % 2]);
        split<EXACT>(x[i].z, x[i].w, high[i / 2][i % 2 + 2], low[i / 2][i % 2 + 2]);
      }
      sum.multiply<EXACT>(s, high, low, packed);
    }
#pragma unroll
    for (int i = 0; i < 64; i++) c[i / 32][i / 4 % 8][i % 4] += sum.c[i / 32][i / 4 % 8][i % 4];
  }

  // multiply adds the products of 16 numbers of each row.
  template <bool EXACT> __device__ void multiply(int s, const unsigned (&high)[2][4], const unsigned (&low)[2][4], const char *packed) {
    // Lane l reads row l%8 of the eight queries, of the next eight from lane 16 on, and
    // the 16 bytes that hold the first or the second eight numbers of 16.
    const int row = (lane() & 7) + 8 * (lane() >> 4);
    const char *at = packed + row * 2 * DEPTH + 16 * ((row >> 1 & 3) ^ (lane() >> 3 & 1) ^ 2 * s);
#pragma unroll
    for (int j = 0; j < 8; j += 4) {
      unsigned b[2][4][2]; // high and low parts of four times eight queries
#pragma unroll
      for (int part = 0; part < 2; part++)
#pragma unroll
        for (int of = 0; of < 4; of += 2) {
          unsigned y[4];
          read_tiles(y, at + part * PACKED_BYTES / 2 + (j + of) * 8 * 2 * DEPTH);
          b[part][of][0] = y[0], b[part][of][1] = y[1], b[part][of + 1][0] = y[2], b[part][of + 1][1] = y[3];
        }
#pragma unroll
      for (int product = EXACT ? 1 : 0; product < 3; product++) // low·high, high·low, high·high
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
          for (int of = 0; of < 4; of++) mma(c[i][j + of], product == 0 ? low[i] : high[i], b[product == 1][of]);
    }
  }

  template <bool EXACT> static __device__ void split(float x, float y, unsigned &high, unsigned &low) {
    if (EXACT) {
      high = halves(x, y), low = 0;
      return;
    }
    const Split pair(x, y);
    high = pair.high, low = pair.low;
  }
};

// Copier copies tiles: rows r, r + step and so on of TILES, of 16 bytes each from this
// thread.
template <int COUNT> struct Copier {
  const char *from;
  long long step;   // bytes from row to row of this thread's
  int to[COUNT];    // in a stage
  int rows, each;   // rows from the first one on that there are, and from row to row
  __device__ void copy(char *stage, const void *valid, bool has) const {
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
      const bool copies = has && i * each < rows;
      copy_async(stage + to[i], copies ? from + i * step : (const char *)valid, copies);
    }
  }
};

// PackedTile copies tiles of packed rows: number and on, of which there are some.
struct PackedTile {
  Copier<2> copier;
  int low; // bytes from high parts to low ones
  __device__ PackedTile(const PackedRow &first, int rows) {
    const int row = threadIdx.x / 4, part = threadIdx.x % 4;
    const long long bytes = 4ll * first.depth + 16;
    copier = {first.at + row * bytes + 16 * part, 64 * bytes, {}, rows - row, 64};
    for (int i = 0; i < 2; i++) copier.to[i] = (row + 64 * i) * 2 * DEPTH + 16 * (part ^ (row >> 1 & 3));
    low = 2 * first.depth;
  }
  // copy starts to copy the tile, and goes on to the next one.
  __device__ void copy(char *stage, const void *valid) {
    copier.copy(stage, valid, true);
    Copier<2> lows = copier;
    lows.from += low;
    lows.copy(stage + PACKED_BYTES / 2, valid, true);
    copier.from += 2 * DEPTH;
  }
};

// over_tiles calls load(stage) for all tiles in order and then multiply(stage); tiles are
// loaded ahead.
template <typename Row, typename Load, typename Multiply>
__device__ inline void over_tiles(int tiles, const Load &load, const Multiply &multiply) {
  constexpr int STAGES = stages(Row());
  char *const room = (char *)dynamic_shared(), *const end = room + STAGES * stage_bytes<Row>();
#pragma unroll
  for (int ahead = 0; ahead < STAGES - 1; ahead++) {
    if (ahead < tiles) load(room + ahead * stage_bytes<Row>());
    copies_end();
  }
  char *stage = room, *next = end - stage_bytes<Row>();
  for (int tile = 0; tile < tiles; tile++) {
    copies_wait<STAGES - 2>();
    __syncthreads(); // the tile is there, and nobody reads the one before it any more
    if (tile + STAGES - 1 < tiles) load(next);
    copies_end();
    multiply((const char *)stage);
    stage = stage + stage_bytes<Row>() == end ? room : stage + stage_bytes<Row>();
    next = next + stage_bytes<Row>() == end ? room : next + stage_bytes<Row>();
  }
}

// four reads four numbers of a row in shared memory, times a power of 2.
template <typename Row> __device__ inline float4 four(const char *at, float power) {
  float4 x = widen(*(const typename Four<Row>::type *)at);
  if (!has_scale(Row())) scale4(x, power);
  return x;
}

// tiles returns how many tiles so many rows take.
__device__ inline int tiles(long long rows) { return (int)((rows + TILE - 1) / TILE); }

// multiply multiplies 128 packed rows, of which count are there, with the table's rows of as many entities from e0 on:
// to(row)[e] = ⟨x, E_e⟩, over ‖E_e‖ for a cosine, of the squares for a loop, unless to(row) is null.
template <typename Row, typename F>
__device__ inline void multiply(const Model &m, const PackedRow &packed, int count, long long e0, int kind, const F &to) {
  const bool cosine = kind == COSINE, loop = kind == LOOP;
  constexpr int ROW = DEPTH * (int)sizeof(Row), PARTS = ROW / 16, HELD = BATCH_THREADS / PARTS;
  PackedTile right(packed, count);
  // Halves of rows change places in every other 128 bytes, so that a warp reads from
  // different banks.
  const int first = threadIdx.x / PARTS, part = threadIdx.x % PARTS;
  Copier<sizeof(Row)> left{(const char *)m.entities + (e0 + first) * m.stride * (int)sizeof(Row) + 16 * part,
                           HELD * m.stride * (int)sizeof(Row), {}, (int)min((long long)TILE, m.n - e0) - first, HELD};
#pragma unroll
  for (int c = 0; c < (int)sizeof(Row); c++) {
    const int row = first + c * HELD;
    left.to[c] = PACKED_BYTES + row * ROW + ((16 * part) ^ ((row * ROW >> 7 & 1) * ROW / 2));
  }
  const int g = lane() >> 2, t = lane() & 3, row = 32 * (warp() & 3) + g, column = 64 * (warp() >> 2);
  int k = 16 / (int)sizeof(Row) * part; // of this thread's next copies
  const int mine = row * ROW, swizzle = (mine >> 7 & 1) * ROW / 2;
  const float power = (float)m.power;
  const void *const table = m.entities;
  const int stride = (int)m.stride, entities = (int)min((long long)TILE, m.n - e0 - row);
  Sums sum;
  over_tiles<Row>(
      packed.depth / DEPTH,
      [&](char *stage) {
        right.copy(stage, table);
        left.copy(stage, table, k < stride);
        left.from += ROW, k += DEPTH;
      },
      [&](const char *stage) {
        if (column >= count) return;
        const char *rows = stage + PACKED_BYTES + mine, *queries = stage + column * 2 * DEPTH;
        const auto read = [&](int s, int of) { return four<Row>(rows + 8 * of * ROW + (((16 * s + 4 * t) * (int)sizeof(Row)) ^ swizzle), power); };
        if (loop)
          sum.template add<false>([&](int s, float4 *x) {
#pragma unroll
            for (int of = 0; of < 4; of++) {
              const float4 y = read(s, of), z = make_float4(y.x * 0x1p-15f, y.y * 0x1p-15f, y.z * 0x1p-15f, y.w * 0x1p-15f);
              x[of] = make_float4(y.x * z.x, y.y * z.y, y.z * z.z, y.w * z.w);
            }
          }, queries);
        else
          sum.template add<sizeof(Row) < 4>([&](int s, float4 *x) {
#pragma unroll
            for (int of = 0; of < 4; of++) x[of] = read(s, of);
          }, queries);
      });
  if (column >= count) return;
  // What is read comes before what is written: the compiler cannot see that they differ.
  float by[4], unscale[16];
#pragma unroll
  for (int j = 0; j < 16; j++)
    unscale[j] = PackedRow(packed, min(column + 8 * (j / 2) + 2 * t + j % 2, count - 1)).unscale();
#pragma unroll
  for (int of = 0; of < 4; of++) {
    const long long e = min(e0 + row + 8 * of, m.n - 1);
    const float own = scale_of<Row>(m, e), norm = cosine ? __ldg(m.norms + e) : 1.f;
    by[of] = (loop ? own * own * 0x1p15f / power : own) / power;
    if (cosine) by[of] = norm > 0 ? by[of] / norm : 0.f;
  }
#pragma unroll
  for (int j = 0; j < 16; j++) {
    const int query = column + 8 * (j / 2) + 2 * t + j % 2;
    float *const scores = query < count ? to(query) : nullptr;
    if (!scores) continue;
#pragma unroll
    for (int of = 0; of < 4; of++)
      if (8 * of < entities) scores[e0 + row + 8 * of] = sum.c[of / 2][j / 2][of % 2 * 2 + j % 2] * unscale[j] * by[of];
  }
}

// products computes count scores of a pass, each block one of them for 128 queries and as many entities. Blocks that
// read the same rows follow one another.
template <typename Row> __device__ inline void products(const Model &m, const Run &q, int begin, int count) {
  const int across = tiles(q.batch), i = blockIdx.x / across % count, q0 = blockIdx.x % across * TILE, asked = (int)q.input->queries;
  if (q0 >= asked) return;
  const Score &score = q.scores[begin + i];
  float *const vectors = q.vectors + (score.vector * q.batch + q0) * q.vectorStride;
  multiply<Row>(m, PackedRow(q.packed, i * q.batch + q0, m.stride), asked - q0, blockIdx.x / across / count * (long long)TILE, score.kind,
                [&](int query) { return vectors + query * q.vectorStride; });
}

// sums computes a share of Σ_e x[e]·E_e for 128 queries and as many coordinates, of which
// each thread has four in order.
template <typename Row> __device__ inline void sums(const Model &m, const Run &q, int embedding) {
  const int q0 = blockIdx.x * TILE, k0 = blockIdx.y * TILE, asked = (int)q.input->queries;
  if (q0 >= asked) return;
  constexpr int ROW = TILE * (int)sizeof(Row), PARTS = ROW / 16, HELD = BATCH_THREADS / PARTS;
  const PackedRow packed(q.states, q0, m.n);
  const int all = packed.depth / DEPTH, each = (all + (int)gridDim.z - 1) / (int)gridDim.z;
  const int low = min(all, (int)blockIdx.z * each), high = min(all, low + each);
  PackedTile right(packed, asked - q0);
  right.copier.from += low * 2 * DEPTH;
  // Row 16·s + 4·t + v is put into place 16·s + 4·v + t: lanes t read from different banks.
  const int first = threadIdx.x / PARTS, part = threadIdx.x % PARTS;
  Copier<sizeof(Row)> left{(const char *)m.entities + (((long long)low * DEPTH + first) * m.stride + k0) * (int)sizeof(Row) + 16 * part,
                           HELD * m.stride * (int)sizeof(Row), {}, (int)(m.n - (long long)low * DEPTH) - first, HELD};
#pragma unroll
  for (int c = 0; c < (int)sizeof(Row); c++) {
    const int row = first + c * HELD, place = (row & 16) + 4 * (row & 3) + (row >> 2 & 3);
    left.to[c] = PACKED_BYTES + place * ROW + ((16 * part) ^ (place & 3) << 5);
  }
  const bool has = k0 + 16 / (int)sizeof(Row) * part < m.stride;
  const int g = lane() >> 2, t = lane() & 3, row = 32 * (warp() & 3) + 4 * g, column = 64 * (warp() >> 2);
  const float power = (float)m.power;
  const void *const table = m.entities;
  const long long bytes = DEPTH * m.stride * (int)sizeof(Row), apart = q.blocks * m.stride; // of a tile's rows; from query to query
  float *const partials = q.partials + (embedding * q.batch + q0) * apart + blockIdx.z * m.stride + k0 + row;
  const bool stays = k0 + row < m.stride;
  Sums sum;
  over_tiles<Row>(
      high - low,
      [&](char *stage) {
        right.copy(stage, table);
        left.copy(stage, table, has);
        left.from += bytes, left.rows -= DEPTH;
      },
      [&](const char *stage) {
        if (q0 + column >= asked) return;
        const char *rows = stage + PACKED_BYTES + t * ROW + ((row * (int)sizeof(Row)) ^ t << 5);
        sum.template add<sizeof(Row) < 4>([&](int s, float4 *x) {
          float4 y[4];
#pragma unroll
          for (int v = 0; v < 4; v++) y[v] = four<Row>(rows + (16 * s + 4 * v) * ROW, power);
          x[0] = make_float4(y[0].x, y[1].x, y[2].x, y[3].x);
          x[1] = make_float4(y[0].y, y[1].y, y[2].y, y[3].y);
          x[2] = make_float4(y[0].z, y[1].z, y[2].z, y[3].z);
          x[3] = make_float4(y[0].w, y[1].w, y[2].w, y[3].w);
        }, stage + column * 2 * DEPTH);
      });
  if (q0 + column >= asked || !stays) return;
  float unscale[16];
#pragma unroll
  for (int j = 0; j < 16; j++)
    unscale[j] = PackedRow(packed, min(column + 8 * (j / 2) + 2 * t + j % 2, asked - 1 - q0)).unscale() / power;
#pragma unroll
  for (int j = 0; j < 16; j++) {
    const int query = column + 8 * (j / 2) + 2 * t + j % 2;
    if (q0 + query >= asked) continue;
    const float by = unscale[j];
    const auto x = [&](int of) { return sum.c[of / 2][j / 2][of % 2 * 2 + j % 2] * by; };
    *(float4 *)(partials + query * apart) = make_float4(x(0), x(1), x(2), x(3));
  }
}
