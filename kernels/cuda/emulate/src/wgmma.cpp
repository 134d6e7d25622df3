// Products of warp groups, wgmma.mma_async, as the PTX manual describes them (9.7.15,
// "Asynchronous Warpgroup Level Matrix Instructions": register fragments, shared memory
// matrix layout, matrix descriptor format) and, in more words, CUTLASS's mma_sm90_desc.hpp and
// mma_traits_sm90_gmma.hpp. It is a part of main.cpp. Each warp has 16 rows of the left
// matrix in registers and reads the right one from shared memory, which is done as late
// as it may be: when the warp waits.
namespace {

// Product is one that a thread has begun.
struct Product {
  float *c;
  float a[2][16]; // of rows lane/4 and lane/4 + 8
  unsigned long long b;
  bool adds;
};
struct Group {
  std::vector<Product> begun;
  bool fenced;
};
thread_local std::vector<Group> groupOf(maxThreads);

// address is where number k of column n is: both have a distance from eight to eight, a
// column of eight has one of 16, 32, 64 or 128 bytes, and in all orders but the first bits
// of the address are changed by the bits three above them.
unsigned address(unsigned long long descriptor, int n, int k) {
  const unsigned start = (descriptor & 0x3fff) << 4, leading = (descriptor >> 16 & 0x3fff) << 4;
  const unsigned stride = (descriptor >> 32 & 0x3fff) << 4, order = descriptor >> 62;
  const unsigned columns[] = {16, 128, 64, 32}, swizzle[] = {0, 7, 3, 1};
  const unsigned at = start + n / 8 * stride + n % 8 * columns[order] + (order == 0 ? k / 8 * leading + k % 8 * 2 : k * 2);
  return at ^ ((at >> 7 & swizzle[order]) << 4);
}

void wrong(const char *what) {
  fprintf(stderr, "wgmma: %s\n", what);
  exit(1);
}

} // namespace

extern "C" {

void group_sees() { copiesOf[current].sees = true; }
void group_begin() { groupOf[current].fenced = true; }

void group_mma_f16(float *c, const unsigned *a, unsigned long long b, bool adds) {
  Group &mine = groupOf[current];
  if (!mine.fenced) wrong("no fence before it");
  if (!copiesOf[current].sees) wrong("what was copied is not visible to it");
  if (b >> 49 & 7) wrong("a base offset, which is not emulated");
  const unsigned char *all = exchange(a, 16);
  struct Four {
    unsigned x[4];
  };
  Product p = {c, {}, b, adds};
  for (int k = 0; k < 16; k += 2) {
    const Four x = from_lane<Four>(all, (threadIdx.x & 31) / 4 * 4 + k % 8 / 2);
    for (int i = 0; i < 2; i++) {
      const float2 y = widen_halves(x.x[i + k / 8 * 2]);
      p.a[i][k] = y.x, p.a[i][k + 1] = y.y;
    }
  }
  mine.begun.push_back(p);
  if (!adds)
    for (int i = 0; i < 32; i++) c[i] = NAN; // until it is done
}

void group_wait() {
  Group &mine = groupOf[current];
  const char *shared = (const char *)((uintptr_t)dynamic_shared() / 1024 * 1024);
  for (const Product &p : mine.begun)
    for (int i = 0; i < 32; i++) {
      const int n = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
      float sum = p.adds ? p.c[i] : 0;
      for (int k = 0; k < 16; k += 8) {
        double exact = sum;
        for (int j = k; j < k + 8; j++) {
          unsigned short y;
          memcpy(&y, shared + address(p.b, n, j), sizeof y);
          exact += (double)p.a[i / 2 % 2][j] * (double)half(y);
        }
        sum = (float)exact;
        if (fabs((double)sum) > fabs(exact)) sum = nextafterf(sum, 0.f);
      }
      p.c[i] = sum;
    }
  mine.begun.clear(), mine.fenced = false;
}

} // extern "C"
