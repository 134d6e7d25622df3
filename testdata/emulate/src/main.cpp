// A device in a process: it takes commands on its input and answers on its output.
//
//	a size             allocates, filled with NaN; answers the address
//	f address          frees
//	w address size …   writes bytes
//	r address size     reads bytes; answers them
//	m size path        loads a shared library of kernels; answers 0, or 1 and a message
//	l size name 3×grid threads shared cooperative size Model size Run argument   runs a kernel; answers 0, or 1 and a message
//
// Numbers take eight bytes.
#include "emulate.h"
#include "model.cuh"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include <atomic>
#include <memory>
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
thread_local ucontext_t home;
thread_local jmp_buf homeAt;
thread_local std::vector<float4> room;
// Of the launch: bytes of shared memory, and whether a block has written behind it or its threads wait
// for others that have ended.
size_t shared;
std::atomic<bool> outside, stuck;
Kernel kernel;
std::vector<void *> modules; // the last one that has a kernel runs it
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

} // namespace

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
  for (unsigned idle = 0; alive > 0; idle++) {
    const unsigned before = alive, turns = turn;
    unsigned exchanges = 0;
    for (const Warp &w : groups) exchanges += w.turn;
    for (unsigned i = 0; i < n; i++)
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

// one runs a block.
void one(unsigned x, unsigned y, unsigned z) {
  room.assign(shared / sizeof(float4) + 64, float4());
  memset(room.data(), 0xff, room.size() * sizeof room[0]); // NaN
  blockIdx = {x, y, z};
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

void launch() {
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
  kernel = nullptr;
  for (size_t i = modules.size(); i > 0 && !kernel; i--) kernel = (Kernel)dlsym(modules[i - 1], name.c_str());
  if (!kernel) {
    put(1), putText("no kernel " + name);
    return;
  }
  if (cooperative)
    together();
  else
    for (unsigned z = 0; z < gridDim.z && !stuck; z++)
      for (unsigned y = 0; y < gridDim.y && !stuck; y++)
        for (unsigned x = 0; x < gridDim.x && !stuck; x++) one(x, y, z);
  if (stuck) {
    put(1), putText("kernel " + name + ": some threads of a block wait for others that have ended");
    return;
  }
  if (outside) {
    put(1), putText("kernel " + name + ": a block has written behind its " + std::to_string(shared) + " bytes of dynamic shared memory");
    return;
  }
  put(0);
}

} // namespace

float4 *dynamic_shared() { return room.data(); }

void __syncthreads() {
  const unsigned mine = turn;
  if (++arrived == blockDim.x) {
    arrived = 0, turn++;
    return;
  }
  while (mine == turn) yield();
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

int main() {
  for (;;) {
    char command;
    get(&command, 1);
    switch (command) {
    case 'a': {
      // Nothing is 0 until a kernel writes it: all bits set make a number NaN.
      const size_t size = (number() + 255) / 256 * 256;
      void *p = aligned_alloc(256, size);
      if (p) memset(p, 0xff, size);
      put((uint64_t)p);
      break;
    }
    case 'f':
      free((void *)number());
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
