// Random kernels x configurations x schedules: the program's result is the reference's, bit for
// bit, whatever order the units take within what the tokens allow.
//
// VTA_KERNEL_SEED=<n> replays one case; VTA_KERNEL_CASES=<n> sets how many run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "compiler/kernel/desc/scalar_reference.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/lower.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "isa/program/text/assembler.h"
#include "isa/program/verify/verifier.h"
#include "tests/compiler/kernel/device_runner.h"
#include "tests/compiler/kernel/interpreter.h"
#include "tests/compiler/kernel/random_kernel.h"

namespace vta::kernel::testing {
namespace {

constexpr uint64_t kFirstSeed = 1;
constexpr uint64_t kDefaultCases = 1500;

uint64_t fromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void checkKernel(Rng& rng, const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                 uint64_t seed) {
  SCOPED_TRACE(describe(desc) + " on " + hw.summary() + ": " + schedule.toString());
  const Placement placement{.from_top = pick(rng, 0, 1) == 1};
  const Result<Program> program = lower(desc, schedule, hw, placement);
  ASSERT_TRUE(program.ok()) << program.status().message();

  const Status legal = verifyProgramStatus(*program, hw);
  ASSERT_TRUE(legal.ok()) << legal.message() << disassembleProgram(*program, hw);

  const Operands operands = randomOperands(rng, desc, hw);
  const std::vector<int8_t> expected =
      runReference(desc, hw, operands.input, operands.weight, operands.param, operands.residual);
  const auto expectReference = [&](const std::vector<std::vector<uint8_t>>& buffers) {
    const std::vector<uint8_t>& actual = buffers[bufferIndex(*program, kOutputBuffer)];
    ASSERT_EQ(actual.size(), expected.size());
    ASSERT_EQ(std::memcmp(actual.data(), expected.data(), actual.size()), 0)
        << disassembleProgram(*program, hw);
  };
  {
    SCOPED_TRACE("units in random order");
    std::vector<std::vector<uint8_t>> buffers = makeBuffers(*program, hw, operands);
    ASSERT_EQ(interpret(*program, hw, buffers, seed), "") << disassembleProgram(*program, hw);
    expectReference(buffers);
  }
  {
    SCOPED_TRACE("functional simulator");
    std::vector<std::vector<uint8_t>> buffers = makeBuffers(*program, hw, operands);
    const Status status = runOnFunctionalDevice(*program, hw, buffers);
    ASSERT_TRUE(status.ok()) << status.message() << disassembleProgram(*program, hw);
    expectReference(buffers);
  }
}

void checkCase(uint64_t seed) {
  Rng rng(seed);
  const HwConfig hw = randomHw(rng);
  const KernelDesc desc = randomKernel(rng, hw);
  SCOPED_TRACE("replay with VTA_KERNEL_SEED=" + std::to_string(seed) + ": " + describe(desc) +
               " on " + hw.summary());
  const Result<Schedule> schedule = randomSchedule(rng, desc, hw);
  ASSERT_TRUE(schedule.ok()) << schedule.status().message();
  checkKernel(rng, desc, *schedule, hw, seed);
}

TEST(RandomKernels, MatchTheReference) {
  const uint64_t only = fromEnvironment("VTA_KERNEL_SEED", 0);
  if (only != 0) return checkCase(only);
  const uint64_t cases = fromEnvironment("VTA_KERNEL_CASES", kDefaultCases);
  for (uint64_t seed = kFirstSeed; seed < kFirstSeed + cases; ++seed) {
    checkCase(seed);
    if (HasFatalFailure()) return;
  }
}

// Plans that only small buffers cause, each found a number of times among kernels with a small ACC.
class SmallBuffers : public ::testing::Test {
 protected:
  template <typename Wanted>
  void check(int times, const Wanted& wanted) {
    constexpr uint64_t kMostSeeds = 30000;
    for (uint64_t seed = kFirstSeed; times > 0 && seed < kMostSeeds; ++seed) {
      Rng rng(seed);
      HwParams params = randomHw(rng).params();
      params.acc_buf_bytes = uint64_t{16} * params.batch * params.block_out * 4 << pick(rng, 0, 2);
      const Result<HwConfig> hw = HwConfig::create(params);
      if (!hw.ok()) continue;
      const KernelDesc desc = randomKernel(rng, *hw);
      const Result<Schedule> schedule = randomSchedule(rng, desc, *hw);
      KernelPlan plan;
      PlanFailure failure;
      if (!schedule.ok() || !makePlan(desc, *schedule, *hw, plan, failure)) continue;
      if (!wanted(desc, plan)) continue;
      checkKernel(rng, desc, *schedule, *hw, seed);
      if (HasFatalFailure()) return;
      --times;
    }
    EXPECT_EQ(times, 0) << "too few such plans";
  }
};

TEST_F(SmallBuffers, ResidualsInPieces) {
  check(40, [](const KernelDesc&, const KernelPlan& plan) { return plan.sram.residual_in_pieces; });
}

TEST_F(SmallBuffers, ThreeTilesWithTheParametersOfAChannelTile) {
  check(40, [](const KernelDesc& desc, const KernelPlan& plan) {
    return plan.sram.acc.count == 3 && plan.sram.param_mode == ParamMode::kPerTile &&
           desc.num_params > 0;
  });
}

TEST_F(SmallBuffers, PassesThatGoToAndFro) {
  check(40, [](const KernelDesc&, const KernelPlan& plan) {
    return plan.alternates && plan.tiling.steps() > 1;
  });
}

TEST_F(SmallBuffers, ImagesAsOneRow) {
  check(40, [](const KernelDesc& desc, const KernelPlan& plan) {
    return plan.geometry.out_width > desc.geometry.out_width;
  });
}

}  // namespace
}  // namespace vta::kernel::testing
