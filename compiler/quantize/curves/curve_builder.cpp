#include "compiler/quantize/curves/curve_builder.h"

#include <algorithm>
#include <cmath>

namespace vta::compiler {
namespace {

using Kind = CurveStep::Kind;

/// A little below the largest integer whose square fits 32 bits.
constexpr double kMostSquared = 46300;
/// Fraction bits of results without a line.
constexpr int kFractionBits = 14;
/// Enough fraction bits, and 256 steps of the input do not leave 32 bits.
constexpr int kMostShift = 62;

/// factor as multiplier / 2^shift with as many bits as fit; none if it is too large.
std::optional<CurveStep> qmulBy(double factor, int multiplier_bits) {
  const double limit = std::ldexp(1.0, multiplier_bits - 1) - 1;
  if (!(std::abs(factor) <= limit) || factor == 0) return std::nullopt;
  int shift = 0;
  while (shift < kMostShift && std::abs(std::ldexp(factor, shift + 1)) <= limit) ++shift;
  const auto value = static_cast<int32_t>(std::lround(std::ldexp(factor, shift)));
  if (value == 0) return std::nullopt;
  return CurveStep{.kind = Kind::kQmul, .value = value, .shift = shift};
}

/// The largest magnitude of the sum that square number `number` is taken of.
double largestSum(const ChainFit& fit, size_t number) {
  constexpr int kPlaces = 256;
  double largest = 0;
  for (int i = 0; i <= kPlaces; ++i) {
    double value = static_cast<double>(i) / kPlaces;
    for (size_t k = 0; k < number; ++k) {
      value = (value + fit.offsets[k]) * (value + fit.offsets[k]);
    }
    largest = std::max(largest, std::abs(value + fit.offsets[number]));
  }
  return largest;
}

}  // namespace

CurveStep curveAdd(int64_t value) {
  return {.kind = Kind::kAdd, .value = static_cast<int32_t>(value)};
}

CurveStep curveMul(int64_t value) {
  return {.kind = Kind::kMul, .value = static_cast<int32_t>(value)};
}

double CurveUnit::steps() const { return std::ldexp(multiplier, -shift); }

std::optional<CurveUnit> unitForLine(double slope, int64_t most, int multiplier_bits) {
  constexpr double kInputs = 256, kExact = 0.01;
  most = std::min<int64_t>(most, INT16_MAX);
  std::optional<CurveUnit> best;
  double least_error = kInputs;
  for (int64_t by = most; by >= std::max<int64_t>(most * 3 / 5, 1); --by) {
    const std::optional<CurveStep> last = qmulBy(slope / static_cast<double>(by), multiplier_bits);
    if (!last) continue;
    const CurveUnit unit{last->value, last->shift, static_cast<int32_t>(by)};
    const double error = std::abs(unit.steps() * static_cast<double>(by) - slope) * kInputs;
    if (error >= least_error) continue;
    least_error = error;
    best = unit;
    if (error < kExact) break;
  }
  return best;
}

CurveUnit unitWithoutLine() { return {.multiplier = 1, .shift = kFractionBits}; }

int64_t mostPerPlace(const ChainFit& fit, int64_t places) {
  const double largest = largestSum(fit, 0) * static_cast<double>(places);
  return static_cast<int64_t>(std::min(kMostSquared / largest, 32767.0));
}

bool appendChain(const ChainFit& fit, const ChainInput& input, const CurveUnit& unit,
                 int multiplier_bits, std::vector<CurveStep>& to) {
  double scale = input.whole;
  to.push_back(curveAdd(input.sign * std::llround(fit.offsets[0] * scale) - input.offset));
  to.push_back({.kind = Kind::kSquare});
  scale *= scale;
  for (size_t i = 1; i < fit.offsets.size(); ++i) {
    const double largest = largestSum(fit, i) * scale;
    const int shift = std::max(0, static_cast<int>(std::ceil(std::log2(largest / kMostSquared))));
    if (shift > 31) return false;
    if (shift > 0) to.push_back({.kind = Kind::kShr, .shift = shift});
    scale = std::ldexp(scale, -shift);
    to.push_back(curveAdd(std::llround(fit.offsets[i] * scale)));
    to.push_back({.kind = Kind::kSquare});
    scale *= scale;
  }
  const std::optional<CurveStep> last =
      qmulBy(fit.factor / (scale * unit.steps()), multiplier_bits);
  if (!last) return false;
  to.push_back(*last);
  return true;
}

void appendEnd(double constant, const CurveUnit& unit, std::vector<CurveStep>& to) {
  constexpr double kMost = 1 << 30;
  to.push_back(curveAdd(std::llround(std::clamp(constant / unit.steps(), -kMost, kMost))));
  to.push_back({.kind = Kind::kQmul, .value = unit.multiplier, .shift = unit.shift});
}

}  // namespace vta::compiler
