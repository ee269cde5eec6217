#include "explore/sweep/space/sweep_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/explore/sweep/space/beside_digits.h"

namespace vta::sweep {
namespace {

using testing::HasSubstr;

constexpr const char* kModel = "models: digits.onnx\n";

SweepConfig sweepOf(const std::string& text) {
  auto sweep = parseBesideDigits(text + kModel);
  EXPECT_TRUE(sweep.ok()) << sweep.status().message();
  return *std::move(sweep);
}

TEST(SweepSpace, IsTheProductOfItsAxes) {
  SweepConfig sweep = sweepOf(
      "grid: {gemm.batch: [1, 2], gemm.block_in: {from: 8, to: 32, factor: 2}}\n"
      "memories: [simple, ddr3-1066]\n");
  auto space = SweepSpace::create(sweep);
  ASSERT_TRUE(space.ok()) << space.status().message();
  EXPECT_EQ(space->size(), 12u);
  std::set<std::string> seen;
  for (uint64_t number = 0; number < space->size(); ++number) {
    const Point point = space->point(space->choicesOf(number));
    EXPECT_EQ(point.number, number);
    ASSERT_TRUE(point.isLegal()) << point.reason;
    EXPECT_EQ(point.hw->batch(), point.values.at("gemm.batch"));
    EXPECT_EQ(point.hw->blockIn(), point.values.at("gemm.block_in"));
    EXPECT_TRUE(seen.insert(describeAxes(sweep, point)).second);
  }
}

TEST(SweepSpace, DerivesParameters) {
  SweepConfig sweep = sweepOf(
      "grid: {block: [8, 16]}\n"
      "derive: {gemm.block_in: block, gemm.block_out: 2 * block, "
      "buffers.acc_buf_bytes: 2048 * 4 * gemm.block_out}\n");
  auto space = SweepSpace::create(sweep);
  ASSERT_TRUE(space.ok()) << space.status().message();
  const Point point = space->point({1, 0, 0});
  ASSERT_TRUE(point.isLegal()) << point.reason;
  EXPECT_EQ(point.hw->blockIn(), 16);
  EXPECT_EQ(point.hw->blockOut(), 32);
  EXPECT_EQ(point.hw->params().acc_buf_bytes, 2048u * 4 * 32);
}

TEST(SweepSpace, SizesNeedNotBePowersOfTwo) {
  SweepConfig sweep = sweepOf(
      "grid:\n"
      "  buffers.inp_buf_bytes: {from: 16KiB, to: 32KiB, step: 4KiB}\n"
      "  buffers.acc_buf_bytes: [96KiB, 98368]\n");
  auto space = SweepSpace::create(sweep);
  ASSERT_TRUE(space.ok()) << space.status().message();
  ASSERT_EQ(space->size(), 10);
  for (uint64_t number = 0; number < space->size(); ++number) {
    const Point point = space->point(space->choicesOf(number));
    const bool fills_banks = point.values.at("buffers.acc_buf_bytes") == 96 * 1024;
    EXPECT_EQ(point.isLegal(), fills_banks) << point.reason;
    if (fills_banks) continue;
    EXPECT_THAT(point.reason, testing::HasSubstr("compute.acc_banks"));
  }
  EXPECT_EQ(space->point({1, 0, 0}).hw->depthElems(MemoryType::kInp), 1280u);
}

TEST(SweepSpace, PointsWithAnAbsentAxisAreOne) {
  SweepConfig sweep = sweepOf(
      "grid:\n"
      "  gemm.batch: [1, 2]\n"
      "  axi.data_width_bits: {values: [128, 64], when: gemm.batch > 1, otherwise: 32}\n");
  auto space = SweepSpace::create(sweep);
  ASSERT_TRUE(space.ok()) << space.status().message();
  const Point first = space->point({0, 0, 0, 0});
  const Point second = space->point({0, 1, 0, 0});
  EXPECT_EQ(first.number, second.number);
  EXPECT_EQ(second.hw->params().axi_data_width_bits, 32);
  EXPECT_EQ(space->point({1, 0, 0, 0}).hw->params().axi_data_width_bits, 128);
}

TEST(SweepSpace, EqualReasonsAreOneRule) {
  SweepConfig sweep = sweepOf(
      "grid: {gemm.batch: [3, 5, 1], axi.data_width_bits: [64, 128]}\n"
      "constraints: [axi.data_width_bits < 100]\n");
  auto space = SweepSpace::create(sweep);
  ASSERT_TRUE(space.ok()) << space.status().message();
  const Point three = space->point({0, 0, 0, 0});
  const Point five = space->point({1, 0, 0, 0});
  EXPECT_FALSE(three.isLegal());
  EXPECT_EQ(three.rule, five.rule);
  EXPECT_NE(three.reason, five.reason);
  const Point wide = space->point({2, 1, 0, 0});
  EXPECT_THAT(wide.reason, HasSubstr("axi.data_width_bits < 100 does not hold"));
  EXPECT_TRUE(space->point({2, 0, 0, 0}).isLegal());
}

TEST(SweepSpace, TakesTheClockOfTheEstimate) {
  SweepConfig sweep = sweepOf("clock: {estimate: xczu3eg-1, filled: false}\n");
  auto space = SweepSpace::create(sweep);
  ASSERT_TRUE(space.ok()) << space.status().message();
  const Point point = space->point({0, 0});
  EXPECT_EQ(point.hw->params().clockMhz(), static_cast<int>(point.values.at("clock.xczu3eg_1")));
}

TEST(SweepSpace, RefusesUnknownNames) {
  SweepConfig sweep = sweepOf("constraints: [luts < 3]\n");
  const auto space = SweepSpace::create(sweep);
  ASSERT_FALSE(space.ok());
  EXPECT_THAT(space.status().message(), HasSubstr("sweep.yaml:1:"));
  EXPECT_THAT(space.status().message(), HasSubstr("unknown name luts"));
}

}  // namespace
}  // namespace vta::sweep
