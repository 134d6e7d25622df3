// The blocks of a cluster, each in a thread of its own, take turns: one runs until it comes to
// a barrier or ends, then the next one does, and in reverse after each barrier. So a block
// that should have waited reads what the others have not written yet, every time.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class Cluster {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::thread> threads;
  std::function<bool(unsigned)> work;
  unsigned long long job = 0;
  unsigned left = 0;  // threads that are not done with the job
  unsigned phase, place, ended; // barriers passed, blocks that have had their turn since, those of them that ended
  bool broken;

  unsigned whose() const { return phase % 2 ? size - 1 - place : place; }

  // hand_over ends a block's turn. At a barrier all blocks wait, or all have ended.
  void hand_over(bool end) {
    ended += end;
    if (++place == size) {
      if (ended > 0 && ended < size) broken = true;
      place = 0, phase++;
    }
    changed.notify_all();
  }

  // serve does the jobs after one that is done.
  void serve(unsigned rank, unsigned long long done) {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return job != done; });
      done = job;
      if (rank >= size) continue;
      changed.wait(lock, [&] { return broken || whose() == rank; });
      lock.unlock();
      const bool good = work(rank);
      lock.lock();
      if (!good) broken = true;
      hand_over(true);
      left--;
    }
  }

public:
  unsigned size = 1;

  // each runs f for the ranks of a cluster of so many blocks. It returns false if one fails, or
  // ends where another waits.
  bool each(unsigned blocks, std::function<bool(unsigned)> f) {
    std::unique_lock<std::mutex> lock(mutex);
    size = blocks, phase = place = ended = 0, broken = false;
    if (size == 1) return f(0);
    while (threads.size() < size) {
      threads.emplace_back(&Cluster::serve, this, (unsigned)threads.size(), job);
      threads.back().detach(); // until the process ends
    }
    work = f, left = size, job++;
    changed.notify_all();
    changed.wait(lock, [&] { return left == 0; });
    return !broken;
  }

  // barrier waits until all other blocks are there.
  void barrier(unsigned rank) {
    if (size == 1) return;
    std::unique_lock<std::mutex> lock(mutex);
    hand_over(false);
    changed.wait(lock, [&] { return broken || whose() == rank; });
  }
};
