#include "explore/sweep/search/searcher.h"

#include <gtest/gtest.h>

#include <cmath>

#include "explore/sweep/results/pareto.h"
#include "tests/explore/sweep/space/beside_digits.h"

namespace vta::sweep {
namespace {

// Shapes and buffers of which cost and time pull apart; results are formulas.
constexpr const char* kSweep =
    "grid:\n"
    "  gemm.block_in: {from: 4, to: 64, factor: 2}\n"
    "  gemm.block_out: {from: 4, to: 64, factor: 2}\n"
    "  buffers.inp_buf_bytes: [16KiB, 32KiB, 64KiB, 128KiB]\n"
    "  buffers.acc_buf_bytes: [64KiB, 128KiB, 256KiB, 512KiB]\n"
    "  axi.data_width_bits: [32, 64, 128, 256]\n"
    "models: digits.onnx\n"
    "objectives: [latency_ms, lut + buffers.acc_buf_bytes / 64]\n";

std::vector<PointResult> evaluateByFormula(std::vector<Point> points) {
  std::vector<PointResult> results;
  for (Point& point : points) {
    PointResult result;
    const Values& v = point.values;
    if (point.isLegal()) {
      const double macs = v.at("gemm.block_in") * v.at("gemm.block_out");
      const double traffic =
          4e8 / std::sqrt(v.at("buffers.inp_buf_bytes") + v.at("buffers.acc_buf_bytes"));
      result.objectives = {1e9 / macs + traffic * 64 / v.at("axi.data_width_bits"),
                           point.area.lut + v.at("buffers.acc_buf_bytes") / 64};
      result.is_feasible = true;
      result.values = v;
      result.values["latency_ms"] = result.objectives[0];
    }
    result.point = std::move(point);
    results.push_back(std::move(result));
  }
  return results;
}

struct Outcome {
  std::vector<PointResult> results;
  int64_t evaluations = 0;
};

Outcome searchWith(const std::string& method, int evaluations, uint64_t seed) {
  auto sweep = parseBesideDigits(kSweep);
  EXPECT_TRUE(sweep.ok()) << sweep.status().message();
  auto space = SweepSpace::create(*sweep);
  EXPECT_TRUE(space.ok()) << space.status().message();
  PointStore store(*space, evaluateByFormula);
  const Status status = search({method, evaluations, 24, seed}, store);
  EXPECT_TRUE(status.ok()) << status.message();
  const int64_t count = store.evaluations();
  return {store.takeResults(), count};
}

/// All points, and the hypervolume that a search can find at most.
class Enumeration {
 public:
  Enumeration() : all_(searchWith("enumerate", 0, 1)) {
    for (const PointResult& result : all_.results) {
      for (size_t i = 0; i < result.objectives.size(); ++i) {
        worst_[i] = std::max(worst_[i], result.objectives[i] * 1.01);
      }
    }
  }

  int64_t evaluations() const { return all_.evaluations; }
  /// What part of the hypervolume `found` has.
  double shareOf(const Outcome& found) const {
    return hypervolume(found.results, worst_) / hypervolume(all_.results, worst_);
  }

 private:
  Outcome all_;
  std::vector<double> worst_ = {0, 0};
};

TEST(Search, EvolutionFindsTheFrontThatEnumerationProves) {
  const Enumeration all;
  const int budget = static_cast<int>(all.evaluations() / 5);
  for (const char* method : {"nsga2", "moead"}) {
    const Outcome found = searchWith(method, budget, 3);
    EXPECT_LE(found.evaluations, budget + 32) << method;
    const double share = all.shareOf(found);
    std::printf("%s: %.4f of the hypervolume with %ld of %ld evaluations\n", method, share,
                static_cast<long>(found.evaluations), static_cast<long>(all.evaluations()));
    EXPECT_GT(share, 0.97) << method;
    EXPECT_LE(share, 1 + 1e-9) << method;
  }
}

TEST(Search, ALearnedModelNeedsATenthOfTheEvaluations) {
  const Enumeration all;
  const int budget = static_cast<int>(all.evaluations() / 10);
  for (const uint64_t seed : {1, 2, 3}) {
    const Outcome found = searchWith("surrogate", budget, seed);
    EXPECT_EQ(found.evaluations, budget);
    const double share = all.shareOf(found);
    const double by_chance = all.shareOf(searchWith("random", budget, seed));
    EXPECT_GT(share, 0.99);
    EXPECT_GT(share, by_chance);
  }
}

TEST(Search, ALearnedModelNeedsResultsToLearn) {
  auto sweep = parseBesideDigits("models: digits.onnx\nobjectives: [lut, dsp]\n");
  auto space = SweepSpace::create(*sweep);
  ASSERT_TRUE(space.ok()) << space.status().message();
  PointStore store(*space, evaluateByFormula);
  const Status status = search({"surrogate", 4, 8, 1}, store);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("depend on none"), std::string::npos);
}

TEST(Search, IsDeterministicForItsSeed) {
  for (const char* method : {"random", "surrogate"}) {
    const Outcome first = searchWith(method, 40, 7);
    const Outcome second = searchWith(method, 40, 7);
    EXPECT_EQ(first.evaluations, 40) << method;
    ASSERT_EQ(first.results.size(), second.results.size()) << method;
    for (size_t i = 0; i < first.results.size(); ++i) {
      EXPECT_EQ(first.results[i].point.number, second.results[i].point.number) << method;
    }
  }
}

TEST(Search, KeepsIllegalPointsWithTheirReason) {
  const Outcome all = searchWith("enumerate", 0, 1);
  EXPECT_EQ(all.results.size(), 5u * 5 * 4 * 4 * 4);
  for (const PointResult& result : all.results) {
    EXPECT_EQ(result.point.isLegal(), result.is_feasible);
  }
}

}  // namespace
}  // namespace vta::sweep
