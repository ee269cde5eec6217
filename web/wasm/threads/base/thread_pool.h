// ThreadPool where there is one thread: the caller runs every loop.
#pragma once

#include <cstdint>

namespace vta {

using LoopBody = void (*)(void* closure, int64_t begin, int64_t end);

/// As the class of base/thread_pool.h with one thread.
class ThreadPool {
 public:
  explicit ThreadPool(unsigned /*num_threads*/ = 0) {}

  unsigned numThreads() const { return 1; }

  void parallelFor(LoopBody body, void* closure, int64_t count) {
    if (count > 0) body(closure, 0, count);
  }

  template <typename Each>
  void forEach(int64_t count, Each each) {
    for (int64_t i = 0; i < count; ++i) each(i);
  }
};

}  // namespace vta
