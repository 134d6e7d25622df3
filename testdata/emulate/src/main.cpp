// A device in a process: it takes commands on its input and answers on its output.
//
//	a size             allocates; answers the address
//	f address          frees
//	w address size …   writes bytes
//	r address size     reads bytes; answers them
//	m size path        loads a shared library of kernels; answers 0, or 1 and a message
//	l size name 3×grid threads shared cooperative size Model size Run argument   runs a kernel; answers 0, or 1 and a message
//
// Numbers take eight bytes. Its arguments are a seed, by which it draws the order of threads and blocks, and
// "races", to find them, if kernels are compiled for it.
#define EFOC_HOST
#include "emulate.h"
#include "model.cuh"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <atomic>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

__thread dim3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace {

typedef void (*Kernel)(Model, Run, long long);

struct Fiber {
  ucontext_t start;
  jmp_buf at;
  std::unique_ptr<char[]> stack;
  bool begun, done;
};

struct Warp {
  unsigned arrived, turn;
  unsigned char slots[2][32 * 32]; // of this exchange and the last
};

const size_t stackBytes = 256 << 10;
const unsigned maxThreads = 1024;
// Of the block that runs in a thread of the process. room is its dynamic shared memory, and what it
// must not write behind that.
thread_local std::vector<Fiber> fibers(maxThreads);
thread_local std::vector<Warp> groups;
thread_local unsigned current, arrived, turn, alive;
thread_local bool some[2]; // whether a thread said so at an even barrier, and at an odd one
thread_local ucontext_t home;
thread_local jmp_buf homeAt;
thread_local std::vector<float4> room;
// Of the launch: bytes of shared memory, and whether a block has written behind it or its threads wait
// for others that have ended.
size_t shared;
std::atomic<bool> outside, stuck;
Kernel kernel;
std::vector<void *> modules;
unsigned seed;
thread_local std::mt19937 dice; // of the block
Model model;
Run run;
long long argument;

// body is what a fiber does: one thread of a block, then one of the next.
void body() {
  for (;;) {
    kernel(model, run, argument);
    Fiber &f = fibers[current];
    f.done = true;
    alive--;
    if (_setjmp(f.at) == 0) _longjmp(homeAt, 1);
  }
}

// yield lets the other threads run.
void yield() {
  if (_setjmp(fibers[current].at) == 0) _longjmp(homeAt, 1);
}

void resume(unsigned i) {
  Fiber &f = fibers[i];
  current = i;
  threadIdx = {i, 0, 0};
  if (_setjmp(homeAt) != 0) return;
  if (f.begun) _longjmp(f.at, 1);
  f.begun = true;
  getcontext(&f.start);
  f.start.uc_stack.ss_sp = f.stack.get();
  f.start.uc_stack.ss_size = stackBytes;
  f.start.uc_link = &home;
  makecontext(&f.start, body, 0);
  setcontext(&f.start);
}

// Bytes are those from one address to another.
struct Bytes {
  char *from, *to;
};

// find sets to the static shared memory, of this block, of the module that has the address to.from.
int find(dl_phdr_info *info, size_t, void *to) {
  Bytes &bytes = *(Bytes *)to;
  char *const begin = (char *)info->dlpi_tls_data;
  for (int i = 0; begin && i < info->dlpi_phnum; i++) {
    char *const end = begin + info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_phdr[i].p_type != PT_TLS || bytes.from < begin || bytes.from >= end) continue;
    bytes = {begin, end};
    return 1;
  }
  return 0;
}

// statics are the static shared memories of all modules, of the block that runs in this thread.
const std::vector<Bytes> &statics() {
  static thread_local std::vector<Bytes> list;
  while (list.size() < modules.size()) {
    char *(*own)() = (char *(*)())dlsym(modules[list.size()], "efoc_own");
    Bytes bytes = {own(), nullptr};
    dl_iterate_phdr(find, &bytes);
    list.push_back(bytes);
  }
  return list;
}

