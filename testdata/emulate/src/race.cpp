// A race detector: kernels that are compiled by -fsanitize=thread call it at each access to memory. An access is
// ordered before another by a barrier of the block, by __syncwarp within a warp, and from block to block as PTX's
// memory model has it: by a fence, then an atomic or volatile write; a read of that, then a fence. It is a part of
// main.cpp.
#include <map>
#include <mutex>
#include <unordered_map>

namespace race {

// Known is what of a block has happened before: what its threads did before a barrier, and each of them until
// it was at a fence.
struct Known {
  unsigned turn = 0;
  std::map<unsigned, unsigned> fences;
};
typedef std::map<int, Known> Knowledge; // by block

void merge(Knowledge &to, const Knowledge &from) {
  for (auto &x : from) {
    Known &known = to[x.first];
    known.turn = max(known.turn, x.second.turn);
    for (auto &y : x.second.fences) known.fences[y.first] = max(known.fences[y.first], y.second);
  }
}

// Thread is a thread of a block: how many fences and __syncwarps it has passed, what it knows since the last
// barrier, what it has read but not yet fenced, and what it tells when it writes.
struct Thread {
  unsigned fences = 1, syncs = 0;
  Knowledge known, heard, told;
};

struct Access {
  int block = -1;
  unsigned thread, turn, fences, syncs;
  void *code;
};

// Cell is four bytes of memory: the last write, the last atomic operation, and two reads of different threads.
struct Cell {
  Access write, atomic, reads[2];
};

enum Kind { READ, WRITE, ATOMIC };

bool on;
std::mutex lock;
std::string found; // the first race of a launch
std::unordered_map<uintptr_t, Cell> global;
std::unordered_map<uintptr_t, Knowledge> told; // by the address that was written
thread_local std::unordered_map<uintptr_t, Cell> ofBlock; // in shared memory
thread_local std::vector<Thread> threads;
thread_local Knowledge known; // to all threads of the block

int here() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }

void beginLaunch() {
  global.clear();
  told.clear();
  found.clear();
}

void beginBlock() {
  if (!on) return;
  ofBlock.clear();
  known.clear();
  threads.assign(blockDim.x, Thread());
}

// barrier is called by the last thread that comes to a barrier.
void barrier() {
  for (Thread &t : threads) {
    merge(known, t.known);
    t.known.clear();
  }
}

void fence() {
  if (!on) return;
  std::lock_guard<std::mutex> held(lock);
  Thread &mine = threads[current];
  merge(mine.known, mine.heard);
  mine.heard.clear();
  mine.told = known;
  merge(mine.told, mine.known);
  Known &own = mine.told[here()];
  own.turn = max(own.turn, turn);
  own.fences[current] = mine.fences++;
}

void tell(void *p) {
  if (!on) return;
  std::lock_guard<std::mutex> held(lock);
  merge(told[(uintptr_t)p], threads[current].told);
}

void hear(void *p) {
  if (!on) return;
  std::lock_guard<std::mutex> held(lock);
  merge(threads[current].heard, told[(uintptr_t)p]);
}

bool knows(const Knowledge &k, const Access &a) {
  const auto block = k.find(a.block);
  if (block == k.end()) return false;
  if (a.turn < block->second.turn) return true;
  const auto fences = block->second.fences.find(a.thread);
  return fences != block->second.fences.end() && a.fences <= fences->second;
}

bool ordered(const Access &a) {
  if (a.block < 0) return true;
  const Thread &mine = threads[current];
  if (a.block != here()) return knows(known, a) || knows(mine.known, a);
  if (a.thread == current || a.turn != turn) return true;
  return a.thread / 32 == current / 32 && a.syncs < mine.syncs;
}

// source says where code is.
std::string source(void *code) {
  Dl_info info = {};
  dladdr(code, &info);
  char command[512], line[256] = "";
  snprintf(command, sizeof command, "addr2line -s -e %s 0x%lx", info.dli_fname, (long)((char *)code - (char *)info.dli_fbase - 1));
  if (FILE *f = popen(command, "r")) {
    if (fgets(line, sizeof line, f)) line[strcspn(line, "\n")] = 0;
    pclose(f);
  }
  return line;
}

void report(const char *what, const Access &a, const Access &now) {
  if (!found.empty()) return;
  const auto text = [](const Access &x) {
    return "block " + std::to_string(x.block) + " thread " + std::to_string(x.thread) + " at " + source(x.code);
  };
  found = std::string("a race: ") + what + ", " + text(a) + " and " + text(now);
}

void access(void *p, size_t size, Kind kind, void *code) {
  if (!on) return;
  const char *stack = fibers[current].stack.get();
  if ((char *)p >= stack && (char *)p < stack + stackBytes) return;
  const bool isShared = inShared(p);
  std::lock_guard<std::mutex> held(lock);
  const Thread &mine = threads[current];
  const Access now = {here(), current, turn, mine.fences, mine.syncs, code};
  for (uintptr_t at = (uintptr_t)p >> 2; at <= ((uintptr_t)p + size - 1) >> 2; at++) {
    Cell &c = isShared ? ofBlock[at] : global[at];
    if (!ordered(c.write)) report(kind == READ ? "a read after a write" : "two writes", c.write, now);
    if (kind != ATOMIC && !ordered(c.atomic)) report("an access after an atomic one", c.atomic, now);
    if (kind != READ)
      for (const Access &r : c.reads)
        if (!ordered(r)) report("a write after a read", r, now);
    if (kind == WRITE) {
      c = Cell();
      c.write = now;
    }
    if (kind == ATOMIC) c.atomic = now;
    if (kind == READ) {
      if (c.reads[0].thread != now.thread || c.reads[0].block != now.block) c.reads[1] = c.reads[0];
      c.reads[0] = now;
    }
  }
}

int add(int *p, int x, void *code) {
  access(p, 4, ATOMIC, code);
  if (!inShared(p)) tell(p);
  const int old = __atomic_fetch_add(p, x, __ATOMIC_SEQ_CST);
  if (!inShared(p)) hear(p);
  return old;
}

} // namespace race

// What the compiler calls.
#define CODE __builtin_return_address(0)
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
#define SIZE(n)                                                                          \
  void __tsan_read##n(void *p) { race::access(p, n, race::READ, CODE); }                 \
  void __tsan_write##n(void *p) { race::access(p, n, race::WRITE, CODE); }               \
  void __tsan_unaligned_read##n(void *p) { race::access(p, n, race::READ, CODE); }       \
  void __tsan_unaligned_write##n(void *p) { race::access(p, n, race::WRITE, CODE); }     \
  void __tsan_volatile_read##n(void *p) { race::hear(p); }                               \
  void __tsan_volatile_write##n(void *p) { race::tell(p); }
SIZE(1) SIZE(2) SIZE(4) SIZE(8) SIZE(16)
void __tsan_read_range(void *p, size_t n) { race::access(p, n, race::READ, CODE); }
void __tsan_write_range(void *p, size_t n) { race::access(p, n, race::WRITE, CODE); }
void __tsan_vptr_update(void *, void *) {}
int __tsan_atomic32_fetch_add(int *p, int x, int) { return race::add(p, x, CODE); }
void __tsan_atomic_thread_fence(int) { race::fence(); }
}
