#include "compiler/kernel/plan/kernel_plan.h"

#include <gtest/gtest.h>

#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

KernelPlan planOf(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw) {
  KernelPlan plan;
  PlanFailure failure;
  EXPECT_TRUE(makePlan(desc, schedule, hw, plan, failure)) << failure.resource;
  return plan;
}

HwConfig withBuffers(uint64_t inp, uint64_t wgt, uint64_t acc, int bus_bits = 64) {
  HwParams params = HwConfig::makeDefault().params();
  params.axi_data_width_bits = bus_bits;
  params.inp_buf_bytes = inp;
  params.wgt_buf_bytes = wgt;
  params.acc_buf_bytes = acc;
  auto hw = HwConfig::create(params);
  EXPECT_TRUE(hw.ok()) << hw.status().message();
  return hw.ok() ? *std::move(hw) : HwConfig::makeDefault();
}

TEST(SramPlan, WeightsThatFitStayForAllPixels) {
  Schedule s;
  s.tile_height = 4;
  s.tile_width = 8;
  const KernelDesc desc = smallConvolution();
  const KernelPlan plan = planOf(desc, s, HwConfig::makeDefault());
  // Two output tiles, two input steps, nine taps each.
  EXPECT_EQ(plan.sram.wgt.count, 4u);
  EXPECT_EQ(plan.sram.wgt.elems, 9u);
}

TEST(SramPlan, WeightsThatDoNotFitAreStreamed) {
  Schedule s;
  s.tile_height = 4;
  s.tile_width = 8;
  const HwConfig hw = withBuffers(32 << 10, 16 << 10, 128 << 10, 256);  // 64 weight elements
  KernelDesc desc = smallConvolution();
  desc.geometry.in_channel_blocks = 8;
  // Short steps load further ahead, in half of the scratchpad; longer ones have two slots.
  EXPECT_EQ(planOf(desc, s, hw).sram.wgt.count, 3u);
  s.tile_in_blocks = 4;
  EXPECT_GT(32 * 9 * s.tile_in_blocks, 1024);
  EXPECT_EQ(planOf(desc, s, withBuffers(32 << 10, 32 << 10, 128 << 10, 256)).sram.wgt.count, 2u);
}

// Where the bus has no time to load all weights for each of two pixel tiles, the second begins with
// those that the first one used last.
TEST(SramPlan, PassesGoToAndFroWhereLoadsTakeLonger) {
  Schedule s;
  s.tile_height = 4;
  s.tile_width = 8;
  s.order = Schedule::Order::kWeightsOuter;
  KernelDesc desc = smallConvolution();
  desc.geometry.in_channel_blocks = 8;
  const uint64_t wgt_bytes = 16 << 10;  // 7 of 8 steps
  const KernelPlan plan = planOf(desc, s, withBuffers(32 << 10, wgt_bytes, 128 << 10));
  EXPECT_TRUE(plan.alternates);
  EXPECT_EQ(plan.sram.wgt.count, 7u);
  EXPECT_DOUBLE_EQ(operandPasses(plan, s.order).weights, 1 + 1.0 / 8);
  const KernelPlan wide = planOf(desc, s, withBuffers(32 << 10, wgt_bytes, 128 << 10, 256));
  EXPECT_FALSE(wide.alternates);
  EXPECT_DOUBLE_EQ(operandPasses(wide, s.order).weights, 2);
}

TEST(SramPlan, InputsStayWhileOutputChannelsGoRound) {
  Schedule s;
  s.tile_height = 4;
  s.tile_width = 8;
  const KernelDesc desc = smallConvolution();
  // Two steps to keep and one slot to load ahead.
  EXPECT_EQ(planOf(desc, s, HwConfig::makeDefault()).sram.inp.count, 3u);
  s.order = Schedule::Order::kWeightsOuter;
  EXPECT_EQ(planOf(desc, s, HwConfig::makeDefault()).sram.inp.count, 4u);
}

TEST(SramPlan, AResidualWithoutRoomComesInPieces) {
  KernelDesc desc = smallConvolution();
  desc.residual.emplace();
  desc.epilogue.push_back({AluOpcode::kAdd, EpilogueStep::Source::kResidual, 0, 0});
  Schedule s;
  s.tile_height = 4;
  s.tile_width = 8;
  s.int8_through_gemm = false;
  const auto plan = [&](uint64_t acc_elems) {
    return planOf(desc, s, withBuffers(32 << 10, 256 << 10, acc_elems * 64)).sram;
  };
  EXPECT_FALSE(plan(128).residual_in_pieces);  // two tiles of 32 and a residual's
  const SramPlan pieces = plan(64);
  ASSERT_TRUE(pieces.residual_in_pieces);
  // A piece, two parameters, the tile, another piece.
  EXPECT_EQ(pieces.residual.elems, 15u);
  EXPECT_EQ(pieces.param.base, 15u);
  EXPECT_EQ(pieces.acc.base, 17u);
  EXPECT_EQ(pieces.residual.slotBase(1), 49u);
}

