#include "compiler/quantize/plan/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/quantize/plan/alu_arithmetic.h"
#include "isa/spec/alu_operations.h"

namespace vta::compiler {
namespace {

// Multipliers to try, the most precise ones. Where they all fail for some pair of values, so do
// less precise ones.
constexpr size_t kMostPrecise = 96;

struct Candidate {
  ExactSum factors;
  double error = 0;  // of both factors together
};

/// Multipliers for each first one of full width, with their errors.
std::vector<Candidate> candidatesOf(double a, double b, int multiplier_bits) {
  const double limit = std::ldexp(1.0, multiplier_bits - 1) - 1;
  const double larger = std::max(a, b), smaller = std::min(a, b);
  const int shift = static_cast<int>(std::clamp<double>(
      std::floor(std::log2(limit / larger * std::floor(limit / 2))), 0, kMaxAluShift));
  // Where every sum but 0 saturates, only the ratio of the two matters.
  const bool saturates = larger > limit * limit / 4;
  std::vector<Candidate> candidates;
  for (double first = limit; first >= limit / 2; --first) {
    const double second = std::round(first * smaller / larger);
    const double multiplier = std::min(std::round(std::ldexp(larger, shift) / first), limit);
    const double error = saturates
                             ? std::abs(second / first - smaller / larger)
                             : std::abs(std::ldexp(first * multiplier, -shift) - larger) +
                                   std::abs(std::ldexp(second * multiplier, -shift) - smaller);
    ExactSum factors{static_cast<int32_t>(first), static_cast<int32_t>(second),
                     static_cast<int32_t>(multiplier), shift};
    if (a < b) std::swap(factors.lhs_multiplier, factors.rhs_multiplier);
    candidates.push_back({factors, error});
  }
  return candidates;
}

/// True when `result` is what `real`, zero point included, is rounded and clamped to.
bool isRounded(int64_t result, double real, IntRange clip) {
  const auto value = static_cast<double>(result);
  if (result == clip.lo) return real <= value + 0.5;
  if (result == clip.hi) return real >= value - 0.5;
  return std::abs(real - value) <= 0.5;
}

bool givesAllPairs(const ExactSumSteps& steps, const SumTask& task) {
  const ExactSum& factors = steps.factors;
  const double a = task.lhs.scale / task.out.scale, b = task.rhs.scale / task.out.scale;
  for (int64_t lhs = -128; lhs < 128; ++lhs) {
    for (int64_t rhs = -128; rhs < 128; ++rhs) {
      const int64_t sum =
          factors.lhs_multiplier * lhs + factors.rhs_multiplier * rhs + steps.offset;
      const int64_t result =
          std::clamp(qmul(sum, factors.multiplier, factors.shift), task.clip.lo, task.clip.hi);
      const double real = a * static_cast<double>(lhs - task.lhs.zero_point) +
                          b * static_cast<double>(rhs - task.rhs.zero_point) +
                          static_cast<double>(task.out.zero_point);
      if (!isRounded(result, real, task.clip)) return false;
    }
  }
  return true;
}

}  // namespace

ExactSum toExactSum(double a, double b, int multiplier_bits) {
  const auto candidates = candidatesOf(a, b, multiplier_bits);
  return std::ranges::min_element(candidates, {}, &Candidate::error)->factors;
}

std::optional<ExactSumSteps> findExactSumSteps(const SumTask& task, int multiplier_bits) {
  std::vector<Candidate> candidates = candidatesOf(
      task.lhs.scale / task.out.scale, task.rhs.scale / task.out.scale, multiplier_bits);
  const size_t count = std::min(kMostPrecise, candidates.size());
  std::ranges::partial_sort(candidates, candidates.begin() + static_cast<int64_t>(count), {},
                            &Candidate::error);
  candidates.resize(count);
  for (const auto& [factors, error] : candidates) {
    const double zero =
        std::ldexp(static_cast<double>(task.out.zero_point), factors.shift) / factors.multiplier;
    const auto zeros = static_cast<double>(task.lhs.zero_point * factors.lhs_multiplier +
                                           task.rhs.zero_point * factors.rhs_multiplier);
    const double offset = std::round(zero - zeros);
    // The products have 25 bits, so the sum has room for as much again and more.
    if (std::abs(offset) >= std::ldexp(1.0, 30)) continue;
    for (const int change : {0, -1, 1}) {
      const ExactSumSteps steps{factors, static_cast<int32_t>(offset) + change};
      if (givesAllPairs(steps, task)) return steps;
    }
  }
  return std::nullopt;
}

}  // namespace vta::compiler
