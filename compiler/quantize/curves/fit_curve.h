// Element-wise functions of one int8 that the ALU computes nearly: what a float model's activations
// become where the hardware has no table. docs/quantisation.md, "Curves".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/quantize/curves/curve_steps.h"

namespace vta::compiler {

/// What is to be computed.
struct CurveFunction {
  /// The exact results for -128 to 127, in steps of the output with its zero point. Results beyond
  /// int8 saturate.
  std::vector<double> values;
  int64_t centre = 0;  // the integer that stands for zero
  /// How often each input occurs, of all: the sum is 1. Empty: nobody knows.
  std::vector<double> shares = {};

  /// False if a value is NaN or infinite.
  bool isFinite() const;
};

/// How far results are from exact ones and from those of a table.
struct CurveError {
  int64_t largest_difference = 0;  // from the table's entries
  int64_t differing_entries = 0;
  double noise = 0;        // mean squared error of the results, in steps
  double table_noise = 0;  // of the table's entries
  // The same of inputs as often as they occur, and the mean error. 0 where nobody knows how often.
  double usual_noise = 0, usual_table_noise = 0;
  double usual_shift = 0, usual_table_shift = 0;
};

/// A curve is taken if no result is more than one step from the table's, and if the mean squared
/// error exceeds the table's by no more than this: 3/8 of what rounding alone costs. Where it is
/// known how often each input occurs, that holds for inputs as often as they do, too: most values
/// of an activation may be among a few integers next to zero. Their mean shifts by no more than
/// kMostCurveShift further than the table's, in steps: layers behind add a shift up, and not noise.
inline constexpr double kMostCurveNoise = 1.0 / 32, kMostCurveShift = 1.0 / 8;

/// Of these results for all inputs; the function is finite.
CurveError curveError(const CurveFunction& function, const std::vector<int64_t>& results);

/// Of the results of `steps`. None if a step leaves 32 bits.
std::optional<CurveError> curveError(const CurveFunction& function, const CurveSteps& steps);

/// True within the bounds above.
bool isClose(const CurveError& error);

/// The shortest steps found that come close enough, with multipliers of `multiplier_bits` bits.
/// None for functions of other shapes, or that are not finite. Deterministic.
std::optional<CurveSteps> fitCurve(const CurveFunction& function, int multiplier_bits);

}  // namespace vta::compiler
