// Tensor cores and asynchronous copies as the PTX manual describes them. It is a part of
// main.cpp.
namespace {

// Copy is a copy to shared memory that a thread has begun, in a group of its copies.
struct Copy {
  void *to;
  const void *from;
  bool copies;
  int group;
  void *code;
};
struct Copies {
  std::vector<Copy> begun;
  int group = 0;
};
thread_local std::vector<Copies> copiesOf(maxThreads);

float half(unsigned bits) {
  const int exponent = bits >> 10 & 31, digits = bits & 1023;
  float x = exponent == 31  ? (digits ? NAN : INFINITY)
            : exponent == 0 ? ldexpf(digits, -24)
                            : ldexpf(1024 + digits, exponent - 25);
  return bits & 0x8000 ? -x : x;
}

unsigned toHalf(float x) {
  const unsigned sign = std::signbit(x) ? 0x8000 : 0;
  const float size = fabsf(x);
  if (size == 0) return sign;
  if (x != x) return 0x7fff;
  if (size >= 65520) return sign | 0x7c00; // 65504 is the largest
  int exponent;
  frexpf(size, &exponent); // size < 2^exponent
  exponent = std::max(exponent, -13);
  const unsigned digits = (unsigned)nearbyintf(ldexpf(size, 11 - exponent)); // units of 2^(exponent-11)
  return sign | (unsigned)(((exponent + 13) << 10) + (int)digits);           // the digit before the point adds one to the exponent
}

} // namespace

extern "C" {

unsigned halves(float first, float second) { return toHalf(first) | toHalf(second) << 16; }
float2 widen_halves(unsigned x) { return {half(x & 0xffff), half(x >> 16)}; }

// mma_f16 as the manual spreads m16n8k16 over the lanes of a warp. Sums are cut off, not
// rounded, as tensor cores do, after eight products each.
void mma_f16(float *c, const unsigned *a, const unsigned *b) {
  struct {
    unsigned a[4], b[2];
  } mine;
  memcpy(mine.a, a, sizeof mine.a), memcpy(mine.b, b, sizeof mine.b);
  const unsigned char *all = exchange(&mine, sizeof mine);
  const int lane = threadIdx.x & 31;
  float left[2][16], right[2][16]; // rows lane/4 and 8 on, columns 2·(lane%4) and 1 on
  for (int k = 0; k < 16; k += 2) {
    const int from = k % 8 / 2, at = k / 8;
    for (int i = 0; i < 2; i++) {
      const auto x = from_lane<decltype(mine)>(all, lane / 4 * 4 + from);
      const float2 l = widen_halves(x.a[i + 2 * at]);
      left[i][k] = l.x, left[i][k + 1] = l.y;
      const auto y = from_lane<decltype(mine)>(all, (2 * (lane % 4) + i) * 4 + from);
      const float2 r = widen_halves(y.b[at]);
      right[i][k] = r.x, right[i][k + 1] = r.y;
    }
  }
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 16; k += 8) {
      double sum = c[i];
      for (int j = k; j < k + 8; j++) sum += (double)left[i / 2][j] * (double)right[i % 2][j];
      c[i] = (float)sum;
      if (fabs((double)c[i]) > fabs(sum)) c[i] = nextafterf(c[i], 0.f);
    }
}

void read_tiles_at(unsigned *x, const void *row) {
  const unsigned char *all = exchange(&row, sizeof row);
  const int lane = threadIdx.x & 31;
  for (int i = 0; i < 4; i++) {
    const char *from = from_lane<const char *>(all, 8 * i + lane / 4) + 4 * (lane % 4);
    race::access((void *)from, 4, race::READ, __builtin_return_address(0));
    memcpy(x + i, from, 4);
  }
}

void copy_async(void *to, const void *from, bool copies) {
  Copies &mine = copiesOf[current];
  if ((uintptr_t)to % 16 != 0 || (uintptr_t)from % 16 != 0) {
    fprintf(stderr, "copy_async: an address is no multiple of 16\n");
    exit(1);
  }
  void *const code = __builtin_return_address(0);
  race::access(to, 16, race::WRITE, code); // now, or as late as when it is waited for
  mine.begun.push_back({to, from, copies, mine.group, code});
}
void copies_end() { copiesOf[current].group++; }
void copies_wait_for(int last) {
  Copies &mine = copiesOf[current];
  size_t done = 0;
  for (; done < mine.begun.size() && mine.begun[done].group < mine.group - last; done++) {
    const Copy &c = mine.begun[done];
    race::access(c.to, 16, race::WRITE, c.code);
    if (c.copies) race::access((void *)c.from, 16, race::READ, c.code);
    if (c.copies)
      memcpy(c.to, c.from, 16);
    else
      memset(c.to, 0, 16);
  }
  mine.begun.erase(mine.begun.begin(), mine.begun.begin() + done);
}

} // extern "C"