// Three output tiles want parameters twice: with 64 channel blocks, only those of the tile.
TEST(SramPlan, ThreeTilesTakeTheParametersThatFit) {
  KernelDesc desc = smallConvolution();
  Geometry& g = desc.geometry;
  g.in_channel_blocks = 1;
  g.kernel_height = g.kernel_width = 1;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 0;
  desc.epilogue.assign(3, {AluOpcode::kAdd, EpilogueStep::Source::kParam, 0, 0});
  Schedule s;
  s.tile_width = 32;
  s.order = Schedule::Order::kWeightsOuter;
  const auto plan = [&](int64_t out_blocks) {
    g.out_channel_blocks = out_blocks;
    return planOf(desc, s, withBuffers(32 << 10, 256 << 10, 128 * 64)).sram;
  };
  EXPECT_EQ(plan(8).acc.count, 3u);
  EXPECT_EQ(plan(8).param_mode, ParamMode::kResident);
  EXPECT_EQ(plan(64).acc.count, 3u);
  EXPECT_EQ(plan(64).param_mode, ParamMode::kPerTile);
  EXPECT_EQ(plan(64).param.count, 2u);
  s.order = Schedule::Order::kWeightsInner;
  EXPECT_EQ(plan(64).acc.count, 2u);
}

TEST(SramPlan, ParametersGoWhereTheyFit) {
  KernelDesc desc = smallConvolution();
  desc.num_params = 3;
  desc.geometry.out_channel_blocks = 8;
  Schedule s;
  s.tile_height = s.tile_width = 2;
  s.virtual_threads = 1;
  const auto mode = [&](uint64_t acc_elems) {
    return planOf(desc, s, withBuffers(32 << 10, 256 << 10, acc_elems * 64)).sram.param_mode;
  };
  EXPECT_EQ(mode(32), ParamMode::kResident);  // 4 + 24
  EXPECT_EQ(mode(8), ParamMode::kPerTile);    // 4 + 3
  s.tile_width = 3;
  EXPECT_EQ(mode(8), ParamMode::kPerStep);  // 6 + 1
}

TEST(SramPlan, APlainAdditionOfAResidualNeedsNoTileOfItsOwn) {
  using Source = EpilogueStep::Source;
  KernelDesc desc = smallConvolution();
  desc.residual.emplace();
  desc.epilogue = {{AluOpcode::kAdd, Source::kResidual, 0, 0}};
  const HwConfig hw = HwConfig::makeDefault();
  EXPECT_TRUE(planOf(desc, {}, hw).residual_by_gemm);
  EXPECT_EQ(planOf(desc, {}, hw).sram.residual.count, 0u);
  desc.epilogue[0].opcode = AluOpcode::kMax;
  EXPECT_FALSE(planOf(desc, {}, hw).residual_by_gemm);
  EXPECT_EQ(planOf(desc, {}, hw).sram.residual.count, 1u);
}

// Equal offsets of a residual tile and an output tile must not fall into one ACC bank.
TEST(SramPlan, ResidualTilesLieInOtherBanks) {
  using Source = EpilogueStep::Source;
  KernelDesc desc = smallConvolution();
  desc.residual = Residual{{{AluOpcode::kShr, Source::kImmediate, 1, 0}}};
  desc.epilogue = {{AluOpcode::kAdd, Source::kResidual, 0, 0}};
  Schedule s;
  s.tile_height = s.tile_width = 4;
  const SramPlan sram = planOf(desc, s, HwConfig::makeDefault()).sram;
  for (uint32_t slot = 0; slot < sram.acc.count; ++slot) {
    EXPECT_NE((sram.residual.base - sram.acc.slotBase(slot)) % 4, 0u);
  }
}

