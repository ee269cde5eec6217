#include "module/host/host_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "module/host/host_failure.h"

namespace vta {
namespace {

using Counts = std::vector<std::atomic<int>>;

void increment(void* closure, int64_t begin, int64_t end) {
  auto& counts = *static_cast<Counts*>(closure);
  for (int64_t i = begin; i < end; ++i) counts[i].fetch_add(1);
}

// Host functions: arguments[0] is what they write to.
void describe(const VtaHostContext* context, void* const* arguments) {
  *static_cast<VtaHostContext*>(arguments[0]) = *context;
}

struct Nested {
  const VtaHostContext* context;
  Counts* counts;
};

void countInLoops(const VtaHostContext* context, void* const* arguments) {
  Nested nested{context, static_cast<Counts*>(arguments[0])};
  const auto body = [](void* closure, int64_t begin, int64_t end) {
    const Nested& nested = *static_cast<Nested*>(closure);
    for (int64_t i = begin; i < end; ++i) {
      nested.context->parallel_for(nested.context, increment, nested.counts, 20);
    }
  };
  context->parallel_for(context, body, &nested, 10);
}

void runOut(const VtaHostContext* context, void* const*) {
  context->fail(context, VTA_HOST_NO_MEMORY, nullptr, 4096, 0);
  context->fail(context, VTA_HOST_BAD_INDEX, "node 'late' (Gather)", 9, 4);
}

void selectOutside(const VtaHostContext* context, void* const*) {
  const auto body = [](void* closure, int64_t begin, int64_t end) {
    const auto* context = static_cast<const VtaHostContext*>(closure);
    for (int64_t i = begin; i < end; ++i) {
      context->fail(context, VTA_HOST_BAD_INDEX, "node 'pick' (Gather)", -5, 4);
    }
  };
  context->parallel_for(context, body, const_cast<VtaHostContext*>(context), 20);
}

void markParts(const VtaHostContext* context, void* const*) {
  for (const int64_t part : {1, 0, 1, 7, -1}) context->mark(context, part);
}

VtaHostContext contextOf(const HostThreads& threads) {
  VtaHostContext context = {};
  void* arguments[] = {&context};
  EXPECT_TRUE(threads.call(describe, arguments).ok());
  return context;
}

TEST(HostThreads, ContextSaysWhatItIs) {
  EXPECT_EQ(contextOf(HostThreads(3)).num_threads, 3u);
  const VtaHostContext context = contextOf(HostThreads());
  EXPECT_GE(context.num_threads, 1u);
  EXPECT_EQ(context.abi_version, VTA_HOST_ABI_VERSION);
}

TEST(HostThreads, PartsAreTimedForCallersThatAsk) {
  const HostThreads threads(1);
  EXPECT_TRUE(threads.call(markParts, nullptr).ok());
  std::vector<double> seconds(3, 99);
  EXPECT_TRUE(threads.call(markParts, nullptr, seconds).ok());
  EXPECT_GE(seconds[0], 0);
  EXPECT_LT(seconds[0] + seconds[1], 99);
  EXPECT_EQ(seconds[2], 0);
}

TEST(HostThreads, LoopsWithinLoops) {
  const HostThreads threads(3);
  Counts counts(20);
  void* arguments[] = {&counts};
  EXPECT_TRUE(threads.call(countInLoops, arguments).ok());
  for (const auto& value : counts) EXPECT_EQ(value, 10);
}

TEST(HostThreads, FirstFailureIsTheError) {
  const HostThreads threads(2);
  const Status status = threads.call(runOut, nullptr);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(),
            "there is not enough memory: its intermediate results take 4096 bytes");
}

TEST(HostThreads, FailuresOfLoops) {
  const HostThreads threads(3);
  const Status status = threads.call(selectOutside, nullptr);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "node 'pick' (Gather): index -5 is outside of -4 to 3");
  // A later call knows nothing of it.
  VtaHostContext context = {};
  void* arguments[] = {&context};
  EXPECT_TRUE(threads.call(describe, arguments).ok());
}

TEST(HostFailure, NothingToSelectFrom) {
  EXPECT_EQ(hostFailureStatus(VTA_HOST_BAD_INDEX, "node 'n' (Gather)", 0, 0).message(),
            "node 'n' (Gather): index 0, but there is nothing to select from");
}

TEST(HostFailure, UnknownKind) {
  EXPECT_EQ(hostFailureStatus(77, nullptr, 0, 0).code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace vta
