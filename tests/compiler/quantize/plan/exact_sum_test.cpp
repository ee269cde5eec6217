#include "compiler/quantize/plan/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "compiler/quantize/plan/alu_arithmetic.h"

namespace vta::compiler {
namespace {

TEST(ToExactSum, BothTermsArePrecise) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> log_value(-3, 3);
  for (int trial = 0; trial < 50; ++trial) {
    const double a = std::exp2(log_value(random)), b = std::exp2(log_value(random));
    const ExactSum sum = toExactSum(a, b, 18);
    const double unit = std::ldexp(sum.multiplier, -sum.shift);
    EXPECT_NEAR(sum.lhs_multiplier * unit, a, 1e-6 * std::max(a, b));
    EXPECT_NEAR(sum.rhs_multiplier * unit, b, 1e-6 * std::max(a, b));
    EXPECT_LT(std::max({sum.lhs_multiplier, sum.rhs_multiplier, sum.multiplier}), 1 << 17);
  }
}

// Both integers that the real sum may be rounded to: they differ where it is half-way.
std::pair<int64_t, int64_t> wanted(const SumTask& task, int64_t lhs, int64_t rhs) {
  using Real = long double;
  const Real real =
      (static_cast<Real>(task.lhs.scale) * static_cast<Real>(lhs - task.lhs.zero_point) +
       static_cast<Real>(task.rhs.scale) * static_cast<Real>(rhs - task.rhs.zero_point)) /
      static_cast<Real>(task.out.scale);
  const auto clamped = [&](Real value) {
    return std::clamp(static_cast<int64_t>(value) + task.out.zero_point, task.clip.lo,
                      task.clip.hi);
  };
  // The last bits of doubles on the other side do not matter.
  constexpr Real kLastBits = 1e-12L;
  return {clamped(std::ceil(real - 0.5L - kLastBits)),
          clamped(std::floor(real + 0.5L + kLastBits))};
}

void expectExact(const SumTask& task, const ExactSumSteps& steps) {
  const ExactSum& factors = steps.factors;
  for (int64_t lhs = -128; lhs < 128; ++lhs) {
    for (int64_t rhs = -128; rhs < 128; ++rhs) {
      const int64_t sum =
          factors.lhs_multiplier * lhs + factors.rhs_multiplier * rhs + steps.offset;
      ASSERT_EQ(sum, static_cast<int32_t>(sum));
      const int64_t result =
          std::clamp(qmul(sum, factors.multiplier, factors.shift), task.clip.lo, task.clip.hi);
      const auto [least, largest] = wanted(task, lhs, rhs);
      ASSERT_TRUE(result == least || result == largest) << lhs << " + " << rhs << ": " << result;
    }
  }
}

TEST(FindExactSumSteps, GiveEveryPairOfSumsLikeThoseOfNetworks) {
  std::mt19937 random(31);
  std::uniform_real_distribution<double> log_ratio(-2, 1);
  std::uniform_int_distribution<int64_t> zero_point(-128, 127);
  int found = 0;
  constexpr int kSums = 60;
  for (int trial = 0; trial < kSums; ++trial) {
    const SumTask task{{std::exp2(log_ratio(random)), zero_point(random)},
                       {std::exp2(log_ratio(random)), zero_point(random)},
                       {1.0, zero_point(random)},
                       {}};
    const auto steps = findExactSumSteps(task, 18);
    if (!steps) continue;
    ++found;
    expectExact(task, *steps);
  }
  EXPECT_GE(found, kSums * 8 / 10);
}

TEST(FindExactSumSteps, EqualScalesAndBoundsOfTheClip) {
  const SumTask task{{0.05, -3}, {0.05, 7}, {0.1, -128}, {-128, 40}};
  const auto steps = findExactSumSteps(task, 18);
  ASSERT_TRUE(steps);
  expectExact(task, *steps);
}

TEST(FindExactSumSteps, RefusesMultipliersThatAreTooNarrow) {
  EXPECT_FALSE(findExactSumSteps({{0.31, 0}, {0.77, 0}, {1.0, 0}, {}}, 6));
}

}  // namespace
}  // namespace vta::compiler
