#include "explore/sweep/surrogate/gaussian_process.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace vta::sweep {
namespace {

constexpr size_t kInputs = 4;

/// Points on a grid, one input of which does not matter, and one of which is constant.
struct Samples {
  std::vector<double> rows;
  std::vector<double> targets;
};

Samples makeSamples(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> level(0, 7);
  Samples samples;
  for (int i = 0; i < count; ++i) {
    const double a = level(random);
    const double b = level(random);
    const double idle = level(random);
    samples.rows.insert(samples.rows.end(), {a, b, idle, 5});
    samples.targets.push_back(12 + std::log(std::exp(-0.5 * a) + 0.2 * std::exp(-0.3 * b)));
  }
  return samples;
}

double meanError(const GaussianProcess& process, const Samples& samples) {
  const std::vector<double> found = process.predict(samples.rows);
  double sum = 0;
  for (size_t i = 0; i < found.size(); ++i) sum += std::abs(found[i] - samples.targets[i]);
  return sum / static_cast<double>(found.size());
}

TEST(GaussianProcess, LearnsASmoothFunction) {
  GaussianProcess process;
  const Samples samples = makeSamples(80, 1);
  ASSERT_TRUE(process.fit(samples.rows, kInputs, samples.targets).ok());
  EXPECT_LT(meanError(process, samples), 0.01);
  EXPECT_LT(meanError(process, makeSamples(500, 2)), 0.02);
  EXPECT_LT(process.leftOutError(), 0.03);
}

TEST(GaussianProcess, MoreSamplesMakeItBetter) {
  const Samples others = makeSamples(500, 2);
  GaussianProcess process;
  const Samples few = makeSamples(12, 1);
  ASSERT_TRUE(process.fit(few.rows, kInputs, few.targets).ok());
  const double before = meanError(process, others);
  const Samples many = makeSamples(400, 3);
  ASSERT_TRUE(process.fit(many.rows, kInputs, many.targets).ok());
  EXPECT_LT(meanError(process, others), 0.5 * before);
}

TEST(GaussianProcess, EqualRowsAndEqualTargetsAreNoProblem) {
  GaussianProcess process;
  const std::vector<double> rows = {1, 2, 1, 2, 1, 2};
  const std::vector<double> targets = {3, 3, 3};
  ASSERT_TRUE(process.fit(rows, 2, targets).ok());
  EXPECT_NEAR(process.predict(std::vector<double>{7, 8})[0], 3, 1e-6);
}

TEST(GaussianProcess, OneSampleIsTooFew) {
  GaussianProcess process;
  const std::vector<double> one = {1};
  EXPECT_FALSE(process.fit(one, 1, one).ok());
}

}  // namespace
}  // namespace vta::sweep