bool inShared(const void *p) {
  for (const Bytes &b : statics())
    if (p >= b.from && p < b.to) return true;
  return p >= room.data() && p < room.data() + room.size();
}

} // namespace

#include "race.cpp"
#include "tensor.cpp"

namespace {

// block runs the threads of a block; it returns false if some wait for others that
// have ended.
bool block() {
  const unsigned n = blockDim.x;
  if (n > maxThreads) return false;
  groups.assign((n + 31) / 32, Warp());
  for (unsigned i = 0; i < n; i++) {
    fibers[i].done = false;
    if (!fibers[i].stack) fibers[i].stack.reset(new char[stackBytes]);
    copiesOf[i] = Copies();
  }
  arrived = turn = 0, alive = n;
  some[0] = some[1] = false;
  std::vector<unsigned> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (unsigned idle = 0; alive > 0; idle++) {
    const unsigned before = alive, turns = turn;
    unsigned exchanges = 0;
    for (const Warp &w : groups) exchanges += w.turn;
    std::shuffle(order.begin(), order.end(), dice);
    for (unsigned i : order)
      if (!fibers[i].done) resume(i);
    unsigned after = 0;
    for (const Warp &w : groups) after += w.turn;
    if (before != alive || turns != turn || exchanges != after) idle = 0;
    if (idle > 4) return false;
  }
  return true;
}

void put(uint64_t x) { fwrite(&x, sizeof x, 1, stdout); }
void putText(const std::string &s) { put(s.size()), fwrite(s.data(), 1, s.size(), stdout); }
void get(void *to, size_t size) {
  if (size > 0 && fread(to, 1, size, stdin) != size) exit(0);
}
uint64_t number() {
  uint64_t x;
  get(&x, sizeof x);
  return x;
}
std::string text() {
  std::string s(number(), 0);
  get(&s[0], s.size());
  return s;
}

void load() {
  const std::string path = text();
  if (void *module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) // what two have alike may differ
    modules.push_back(module), put(0);
  else
    put(1), putText(dlerror());
}

// one runs a block, whose shared memory has no content yet: all bits set make a number NaN.
void one(unsigned x, unsigned y, unsigned z) {
  room.assign(shared / sizeof(float4) + 64, float4());
  memset(room.data(), 0xff, room.size() * sizeof room[0]);
  for (const Bytes &b : statics()) memset(b.from, 0xff, b.to - b.from);
  blockIdx = {x, y, z};
  dice.seed(seed + race::here());
  race::beginBlock();
  const bool good = block();
  const unsigned char *bytes = (const unsigned char *)room.data();
  for (size_t i = shared; i < room.size() * sizeof room[0]; i++)
    if (bytes[i] != 0xff) outside = true;
  if (good) return;
  stuck = true;
  fibers = std::vector<Fiber>(maxThreads);
}

// together runs the blocks of a cooperative launch, which may wait for one another.
void together() {
  std::vector<std::thread> blocks;
  for (unsigned x = 0; x < gridDim.x; x++) blocks.emplace_back(one, x, 0, 0);
  for (std::thread &b : blocks) b.join();
}

// apart runs the blocks of another launch, in any order.
void apart() {
  std::vector<unsigned> order(gridDim.x * gridDim.y * gridDim.z);
  std::iota(order.begin(), order.end(), 0);
  static std::mt19937 dice(seed);
  std::shuffle(order.begin(), order.end(), dice);
  for (unsigned i : order)
    if (!stuck) one(i % gridDim.x, i / gridDim.x % gridDim.y, i / gridDim.x / gridDim.y);
}

// find sets the kernel to that of a module, or else to that of the last module that has one: tests compile the kernels of
// several plans at once, as one module.
void find(size_t module, const std::string &name) {
  kernel = (Kernel)dlsym(modules[module], name.c_str());
  for (size_t i = modules.size(); i > 0 && !kernel; i--) kernel = (Kernel)dlsym(modules[i - 1], name.c_str());
}

void launch() {
  const size_t module = number();
  const std::string name = text();
  gridDim.x = number(), gridDim.y = number(), gridDim.z = number();
  blockDim = {(unsigned)number(), 1, 1};
  shared = number(), outside = stuck = false;
  const bool cooperative = number();
  const std::string m = text(), r = text();
  argument = number();
  if (m.size() != sizeof model || r.size() != sizeof run) {
    put(1), putText("kernel " + name + ": the model has " + std::to_string(m.size()) + " bytes and the run " + std::to_string(r.size()));
    return;
  }
  memcpy(&model, m.data(), sizeof model), memcpy(&run, r.data(), sizeof run);
  find(module, name);
  if (!kernel) {
    put(1), putText("no kernel " + name);
    return;
  }
  race::beginLaunch();
  if (cooperative)
    together();
  else
    apart();
  if (stuck) {
    put(1), putText("kernel " + name + ": some threads of a block wait for others that have ended");
    return;
  }
  if (outside) {
    put(1), putText("kernel " + name + ": a block has written behind its " + std::to_string(shared) + " bytes of dynamic shared memory");
    return;
  }
  if (!race::found.empty()) {
    put(1), putText("kernel " + name + ": " + race::found);
    return;
  }
  put(0);
}

} // namespace

