#include "compiler/module/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace vta::compiler {
namespace {

constexpr uint64_t kAlignmentBytes = 64;

/// Every pair of buffers that are live together must be disjoint, inside the arena and aligned.
void expectLegal(const std::vector<BufferLifetime>& buffers, const MemoryPlan& plan) {
  ASSERT_EQ(plan.offsets_bytes.size(), buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(plan.offsets_bytes[i] % kAlignmentBytes, 0u);
    EXPECT_LE(plan.offsets_bytes[i] + buffers[i].size_bytes, plan.peak_bytes);
    for (size_t j = 0; j < i; ++j) {
      if (!buffers[i].overlaps(buffers[j])) continue;
      const bool disjoint =
          plan.offsets_bytes[i] + buffers[i].size_bytes <= plan.offsets_bytes[j] ||
          plan.offsets_bytes[j] + buffers[j].size_bytes <= plan.offsets_bytes[i];
      EXPECT_TRUE(disjoint) << "buffers " << i << " and " << j;
    }
  }
}

TEST(MemoryPlan, EmptyPlanNeedsNothing) {
  EXPECT_EQ(planMemory({}, kAlignmentBytes).peak_bytes, 0u);
  EXPECT_EQ(lowerBoundBytes({}, kAlignmentBytes), 0u);
}

TEST(MemoryPlan, ChainUsesTwoBuffersInTurn) {
  const std::vector<BufferLifetime> chain = {{100, 0, 1}, {100, 1, 2}, {100, 2, 3}, {100, 3, 4}};
  const MemoryPlan plan = planMemory(chain, kAlignmentBytes);
  expectLegal(chain, plan);
  EXPECT_EQ(plan.peak_bytes, 256u);
}

TEST(MemoryPlan, ResultOfTheLastReaderDoesNotOverlapItsOperand) {
  const std::vector<BufferLifetime> step = {{64, 0, 1}, {64, 1, 1}};
  const MemoryPlan plan = planMemory(step, kAlignmentBytes);
  EXPECT_NE(plan.offsets_bytes[0], plan.offsets_bytes[1]);
}

TEST(MemoryPlan, TakesTheTightestGap) {
  // Three long-lived buffers leave gaps; what comes later must go into them.
  const std::vector<BufferLifetime> buffers = {{640, 0, 0}, {320, 0, 9}, {128, 1, 9}, {64, 1, 9}};
  const MemoryPlan plan = planMemory(buffers, kAlignmentBytes);
  expectLegal(buffers, plan);
  EXPECT_EQ(plan.peak_bytes, 960u);
}

TEST(MemoryPlan, BuffersLieInRanges) {
  constexpr uint64_t kRangeBytes = 1024;
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<BufferLifetime> buffers(1 + random() % 30);
    for (BufferLifetime& buffer : buffers) {
      const auto first = static_cast<int64_t>(random() % 20);
      buffer = {1 + random() % 3000, first, first + static_cast<int64_t>(random() % 5)};
    }
    const MemoryPlan plan = planMemory(buffers, kAlignmentBytes, kRangeBytes);
    expectLegal(buffers, plan);
    for (size_t i = 0; i < buffers.size(); ++i) {
      const uint64_t in_range_bytes = plan.offsets_bytes[i] % kRangeBytes;
      EXPECT_TRUE(in_range_bytes == 0 || in_range_bytes + buffers[i].size_bytes <= kRangeBytes)
          << buffers[i].size_bytes << " bytes at " << plan.offsets_bytes[i];
    }
  }
}

TEST(MemoryPlan, RandomLifetimesAreLegalAndNearTheLowerBound) {
  std::mt19937 random(11);
  double total_ratio = 0;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<BufferLifetime> buffers(1 + random() % 60);
    for (BufferLifetime& buffer : buffers) {
      buffer.size_bytes = random() % 5 == 0 ? random() % 100000 : random() % 3000;
      buffer.first_step = random() % 40;
      buffer.last_step = buffer.first_step + random() % 8;
    }
    const MemoryPlan plan = planMemory(buffers, kAlignmentBytes);
    expectLegal(buffers, plan);
    const uint64_t bound_bytes = lowerBoundBytes(buffers, kAlignmentBytes);
    EXPECT_GE(plan.peak_bytes, bound_bytes);
    total_ratio += bound_bytes ? static_cast<double>(plan.peak_bytes) / bound_bytes : 1.0;
  }
  EXPECT_LT(total_ratio / kRounds, 1.1);
}

}  // namespace
}  // namespace vta::compiler