TEST(SramPlan, RegionsDoNotOverlapAndFit) {
  using Source = EpilogueStep::Source;
  KernelDesc desc = smallConvolution();
  desc.residual = Residual{{{AluOpcode::kShr, Source::kImmediate, 1, 0}}};
  desc.epilogue = {{AluOpcode::kAdd, Source::kResidual, 0, 0}};
  const HwConfig hw = HwConfig::makeDefault();
  const SramPlan sram = planOf(desc, {}, hw).sram;
  // What the ALU combines with a tile lies between the two tiles.
  EXPECT_EQ(sram.acc.count, 2u);
  EXPECT_LE(sram.acc.slotBase(0) + sram.acc.elems, sram.param.base);
  EXPECT_LE(sram.param.end(), sram.residual.base);
  EXPECT_LE(sram.residual.end(), sram.acc.slotBase(1));
  EXPECT_EQ(sram.acc.slotBase(1) + sram.acc.elems, sram.acc.end());
  EXPECT_LE(sram.acc.end(), hw.depthElems(MemoryType::kAcc));
  EXPECT_LE(sram.inp.end(), sram.staging.base);
  EXPECT_LE(sram.staging.end(), hw.depthElems(MemoryType::kInp));
  EXPECT_LT(sram.identity_base, hw.depthElems(MemoryType::kWgt));
  EXPECT_LE(sram.wgt.end(), sram.identity_base);
}

// Where two tiles do not fit, one does without engines side by side.
TEST(SramPlan, OneTileWhereTwoDoNotFit) {
  const HwConfig hw = withParams([](HwParams& p) { p.acc_buf_bytes = 8 * 1024; });
  Schedule s;
  s.tile_height = 4;
  s.tile_width = 8;
  s.tile_out_blocks = 2;
  const KernelPlan plan = planOf(smallConvolution(), s, hw);
  EXPECT_EQ(plan.sram.acc.count, 1u);
  EXPECT_FALSE(plan.pipelined);
  s.tile_out_blocks = 1;
  EXPECT_EQ(planOf(smallConvolution(), s, hw).sram.acc.count, 2u);
  EXPECT_TRUE(planOf(smallConvolution(), s, hw).pipelined);
}

// A 1x1 layer of one input block has less GEMM work than its epilogue and store take.
TEST(SramPlan, ThirdTileWhereTheStoreHoldsUpTheGemmCore) {
  using Source = EpilogueStep::Source;
  KernelDesc desc = smallConvolution();
  Geometry& g = desc.geometry;
  g.kernel_height = g.kernel_width = g.in_channel_blocks = 1;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = 0;
  desc.num_params = 1;
  desc.epilogue = {{AluOpcode::kAdd, Source::kParam, 0, 0}};
  const SramPlan sram = planOf(desc, {}, HwConfig::makeDefault()).sram;
  ASSERT_EQ(sram.acc.count, 3u);
  ASSERT_EQ(sram.param.count, 2u);
  for (uint32_t copy = 0; copy < 2; ++copy) {
    EXPECT_EQ(sram.param.slotBase(copy), sram.acc.slotBase(copy) + sram.acc.elems);
    EXPECT_EQ(sram.param.slotBase(copy) + sram.param.elems, sram.acc.slotBase(copy + 1));
  }
}

TEST(SramPlan, FromTheTopIsTheMirrorImage) {
  using Source = EpilogueStep::Source;
  KernelDesc desc = smallConvolution();
  desc.num_params = 1;
  desc.residual = Residual{{{AluOpcode::kShr, Source::kImmediate, 1, 0}}};
  desc.epilogue = {{AluOpcode::kAdd, Source::kParam, 0, 0},
                   {AluOpcode::kAdd, Source::kResidual, 0, 0}};
  const HwConfig hw = HwConfig::makeDefault();
  const SramPlan plan = planOf(desc, {}, hw).sram;
  SramPlan mirrored = plan;
  placeFromTop(mirrored, hw);
  const uint32_t acc = hw.depthElems(MemoryType::kAcc);
  for (uint32_t slot = 0; slot < plan.acc.count; ++slot) {
    EXPECT_EQ(mirrored.acc.slotBase(slot) + plan.acc.elems, acc - plan.acc.slotBase(slot));
  }
  EXPECT_EQ(mirrored.param.base, acc - plan.param.end());
  EXPECT_EQ(mirrored.residual.base, acc - plan.residual.end());
  EXPECT_EQ(mirrored.inp.end(), hw.depthElems(MemoryType::kInp) - plan.inp.base);
  EXPECT_EQ(mirrored.identity_base, hw.depthElems(MemoryType::kWgt) - plan.identity_base - 1);
}

}  // namespace
}  // namespace vta::kernel::testing
