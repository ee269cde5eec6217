#include "module/host_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace vta {
namespace {

using Counts = std::vector<std::atomic<int>>;

void increment(void* closure, int64_t begin, int64_t end) {
  auto& counts = *static_cast<Counts*>(closure);
  for (int64_t i = begin; i < end; ++i) counts[i].fetch_add(1);
}

struct Nested {
  const VtaHostContext* context;
  Counts* counts;
};

TEST(HostThreads, ContextSaysWhatItIs) {
  EXPECT_EQ(HostThreads(3).context()->num_threads, 3u);
  const HostThreads threads;
  EXPECT_GE(threads.context()->num_threads, 1u);
  EXPECT_EQ(threads.context()->abi_version, VTA_HOST_ABI_VERSION);
}

TEST(HostThreads, LoopsWithinLoops) {
  const HostThreads threads(3);
  Counts counts(20);
  Nested nested{threads.context(), &counts};
  const auto body = [](void* closure, int64_t begin, int64_t end) {
    const Nested& nested = *static_cast<Nested*>(closure);
    for (int64_t i = begin; i < end; ++i) {
      nested.context->parallel_for(nested.context, increment, nested.counts, 20);
    }
  };
  threads.context()->parallel_for(threads.context(), body, &nested, 10);
  for (const auto& value : counts) EXPECT_EQ(value, 10);
}

}  // namespace
}  // namespace vta
