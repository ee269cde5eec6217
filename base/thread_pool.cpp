#include "base/thread_pool.h"

#include <algorithm>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace vta {
namespace {

constexpr uint64_t kOpen = 1;
constexpr uint64_t kWorker = 2;
constexpr uint64_t kWorkerMask = 0xfffe;
constexpr int kEpochShift = 16;
constexpr int kSpins = 4000;        // some tens of microseconds
constexpr int kChunksPerShare = 4;  // pieces that other threads can take over

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

unsigned resolveThreads(unsigned requested) {
  if (requested == 0) requested = std::thread::hardware_concurrency();
  return std::clamp(requested, 1u, 1024u);
}

}  // namespace

ThreadPool::ThreadPool(unsigned num_threads) : shares_(resolveThreads(num_threads)) {
  for (unsigned i = 1; i < numThreads(); ++i) workers_.emplace_back([this, i] { workerMain(i); });
}

ThreadPool::~ThreadPool() {
  stop_ = true;
  signal_.fetch_add(1);
  signal_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::parallelFor(LoopBody body, void* closure, int64_t count) {
  if (count <= 0) return;
  std::unique_lock lock(mutex_, std::defer_lock);
  if (count == 1 || workers_.empty() || !lock.try_lock()) {
    body(closure, 0, count);
    return;
  }
  body_ = body;
  closure_ = closure;
  const int64_t threads = numThreads();
  chunk_ = std::max<int64_t>(1, count / (threads * kChunksPerShare));
  for (int64_t t = 0; t < threads; ++t) {
    shares_[t].next.store(count * t / threads, std::memory_order_relaxed);
    shares_[t].end = count * (t + 1) / threads;
  }
  const uint64_t epoch = (state_.load(std::memory_order_relaxed) >> kEpochShift) + 1;
  state_.store(epoch << kEpochShift | kOpen, std::memory_order_release);
  signal_.fetch_add(1);
  signal_.notify_all();

  runShares(0);

  // Workers that have not joined by now find the loop closed: nobody waits for a sleeper.
  state_.fetch_and(~kOpen, std::memory_order_acq_rel);
  for (int spins = 0; state_.load(std::memory_order_acquire) & kWorkerMask; ++spins) {
    if (spins < kSpins) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
}

void ThreadPool::runShares(unsigned index) {
  const unsigned threads = numThreads();
  for (unsigned i = 0; i < threads; ++i) {
    Share& share = shares_[(index + i) % threads];
    while (true) {
      const int64_t begin = share.next.fetch_add(chunk_, std::memory_order_relaxed);
      if (begin >= share.end) break;
      body_(closure_, begin, std::min(begin + chunk_, share.end));
    }
  }
}

bool ThreadPool::joinJob(uint64_t& last_epoch) {
  uint64_t state = state_.load(std::memory_order_acquire);
  while ((state & kOpen) && (state >> kEpochShift) != last_epoch) {
    if (state_.compare_exchange_weak(state, state + kWorker, std::memory_order_acq_rel)) {
      last_epoch = state >> kEpochShift;
      return true;
    }
  }
  return false;
}

void ThreadPool::waitForSignal(uint32_t& seen_signal) {
  for (int spins = 0; spins < kSpins; ++spins) {
    if (signal_.load(std::memory_order_acquire) != seen_signal) break;
    pause();
  }
  signal_.wait(seen_signal, std::memory_order_acquire);
  seen_signal = signal_.load(std::memory_order_acquire);
}

void ThreadPool::workerMain(unsigned index) {
  uint64_t last_epoch = 0;
  uint32_t seen_signal = 0;
  while (true) {
    waitForSignal(seen_signal);
    if (stop_) return;
    if (!joinJob(last_epoch)) continue;
    runShares(index);
    state_.fetch_sub(kWorker, std::memory_order_release);
  }
}

}  // namespace vta
