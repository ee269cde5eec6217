#include "explore/sweep/surrogate/surrogate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "tests/explore/sweep/space/beside_digits.h"

namespace vta::sweep {
namespace {

constexpr const char* kSweep =
    "grid:\n"
    "  gemm.block_in: {from: 4, to: 64, factor: 2}\n"
    "  gemm.block_out: {from: 4, to: 64, factor: 2}\n"
    "  axi.data_width_bits: [32, 64, 128, 256]\n"
    "  isa.extensions: [[qmul, clip, pad_min], [qmul, clip, pad_min, requant]]\n"
    "models: digits.onnx\n"
    "memories: [simple, ddr3-1066, ddr4-2400]\n";

/// Cycles that a bus, an array and an extension share, by a formula.
std::vector<PointResult> evaluateAll(SweepSpace& space) {
  std::vector<PointResult> results;
  for (uint64_t number = 0; number < space.size(); ++number) {
    PointResult result;
    result.point = space.point(space.choicesOf(number));
    result.values = result.point.values;
    const Values& v = result.values;
    const double array = 1e9 / v.at("gemm.block_in") / v.at("gemm.block_out");
    const double bus = 3e8 / v.at("axi.data_width_bits") * (1 + result.point.memory);
    result.values["cycles"] =
        std::max(array, bus) + 0.3 * std::min(array, bus) + (v.at("ext.requant") != 0 ? 0 : 1e6);
    results.push_back(std::move(result));
  }
  return results;
}

class SurrogateTest : public testing::Test {
 protected:
  SurrogateTest()
      : sweep_(*parseBesideDigits(kSweep)),
        space_(*SweepSpace::create(sweep_)),
        results_(evaluateAll(space_)) {}

  std::vector<const PointResult*> some(size_t count) const {
    std::vector<const PointResult*> chosen;
    for (const PointResult& result : results_) chosen.push_back(&result);
    std::mt19937 random(1);
    std::ranges::shuffle(chosen, random);
    chosen.resize(count);
    return chosen;
  }

  std::vector<double> rows(const Surrogate& surrogate) const {
    std::vector<double> all;
    for (const PointResult& result : results_) surrogate.inputs().append(result.point, all);
    return all;
  }

  SweepConfig sweep_;
  SweepSpace space_;
  std::vector<PointResult> results_;
};

TEST_F(SurrogateTest, InputsTellPointsApart) {
  const Surrogate surrogate(sweep_, {"cycles"});
  const size_t count = surrogate.inputs().count();
  const std::vector<double> all = rows(surrogate);
  ASSERT_EQ(all.size(), count * results_.size());
  std::set<std::vector<double>> seen;
  for (size_t i = 0; i < results_.size(); ++i) {
    seen.insert({all.begin() + static_cast<std::ptrdiff_t>(i * count),
                 all.begin() + static_cast<std::ptrdiff_t>((i + 1) * count)});
  }
  EXPECT_EQ(seen.size(), results_.size());
}

TEST_F(SurrogateTest, PredictsPointsThatItHasNotSeen) {
  Surrogate surrogate(sweep_, {"cycles"});
  ASSERT_TRUE(surrogate.fit(some(200)).ok());
  const std::vector<double> cycles = surrogate.predict(rows(surrogate))[0];
  double sum = 0;
  for (size_t i = 0; i < results_.size(); ++i) {
    sum += std::abs(cycles[i] / results_[i].values.at("cycles") - 1);
  }
  const double mean = sum / static_cast<double>(results_.size());
  EXPECT_LT(mean, 0.05);
  EXPECT_LT(std::abs(surrogate.leftOutError() - mean), 0.05);
}

TEST_F(SurrogateTest, PointsWithoutResultsTeachNothing) {
  Surrogate surrogate(sweep_, {"cycles"});
  for (PointResult& result : results_) result.values.erase("cycles");
  EXPECT_FALSE(surrogate.fit(some(200)).ok());
}

}  // namespace
}  // namespace vta::sweep
