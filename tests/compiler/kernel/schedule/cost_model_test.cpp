#include "compiler/kernel/schedule/cost_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/kernel/lower.h"
#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

// Traffic and micro-ops of a program, counted instruction by instruction.
struct Counts {
  double inp_bytes = 0, wgt_bytes = 0, out_bytes = 0, gemm_uops = 0, alu_uops = 0;
};

Counts count(const Program& program, const HwConfig& hw) {
  Counts counts;
  for (const Instruction& insn : program.instructions) {
    if (const auto* mem = std::get_if<MemInsn>(&insn.body)) {
      const double bytes = 1.0 * mem->x_size * mem->y_size * hw.elemBytes(mem->memory_type);
      if (mem->memory_type == MemoryType::kInp) counts.inp_bytes += bytes;
      if (mem->memory_type == MemoryType::kWgt) counts.wgt_bytes += bytes;
      if (mem->memory_type == MemoryType::kOut) counts.out_bytes += bytes;
    } else if (const auto* gemm = std::get_if<GemmInsn>(&insn.body)) {
      counts.gemm_uops += 1.0 * gemm->iter_out * gemm->iter_in * (gemm->uop_end - gemm->uop_bgn);
    } else if (const auto* alu = std::get_if<AluInsn>(&insn.body)) {
      counts.alu_uops += 1.0 * alu->iter_out * alu->iter_in * (alu->uop_end - alu->uop_bgn);
    }
  }
  return counts;
}

// The estimate's parts that do not depend on overheads are those of the lowered program.
TEST(EstimateCost, CountsWhatTheProgramDoes) {
  const HwConfig hw = HwConfig::makeDefault();
  KernelDesc desc = smallConvolution();
  desc.epilogue = {{AluOpcode::kAdd, EpilogueStep::Source::kParam, 0, 0}};
  for (const auto order : {Schedule::Order::kWeightsInner, Schedule::Order::kWeightsOuter}) {
    for (const int64_t height : {3, 8}) {
      Schedule s;
      s.tile_height = height;
      s.tile_width = 8;
      s.order = order;
      SCOPED_TRACE(s.toString());
      const Result<Program> program = lower(desc, s, hw);
      ASSERT_TRUE(program.ok());
      const Counts counts = count(*program, hw);
      const CostEstimate cost = estimateCost(desc, s, hw);
      EXPECT_EQ(cost.write_bytes, counts.out_bytes);
      EXPECT_GE(cost.read_bytes, counts.inp_bytes + counts.wgt_bytes);
      EXPECT_LE(cost.read_bytes, (counts.inp_bytes + counts.wgt_bytes) * 1.25);
      const double uops = counts.gemm_uops + counts.alu_uops;
      EXPECT_GE(cost.gemm_cycles + cost.alu_cycles, uops);
      EXPECT_LE(cost.gemm_cycles + cost.alu_cycles, uops * 1.1);
    }
  }
}

TEST(EstimateCost, SkippedPaddingIsNotMultiplied) {
  const HwConfig hw = HwConfig::makeDefault();
  Schedule s;
  s.tile_height = 3;
  s.tile_width = 8;
  s.skip_padding = true;
  const Result<Program> program = lower(smallConvolution(), s, hw);
  ASSERT_TRUE(program.ok());
  // 8 rows of 3 taps less the two outside, columns alike; 2 x 2 blocks; the first two tiles are
  // cleared by GEMM.
  const double multiplied = 22 * 22 * 4;
  EXPECT_EQ(count(*program, hw).gemm_uops, multiplied + 2 * 24);
  const double estimated = estimateCost(smallConvolution(), s, hw).gemm_cycles;
  EXPECT_GE(estimated, multiplied);
  s.skip_padding = false;
  EXPECT_GE(estimateCost(smallConvolution(), s, hw).gemm_cycles, 64 * 9 * 4);
}

// Two accumulators are too few to keep clear of 0.0.2's hazards within one instruction.
TEST(EstimateCost, TilesOfTwoElementsCostMoreOnPublishedHardware) {
  KernelDesc dense;
  dense.geometry.in_channel_blocks = 16;
  dense.geometry.out_channel_blocks = 12;
  Schedule s;
  s.tile_in_blocks = 16;
  s.tile_out_blocks = 2;
  const double two = estimateCost(dense, s, compatHw()).gemm_cycles;
  s.tile_out_blocks = 3;
  EXPECT_GT(two, 2 * estimateCost(dense, s, compatHw()).gemm_cycles);
}

TEST(EstimateCost, LatencyHidingPays) {
  const HwConfig hw = HwConfig::makeDefault();
  Schedule s;
  s.tile_height = 2;
  s.tile_width = 8;
  const double hidden = estimateCost(smallConvolution(), s, hw).cycles;
  s.virtual_threads = 1;
  EXPECT_GT(estimateCost(smallConvolution(), s, hw).cycles, hidden);
}

TEST(EstimateCost, PublishedHardwareIsSlower) {
  Schedule s;
  s.tile_height = s.tile_width = 4;
  EXPECT_GT(estimateCost(smallConvolution(), s, compatHw()).cycles,
            estimateCost(smallConvolution(), s, HwConfig::makeDefault()).cycles);
}

TEST(EstimateCost, OfAScheduleThatDoesNotFitIsZero) {
  Schedule s;
  s.tile_height = 99;
  EXPECT_EQ(estimateCost(smallConvolution(), s, HwConfig::makeDefault()).cycles, 0);
}

}  // namespace
}  // namespace vta::kernel::testing
