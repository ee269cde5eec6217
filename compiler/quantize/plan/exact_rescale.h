// Rescaling of integer sums that follows a quantised model's real arithmetic to the last step:
// plain arithmetic, no MLIR. docs/quantisation.md, section 6.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/quantize/plan/requantize.h"
#include "isa/spec/accumulator.h"

namespace vta::compiler {

/// What one channel is to compute: clip(round(factor * (sum + bias)) + zero_point), to nearest, for
/// every sum in [least_sum, largest_sum].
struct ExactChannel {
  double factor = 1;
  int64_t bias = 0;
  int64_t least_sum = 0, largest_sum = 0;
};

/// clip(qmul(qmul(sum, first, first_shift) + offset, second, second_shift)): bias and zero point
/// are one addition, between the two multipliers, where numbers have fraction bits. One value of
/// each vector per channel.
struct ExactSteps {
  std::vector<int32_t> first, offset, second;
  int first_shift = 0, second_shift = 0;
};

/// The steps that give every channel's result for every sum it can have. Results only rise with the
/// sum, so it is enough to look at the sums where they step. A result half-way between two integers
/// may become either. None if no such steps are found for one of the channels. The numbers between
/// the multipliers fit accumulators of `acc_bits` bits.
std::optional<ExactSteps> findExactSteps(const std::vector<ExactChannel>& channels,
                                         int64_t zero_point, IntRange clip, int multiplier_bits,
                                         int acc_bits = kAccDramBits);

}  // namespace vta::compiler
