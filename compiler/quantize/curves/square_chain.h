// Functions as chains of squares, fitted in floating point. docs/quantisation.md, "Curves".
#pragma once

#include <cstddef>
#include <vector>

namespace vta::compiler {

/// What a chain is to give at one place.
struct ChainPoint {
  double place = 0;   // of the function's argument, from 0 to 1
  double line = 0;    // what ChainFit::slope multiplies
  double target = 0;  // in steps of the output
  double weight = 1;
};

/// target = constant + factor * v[k] + slope * line with v[0] = place and
/// v[i + 1] = (v[i] + offsets[i])^2.
struct ChainFit {
  std::vector<double> offsets;
  double constant = 0, factor = 0, slope = 0;
  double largest_error = 0;  // over all points, weighted

  double valueAt(double place) const;
};

inline constexpr size_t kMostSquares = 5;

/// The chain of `squares` squares that comes closest to all points: least squares from several
/// starts, with more weight on large errors towards the end. `shorter`, if not null, is a fit of
/// the same points with one square less, from which it starts too. `has_line`: the slope is free,
/// else it is 0. Deterministic.
ChainFit fitChain(const std::vector<ChainPoint>& points, size_t squares, bool has_line,
                  const ChainFit* shorter = nullptr);

}  // namespace vta::compiler
