// Threads that share the iterations of loops.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace vta {

/// Runs iterations [begin, end) of a loop; called concurrently for disjoint ranges.
using LoopBody = void (*)(void* closure, int64_t begin, int64_t end);

/// A fixed set of threads that split loops. The calling thread works too, so a pool of n threads
/// starts n - 1. Idle threads spin for some tens of microseconds, the usual gap between two layers,
/// and then sleep.
///
/// parallelFor may be called from several threads at once, and from within a loop body: whoever
/// finds the pool taken runs its loop alone.
class ThreadPool {
 public:
  /// 0 threads: as many as the machine has.
  explicit ThreadPool(unsigned num_threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned numThreads() const { return static_cast<unsigned>(shares_.size()); }

  /// Calls body(closure, begin, end) for disjoint ranges that cover [0, count) and returns when all
  /// calls have. Each thread starts with its own contiguous share, so that loops over the same data
  /// find it in the same core's cache, and then helps the others.
  void parallelFor(LoopBody body, void* closure, int64_t count);

  /// Calls each(i) once for every i in [0, count), in the same way.
  template <typename Each>
  void forEach(int64_t count, Each each) {
    parallelFor(
        [](void* closure, int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) (*static_cast<Each*>(closure))(i);
        },
        &each, count);
  }

 private:
  /// The part of the current loop that one thread starts with; on its own cache line.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  void workerMain(unsigned index);
  void runShares(unsigned index);
  bool joinJob(uint64_t& last_epoch);
  void waitForSignal(uint32_t& seen_signal);

  std::vector<Share> shares_;
  LoopBody body_ = nullptr;
  void* closure_ = nullptr;
  int64_t chunk_ = 1;

  std::mutex mutex_;  // held by the caller whose loop the pool runs
  // Bit 0: a loop is open to join; bits 1 to 15: workers in it; above: its number.
  std::atomic<uint64_t> state_{0};
  std::atomic<uint32_t> signal_{0};  // changes when workers should look at state_
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;
};

}  // namespace vta
