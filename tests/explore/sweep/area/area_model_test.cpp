#include "explore/sweep/area/area_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "explore/sweep/area/least_squares.h"
#include "explore/sweep/area/memories.h"
#include "isa/spec/parameters.h"

namespace vta::sweep {
namespace {

TEST(LeastSquares, FindsCoefficients) {
  const std::vector<std::vector<double>> rows = {{1, 1}, {1, 2}, {1, 5}};
  const std::vector<double> targets = {5, 7, 13};  // 3 + 2 x
  const std::vector<double> found = fitNonNegative(rows, targets, 0);
  EXPECT_NEAR(found[0], 3, 1e-3);
  EXPECT_NEAR(found[1], 2, 1e-3);
}

TEST(LeastSquares, NoCoefficientIsNegative) {
  const std::vector<std::vector<double>> rows = {{1, 1}, {1, 2}, {1, 5}};
  const std::vector<double> targets = {9, 8, 5};
  for (const double c : fitNonNegative(rows, targets, 0)) EXPECT_GE(c, 0);
}

TEST(AreaModel, TransposingLoadsTakeAMultiplexerForEachBitThatMoves) {
  const std::pair<int, int> cases[] = {{16, 16 * 15}, {32, 16 * 32 - 2}};  // of 16 x 32, two stay
  for (const auto& [block_out, weights] : cases) {
    HwParams params;
    params.block_out = block_out;
    const AreaEstimate without = estimateArea(*HwConfig::create(params));
    params.ext_transpose = true;
    const AreaEstimate with = estimateArea(*HwConfig::create(params));
    EXPECT_NEAR(with.lut - without.lut, weights * 8, 1e-6);
    EXPECT_EQ(with.ff, without.ff);
  }
}

TEST(AreaModel, HandoversTakeASecondOut) {
  HwParams params;
  const AreaEstimate without = estimateArea(*HwConfig::create(params));
  params.ext_handover = true;
  const AreaEstimate with = estimateArea(*HwConfig::create(params));
  EXPECT_EQ(with.bram36 - without.bram36, 8);  // 2048 elements of 128 bits
  EXPECT_EQ(with.dsp - without.dsp, 1);
  // A multiplexer for each bit of an element, and the unit that moves them.
  EXPECT_GE(with.lut - without.lut, 128 + 200);
  EXPECT_LE(with.lut - without.lut, 128 + 600);
  EXPECT_GT(with.ff, without.ff);
}

TEST(AreaModel, IsNearWhatItWasFittedTo) {
  ASSERT_GE(areaPoints().size(), 7u);
  for (const AreaPoint& point : areaPoints()) {
    const AreaEstimate estimate = estimateArea(point.hw);
    EXPECT_NEAR(estimate.lut / point.used.lut, 1, 0.15) << point.hw.summary();
    EXPECT_NEAR(estimate.ff / point.used.ff, 1, 0.25) << point.hw.summary();
    EXPECT_NEAR(estimate.dsp / point.used.dsp, 1, 0.1) << point.hw.summary();
    EXPECT_NEAR(estimate.bram36 / point.used.bram36, 1, 0.17) << point.hw.summary();
  }
}

// The error that docs/sweep.md states: it may shrink.
TEST(AreaModel, TheCrossValidatedErrorIsWhatTheManualSays) {
  const std::array<AreaError, 4> errors = crossValidate();
  for (size_t i = 0; i < errors.size(); ++i) {
    RecordProperty(std::string(resourceNames()[i]), std::to_string(errors[i].mean));
    std::printf("%s: mean %.3f, worst %.3f\n", resourceNames()[i].data(), errors[i].mean,
                errors[i].worst);
  }
  EXPECT_LT(errors[0].mean, 0.06);
  EXPECT_LT(errors[1].mean, 0.09);
  EXPECT_LT(errors[2].mean, 0.01);
  EXPECT_LT(errors[3].mean, 0.03);
}

/// Another legal value of `parameter`, far away where it may be: block RAMs hold 512 words or more,
/// so small steps may change nothing. The default's own if there is none.
HwParams withAnother(const Parameter& parameter) {
  HwParams base = HwConfig::makeDefault().params();
  if (parameter.extension != nullptr) base.*parameter.extension = true;
  const int64_t own = parameter.access.get(base);
  const int64_t last_choice = std::ssize(parameter.names) - 1;
  for (const int64_t value :
       {last_choice, own * 8, own * 2, own / 2, own + 1, own - 1, int64_t{0}, own | 24}) {
    HwParams params = base;
    parameter.access.set(params, value);
    if (parameter.access.get(params) != own && HwConfig::create(params).ok()) return params;
  }
  return base;
}

TEST(AreaModel, EveryParameterMovesTheEstimateOrIsDeclaredNeutral) {
  for (const Parameter& parameter : parameters()) {
    if (parameter.kind == ParameterKind::kText) continue;
    HwParams base = HwConfig::makeDefault().params();
    if (parameter.extension != nullptr) base.*parameter.extension = true;
    const auto before = valuesOf(estimateArea(*HwConfig::create(base)));
    const auto neutral = areaNeutralParameters();
    const bool is_neutral =
        std::ranges::find(neutral, parameter.fullKey(), &NeutralParameter::key) != neutral.end();
    const auto after = valuesOf(estimateArea(*HwConfig::create(withAnother(parameter))));
    EXPECT_EQ(before == after, is_neutral) << parameter.fullKey();
  }
}

// What hw/synth/synth counts for the same memories (tests/hw/synth_test.py).
TEST(MemoryArea, IsOfTheStyleThatIsAskedFor) {
  EXPECT_EQ(memoryArea(128, 512).bram36, 2);
  EXPECT_EQ(memoryArea(128, 512, RamStyle::kBlock).bram36, 2);
  EXPECT_EQ(memoryArea(32, 16).bram36, 0);
  EXPECT_EQ(memoryArea(32, 16, RamStyle::kBlock).bram36, 0.5);
  const MemoryArea ultra = memoryArea(128, 512, RamStyle::kUltra);
  EXPECT_EQ(ultra.uram, 2);
  EXPECT_EQ(ultra.bram36, 0);
  EXPECT_EQ(memoryArea(73, 4097, RamStyle::kUltra).uram, 4);
  const MemoryArea distributed = memoryArea(128, 512, RamStyle::kDistributed);
  EXPECT_EQ(distributed.bram36, 0);
  EXPECT_GE(distributed.lutram_luts, 128 * 512 / 64);
}

// Three quarters of the rows take three quarters of the blocks, where blocks stand side by side.
// The counts are Yosys's for vta_ram_1r1w.
TEST(MemoryArea, OfDepthsBetweenPowersOfTwo) {
  EXPECT_EQ(memoryArea(128, 2048).bram36, 7.5);
  EXPECT_EQ(memoryArea(128, 2048).select_luts, 0);
  EXPECT_EQ(memoryArea(128, 1536).bram36, 6);
  EXPECT_EQ(memoryArea(128, 1536).select_luts, 128);
  // Yosys finds a narrower block for the last eight bits.
  EXPECT_NEAR(memoryArea(512, 1536).bram36, 21.5, 1);
  EXPECT_EQ(memoryArea(512, 768).bram36, 14.5);  // as many as with 1024 rows
  EXPECT_EQ(memoryArea(32, 1792).bram36, 2);
  EXPECT_EQ(memoryArea(32, 1792).select_luts, 0);
  EXPECT_EQ(memoryArea(128, 6144).bram36, 22.5);
}

TEST(AreaModel, DepthsBetweenPowersOfTwoSaveBlocks) {
  HwParams params = HwConfig::makeDefault().params();
  const double before = estimateArea(HwConfig::makeDefault()).bram36;
  params.acc_buf_bytes = params.acc_buf_bytes * 3 / 4;  // 384 rows of a bank: as many blocks as 512
  EXPECT_EQ(estimateArea(*HwConfig::create(params)).bram36, before);
  params.inp_buf_bytes = params.inp_buf_bytes * 3 / 4;
  EXPECT_EQ(estimateArea(*HwConfig::create(params)).bram36, before - 1.5);
}

// Four banks of 512 x 512 bits become four of 512 x 384: 5.5 block RAMs each instead of 7.5.
TEST(AreaModel, NarrowAccumulatorsSaveBlocks) {
  HwParams params;
  const AreaEstimate wide = estimateArea(*HwConfig::create(params));
  params.acc_width_bits = 24;
  const AreaEstimate narrow = estimateArea(*HwConfig::create(params));
  EXPECT_EQ(wide.bram36 - narrow.bram36, 4 * (7.5 - 5.5));
  EXPECT_LT(narrow.lut, wide.lut);
  EXPECT_LT(narrow.ff, wide.ff);
}

TEST(AreaModel, ARelaxedPipelineHasFewerFlipFlops) {
  HwParams params;
  const AreaEstimate fast = estimateArea(*HwConfig::create(params));
  params.pipeline = Pipeline::kRelaxed;
  const AreaEstimate relaxed = estimateArea(*HwConfig::create(params));
  EXPECT_EQ(relaxed.lut, fast.lut);
  // Four sums of 18 bits of an output, and 64 bits and a shift of each lane.
  EXPECT_EQ(fast.ff - relaxed.ff, 16 * 4 * 18 + 16 * (64 + 6));
}

TEST(AreaModel, FitsHasHardAndSoftLimits) {
  const DeviceResources* device = findDevice("xc7z020");
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(findDevice("xc7"), nullptr);
  AreaEstimate area = device->has;
  EXPECT_EQ(fits(area, *device, 0), "");
  EXPECT_THAT(fits(area, *device, 0.1), testing::HasSubstr("lut"));
  EXPECT_EQ(fits(area, *device, -0.1), "");
  area.lut *= 1.05;
  EXPECT_EQ(fits(area, *device, -0.1), "");
  area.dsp += 1;
  EXPECT_THAT(fits(area, *device, -0.1), testing::HasSubstr("dsp 221"));
}

}  // namespace
}  // namespace vta::sweep
