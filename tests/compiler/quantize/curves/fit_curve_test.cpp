#include "compiler/quantize/curves/fit_curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <string>

namespace vta::compiler {
namespace {

constexpr int64_t kLeast = -128, kMost = 127;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double expLinear(double x, double alpha) { return x < 0 ? alpha * std::expm1(x / alpha) : x; }

struct NamedFunction {
  const char* name;
  double (*function)(double);
  size_t most_operations = 25;
  double shortest = 2, longest = 24;  // ranges of the argument
};

// For the names of tests.
void PrintTo(const NamedFunction& f, std::ostream* out) { *out << f.name; }

/// What a range of the argument asks of integers, as calibration would choose scales for it.
CurveFunction over(double (*function)(double), double low, double high) {
  constexpr double kSteps = 255;
  const double in_scale = (high - low) / kSteps;
  CurveFunction out;
  out.centre = std::clamp<int64_t>(std::lround(kLeast - low / in_scale), kLeast, kMost);
  std::vector<double> reals;
  double least = 0, largest = 0;
  for (int64_t x = kLeast; x <= kMost; ++x) {
    reals.push_back(function(static_cast<double>(x - out.centre) * in_scale));
    least = std::min(least, reals.back());
    largest = std::max(largest, reals.back());
  }
  const double out_scale = (largest - least) / kSteps;
  const double zero = std::round(static_cast<double>(kLeast) - least / out_scale);
  for (const double real : reals) out.values.push_back(real / out_scale + zero);
  return out;
}

class FitCurve : public testing::TestWithParam<NamedFunction> {};

// The bounds are looked at here entry by entry, not by the function that the fit ends with.
void expectCloseEverywhere(const CurveFunction& function, const CurveSteps& steps) {
  double noise = 0, table_noise = 0;
  for (int64_t x = kLeast; x <= kMost; ++x) {
    const std::optional<int64_t> result = curveResult(steps, x);
    ASSERT_TRUE(result) << x;
    const double exact =
        std::clamp(function.values[static_cast<size_t>(x - kLeast)], -128.0, 127.0);
    const double entry = std::nearbyint(exact);
    EXPECT_LE(std::abs(static_cast<double>(*result) - entry), 1) << x;
    noise += std::pow(static_cast<double>(*result) - exact, 2) / 256;
    table_noise += std::pow(entry - exact, 2) / 256;
  }
  EXPECT_LE(noise, table_noise + kMostCurveNoise);
}

TEST_P(FitCurve, FollowsOverAnyRangeAndZeroPoint) {
  const NamedFunction& f = GetParam();
  std::mt19937 random(11);
  std::uniform_real_distribution<double> width(f.shortest, f.longest), middle(-0.3, 0.3);
  constexpr int kCases = 8;
  for (int i = 0; i < kCases; ++i) {
    const double reach = width(random), centre = middle(random) * reach;
    SCOPED_TRACE(testing::Message() << centre - reach / 2 << " to " << centre + reach / 2);
    const CurveFunction function = over(f.function, centre - reach / 2, centre + reach / 2);
    const std::optional<CurveSteps> steps = fitCurve(function, 18);
    ASSERT_TRUE(steps);
    expectCloseEverywhere(function, *steps);
    EXPECT_LE(steps->size(), f.most_operations);
  }
}

TEST_P(FitCurve, UsesTheMultipliersThatThereAre) {
  const NamedFunction& f = GetParam();
  const double half = (f.shortest + f.longest) / 4;
  const CurveFunction function = over(f.function, -half, half);
  for (const int bits : {12, 16, 18, 25, 32}) {
    SCOPED_TRACE(bits);
    const std::optional<CurveSteps> steps = fitCurve(function, bits);
    ASSERT_TRUE(steps);
    expectCloseEverywhere(function, *steps);
    const int64_t limit = int64_t{1} << (bits - 1);
    for (const std::vector<CurveStep>* chain : {&steps->side, &steps->main}) {
      for (const CurveStep& step : *chain) {
        if (step.kind != CurveStep::Kind::kQmul) continue;
        EXPECT_TRUE(step.value >= -limit && step.value < limit) << step.value;
      }
    }
  }
}

TEST_P(FitCurve, GivesTheSameStepsAgain) {
  const CurveFunction function = over(GetParam().function, -5, 6);
  const std::optional<CurveSteps> first = fitCurve(function, 18), second = fitCurve(function, 18);
  ASSERT_TRUE(first && second);
  for (int64_t x = kLeast; x <= kMost; ++x) {
    EXPECT_EQ(runCurve(*first, x), runCurve(*second, x));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, FitCurve,
    testing::Values(
        NamedFunction{"Silu", [](double x) { return x * sigmoid(x); }},
        NamedFunction{"Gelu",
                      [](double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }},
        NamedFunction{"TanhGelu",
                      [](double x) {
                        return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
                      }},
        NamedFunction{"QuickGelu", [](double x) { return x * sigmoid(1.702 * x); }},
        NamedFunction{"Sigmoid", sigmoid, 38},
        NamedFunction{"Tanh", [](double x) { return std::tanh(x); }, 38, 2, 12},
        NamedFunction{"Elu", [](double x) { return expLinear(x, 1); }},
        NamedFunction{"Celu", [](double x) { return expLinear(x, 2); }},
        NamedFunction{"Selu",
                      [](double x) { return 1.0507 * (x < 0 ? 1.67326 * std::expm1(x) : x); }},
        NamedFunction{"Softplus", [](double x) { return std::log1p(std::exp(x)); }},
        NamedFunction{"LogSigmoid", [](double x) { return -std::log1p(std::exp(-x)); }},
        NamedFunction{"Square", [](double x) { return x * x; }}),
    [](const auto& test) { return test.param.name; });

TEST(FitCurveTest, RefusesFunctionsOfOtherShapes) {
  EXPECT_FALSE(fitCurve(over([](double x) { return std::sin(x); }, -20, 20), 18));
  // Noise of any kind.
  CurveFunction noise;
  std::mt19937 random(3);
  for (int64_t x = kLeast; x <= kMost; ++x) {
    noise.values.push_back(static_cast<double>(random() % 256) - 128);
  }
  EXPECT_FALSE(fitCurve(noise, 18));
}

TEST(FitCurveTest, RefusesInfinityAndNaN) {
  for (const double value : {HUGE_VAL, std::nan("")}) {
    CurveFunction function = over([](double x) { return x * x; }, -1, 1);
    function.values[200] = value;
    EXPECT_FALSE(fitCurve(function, 18));
  }
}

TEST(FitCurveTest, RefusesWhatTooFewBitsOfMultipliersCannotRescale) {
  const auto silu = [](double x) { return x * sigmoid(x); };
  EXPECT_FALSE(fitCurve(over(silu, -5, 6), 2));
}

TEST(CurveErrorTest, CountsDifferencesAndNoise) {
  CurveFunction line;
  for (int64_t x = kLeast; x <= kMost; ++x) line.values.push_back(static_cast<double>(x));
  CurveSteps steps;
  steps.main = {{.kind = CurveStep::Kind::kMax, .value = -126}};
  const std::optional<CurveError> error = curveError(line, steps);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->largest_difference, 2);
  EXPECT_EQ(error->differing_entries, 2);
  EXPECT_DOUBLE_EQ(error->noise, 5.0 / 256);
  EXPECT_FALSE(isClose(*error)) << "a result is two steps off";
}

TEST(CurveErrorTest, CountsInputsAsOftenAsTheyOccur) {
  CurveFunction line;
  for (int64_t x = kLeast; x <= kMost; ++x) line.values.push_back(static_cast<double>(x));
  CurveSteps steps;
  steps.main = {{.kind = CurveStep::Kind::kMax, .value = kLeast + 1}};  // one input is a step off
  steps.clip = {kLeast, kMost};
  EXPECT_TRUE(isClose(*curveError(line, steps)));
  line.shares.assign(256, 0.5 / 255);
  line.shares[0] = 0.5;
  const std::optional<CurveError> error = curveError(line, steps);
  EXPECT_DOUBLE_EQ(error->usual_noise, 0.5);
  EXPECT_DOUBLE_EQ(error->usual_shift, 0.5);
  EXPECT_EQ(error->usual_table_noise, 0);
  EXPECT_FALSE(isClose(*error)) << "half of all values are a step off";
}

/// Noise and shift that inputs meet as often as they occur, beyond those of a table; computed here,
/// not by what is tested.
struct Excess {
  double noise = 0, shift = 0;
  bool isTooLarge() const { return noise > kMostCurveNoise || shift > kMostCurveShift; }
};

Excess excessOf(const CurveSteps& steps, const CurveFunction& function,
                const std::vector<double>& shares) {
  double noise = 0, table_noise = 0, shift = 0, table_shift = 0;
  for (int64_t x = kLeast; x <= kMost; ++x) {
    const auto i = static_cast<size_t>(x - kLeast);
    const double exact = std::clamp(function.values[i], double{kLeast}, double{kMost});
    const double by_curve = static_cast<double>(*curveResult(steps, x)) - exact;
    const double by_table = std::nearbyint(exact) - exact;
    noise += shares[i] * by_curve * by_curve;
    table_noise += shares[i] * by_table * by_table;
    shift += shares[i] * by_curve;
    table_shift += shares[i] * by_table;
  }
  return {noise - table_noise, std::abs(shift) - std::abs(table_shift)};
}

TEST(FitCurveTest, ComesCloseWhereMostInputsAre) {
  int fitted = 0, bad_without = 0;
  for (const double range : {4.0, 8.0, 12.0, 16.0}) {
    CurveFunction silu = over([](double x) { return x * sigmoid(x); }, -range, range);
    // Nearly all values are within some steps of zero.
    std::vector<double> shares;
    for (int64_t x = kLeast; x <= kMost; ++x) {
      const auto distance = static_cast<double>(x - silu.centre);
      shares.push_back(std::exp(-distance * distance / 50));
    }
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    const std::optional<CurveSteps> plain = fitCurve(silu, 18);
    if (plain) bad_without += excessOf(*plain, silu, shares).isTooLarge() ? 1 : 0;
    silu.shares = shares;
    const std::optional<CurveSteps> steps = fitCurve(silu, 18);
    if (!steps) continue;
    ++fitted;
    EXPECT_FALSE(excessOf(*steps, silu, shares).isTooLarge()) << range;
  }
  EXPECT_GE(fitted, 3);
  EXPECT_GE(bad_without, 1) << "this test says nothing about shares";
}

TEST(CurveErrorTest, HasNoneWhereAStepLeaves32Bits) {
  CurveFunction line;
  line.values.assign(256, 0);
  CurveSteps steps;
  steps.main = {{.kind = CurveStep::Kind::kMul, .value = 1 << 30}};
  EXPECT_FALSE(curveError(line, steps));
}

}  // namespace
}  // namespace vta::compiler
