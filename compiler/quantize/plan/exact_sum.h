// Sums of two activations that follow a quantised model's real arithmetic to the last step: plain
// arithmetic, no MLIR. docs/quantisation.md, section 6.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/quantize/plan/requantize.h"

namespace vta::compiler {

/// A sum of two int8 terms, a * lhs + b * rhs = (lhs_multiplier * lhs + rhs_multiplier * rhs) *
/// multiplier / 2^shift, with the multipliers for which it is most precise.
struct ExactSum {
  int32_t lhs_multiplier = 0, rhs_multiplier = 0, multiplier = 0;
  int shift = 0;
};
ExactSum toExactSum(double a, double b, int multiplier_bits);

/// What is to be computed: clip(round((lhs - zero) * lhs.scale / out.scale + the same of rhs) +
/// zero of out), to nearest.
struct SumTask {
  QuantParams lhs, rhs, out;
  IntRange clip;
};

/// clip(qmul(lhs_multiplier * lhs + rhs_multiplier * rhs + offset, multiplier, shift)): one
/// addition brings all three zero points.
struct ExactSumSteps {
  ExactSum factors;
  int32_t offset = 0;
};

/// The steps that give the result for all 65,536 pairs of values. A result half-way between two
/// integers may become either. None if no such steps are found.
std::optional<ExactSumSteps> findExactSumSteps(const SumTask& task, int multiplier_bits);

}  // namespace vta::compiler
