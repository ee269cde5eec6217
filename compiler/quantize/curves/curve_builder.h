// From fitted chains of squares to steps of the ALU. docs/quantisation.md, "Curves".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/quantize/curves/curve_steps.h"
#include "compiler/quantize/curves/square_chain.h"

namespace vta::compiler {

/// The last rescaling: one unit in front of it is multiplier / 2^shift steps of the output.
struct CurveUnit {
  int32_t multiplier = 1;
  int shift = 0;
  int32_t line_multiplier = 1;  // what a step of the input is multiplied by on a line

  double steps() const;
};

/// A unit in which a line of slope `slope` is exact to a hundredth of a step of the output over
/// int8, or as exact as one gets; line_multiplier is at most `most`. None if the slope needs more
/// bits than multipliers have.
std::optional<CurveUnit> unitForLine(double slope, int64_t most, int multiplier_bits);

/// A unit for results without a line.
CurveUnit unitWithoutLine();

/// The largest integer of `places` steps for which the first square of `fit` fits 32 bits; it
/// stands for one step.
int64_t mostPerPlace(const ChainFit& fit, int64_t places);

/// Where a chain's argument comes from: the integer at hand is offset + sign * W, and W = `whole`
/// stands for place 1.
struct ChainInput {
  int64_t offset = 0;
  int sign = 1;
  double whole = 1;
};

/// Appends `fit` without its constant and its line, in units of `unit`; false if a multiplier has
/// too few bits for it.
bool appendChain(const ChainFit& fit, const ChainInput& input, const CurveUnit& unit,
                 int multiplier_bits, std::vector<CurveStep>& to);

/// Appends the sum of `constant` steps of the output, and the last rescaling.
void appendEnd(double constant, const CurveUnit& unit, std::vector<CurveStep>& to);

CurveStep curveAdd(int64_t value);
CurveStep curveMul(int64_t value);

}  // namespace vta::compiler