float4 *dynamic_shared() { return room.data(); }

void __syncthreads() {
  const unsigned mine = turn;
  if (++arrived == blockDim.x) {
    race::barrier();
    arrived = 0, turn++;
    some[turn % 2] = false; // all have read what came of the barrier before
    return;
  }
  while (mine == turn) yield();
}

int __syncthreads_or(int x) {
  bool &mine = some[turn % 2];
  mine |= x != 0;
  __syncthreads();
  return mine;
}

const unsigned char *exchange(const void *mine, unsigned size) {
  Warp &w = groups[current / 32];
  const unsigned now = w.turn;
  unsigned char *slots = w.slots[now % 2];
  memcpy(slots + 32 * (current % 32), mine, size);
  if (++w.arrived == 32)
    w.arrived = 0, w.turn++;
  else
    while (now == w.turn) yield();
  return slots;
}

void __syncwarp() {
  const bool here = true;
  exchange(&here, sizeof here);
  if (race::on) race::threads[current].syncs++;
}

namespace {

// What is allocated lies between pages that nobody may touch, and ends at the second one, by 16 bytes. All bits are
// set: until a kernel writes it, a number is NaN.
struct Allocation {
  char *base;
  size_t bytes;
};
std::map<char *, Allocation> allocations;
const size_t page = 4096;

char *allocate(size_t size) {
  size = max(size_t(16), (size + 15) / 16 * 16);
  const size_t bytes = (size + page - 1) / page * page + 2 * page;
  char *const base = (char *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  char *const end = base + bytes - page;
  memset(base, 0xff, bytes);
  mprotect(base, page, PROT_NONE);
  mprotect(end, page, PROT_NONE);
  allocations[end - size] = {base, bytes};
  return end - size;
}

void release(char *p) {
  munmap(allocations[p].base, allocations[p].bytes);
  allocations.erase(p);
}

} // namespace

int main(int count, char **arguments) {
  seed = count > 1 ? strtoul(arguments[1], nullptr, 10) : 1;
  race::on = count > 2;
  for (;;) {
    char command;
    get(&command, 1);
    switch (command) {
    case 'a':
      put((uint64_t)allocate(number()));
      break;
    case 'f':
      release((char *)number());
      break;
    case 'w': {
      void *to = (void *)number();
      get(to, number());
      break;
    }
    case 'r': {
      void *from = (void *)number();
      fwrite(from, 1, number(), stdout);
      break;
    }
    case 'm':
      load();
      break;
    case 'l':
      launch();
      break;
    }
    fflush(stdout);
  }
}
