#include "compiler/kernel/primitives/bank_parts.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>
#include <vector>

#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel {
namespace {

using Operands = std::pair<uint32_t, uint32_t>;  // accumulator, second operand

// The operands of all micro-ops of `nest`, in order.
std::vector<Operands> execute(const Nest& nest) {
  std::vector<Operands> all = {{nest.base.dst_idx, nest.base.src_idx}};
  for (int d = 0; d < nest.num_dims; ++d) {
    std::vector<Operands> next;
    for (const auto& [dst, src] : all) {
      for (uint32_t i = 0; i < nest.dims[d].count; ++i) {
        next.emplace_back(dst + i * nest.dims[d].dst, src + i * nest.dims[d].src);
      }
    }
    all = std::move(next);
  }
  return all;
}

std::vector<Operands> execute(const std::vector<Nest>& parts) {
  std::vector<Operands> all;
  for (const Nest& part : parts) {
    for (const Operands& each : execute(part)) all.push_back(each);
  }
  return all;
}

uint32_t strideOf(int passes, int banks, bool concurrent = true) {
  HwParams params = HwConfig::makeDefault().params();
  params.alu_passes = passes;
  params.acc_banks = banks;
  params.concurrent_compute = concurrent;
  return aluBankStride(*HwConfig::create(params));
}

TEST(AluBankStride, IsInStepWithTheGemmCore) {
  for (const int banks : {2, 4, 8}) {
    for (const int passes : {1, 2, 4}) {
      const uint32_t stride = strideOf(passes, banks);
      EXPECT_EQ(stride % banks, static_cast<uint32_t>(passes % banks))
          << passes << " passes, " << banks << " banks";
    }
  }
  EXPECT_EQ(strideOf(4, 2, false), 1u) << "nothing to stay out of the way of";
}

TEST(SplitByBank, KeepsAllOperationsAndChangesTheirOrder) {
  std::mt19937 rng(5);
  const auto pick = [&](uint32_t lo, uint32_t hi) {
    return std::uniform_int_distribution<uint32_t>(lo, hi)(rng);
  };
  int as_one = 0;
  int as_several = 0;
  for (int round = 0; round < 500; ++round) {
    const uint32_t stride = 1u << pick(0, 2);
    Nest nest;
    nest.base.dst_idx = static_cast<uint16_t>(pick(0, 100));
    nest.base.src_idx = static_cast<uint16_t>(pick(0, 100));
    nest.push({pick(1, 4), 200, pick(0, 3), 0, true});
    nest.push({pick(1, 100), 1, pick(0, 2), 0, true});
    const std::vector<Nest> parts = splitByBank(nest, stride);
    const std::vector<Operands> before = execute(nest);
    const std::vector<Operands> after = execute(parts);
    EXPECT_EQ(std::multiset<Operands>(before.begin(), before.end()),
              std::multiset<Operands>(after.begin(), after.end()));
    if (after == before) continue;
    ++(parts.size() == 1 ? as_one : as_several);
    // Steps of another size are those from a row's, a bank's or a block's end to the next.
    size_t others = 0;
    for (size_t i = 1; i < after.size(); ++i) {
      others += after[i].first != after[i - 1].first + stride ? 1 : 0;
    }
    EXPECT_LT(others, 4 * stride);
  }
  EXPECT_GT(as_one, 20);
  EXPECT_GT(as_several, 100);
}

TEST(SplitByBank, LeavesShortRowsAlone) {
  Nest nest;
  nest.push({20, 7, 0, 0, true});
  nest.push({6, 1, 0, 0, true});
  EXPECT_EQ(splitByBank(nest, 2).size(), 1u);
  EXPECT_EQ(execute(splitByBank(nest, 2)), execute(nest));
}

// A loop that comes back to the same accumulators is no row of neighbours.
TEST(SplitByBank, LeavesReductionsAlone) {
  Nest nest;
  nest.push({40, 1, 1, 0, false});
  EXPECT_EQ(splitByBank(nest, 2).size(), 1u);
}

}  // namespace
}  // namespace vta::kernel
