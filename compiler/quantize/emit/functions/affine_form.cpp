#include "compiler/quantize/emit/functions/affine_form.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/quantize/plan/alu_arithmetic.h"

namespace vta::compiler {
namespace {

using mlir::Value;

constexpr int64_t kCount = graph::kTableEntries;
constexpr int64_t kLeastInput = -kCount / 2;

/// What one channel gives for each input from -128 on.
struct ChannelValues {
  const double* reals;
  const int8_t* entries;
};

ChannelValues valuesOf(const ElementFunction& f, size_t channel) {
  return {&f.reals[channel * kCount], &f.entries[channel * kCount]};
}

/// Steps of the output for each step of the input, between what is clamped; 0 if all is.
double slopeOf(const ElementFunction& f, size_t channel) {
  const double* reals = valuesOf(f, channel).reals;
  const auto [least, largest] = std::minmax_element(reals, reals + kCount);
  int64_t first = kCount, last = -1;
  for (int64_t i = 0; i < kCount; ++i) {
    if (reals[i] == *least || reals[i] == *largest) continue;
    first = std::min(first, i);
    last = i;
  }
  if (last <= first) return 0;
  return (reals[last] - reals[first]) / (static_cast<double>(last - first) * f.out.scale);
}

/// The multipliers, offsets and shifts of all channels, and the bounds of all results.
struct AffineSteps {
  std::vector<int32_t> first, offset, second;
  int first_shift = 0, second_shift = 0;
  IntRange clip;

  int64_t scaled(size_t c, int64_t x) const { return qmul(x, first[c], first_shift); }
  int64_t result(size_t c, int64_t x) const {
    const int64_t sum = scaled(c, x) + offset[c];
    return std::clamp(qmul(sum, second[c], second_shift), clip.lo, clip.hi);
  }
};

std::optional<AffineSteps> chooseMultipliers(const ElementFunction& f, const HwParams& hw) {
  std::vector<double> slopes, sizes;
  for (size_t c = 0; c < f.channels; ++c) slopes.push_back(slopeOf(f, c));
  double largest = 0;
  for (const double slope : slopes) largest = std::max(largest, std::abs(slope));
  const double limit = std::ldexp(1.0, hw.qmul_multiplier_bits - 1);
  if (!(largest > 0 && largest < limit / 2)) return std::nullopt;
  for (const double slope : slopes) sizes.push_back(slope == 0 ? largest : std::abs(slope));
  const ExactFactors factors = toExactFactors(sizes, hw.qmul_multiplier_bits);
  AffineSteps steps{factors.first,        std::vector<int32_t>(f.channels),
                    factors.second,       factors.first_shift,
                    factors.second_shift, {}};
  for (size_t c = 0; c < f.channels; ++c) {
    if (slopes[c] < 0) steps.first[c] = -steps.first[c];
    if (slopes[c] == 0) steps.first[c] = 0;
  }
  const auto [low, high] = std::minmax_element(f.entries.begin(), f.entries.end());
  steps.clip = {*low, *high};
  return steps;
}

/// The middle of the offsets that give every entry of channel `c`, or none if there are none that
/// fit 32 bits.
std::optional<int32_t> chooseOffset(const ElementFunction& f, const AffineSteps& steps, size_t c) {
  const int8_t* entries = valuesOf(f, c).entries;
  const double unit = std::ldexp(1.0, steps.second_shift) / steps.second[c];
  double least = -std::numeric_limits<double>::infinity(), largest = -least;
  for (int64_t i = 0; i < kCount; ++i) {
    const auto scaled = static_cast<double>(steps.scaled(c, i + kLeastInput));
    const double entry = entries[i];
    if (entries[i] > steps.clip.lo) least = std::max(least, (entry - 0.5) * unit - scaled);
    if (entries[i] < steps.clip.hi) largest = std::min(largest, (entry + 0.5) * unit - scaled);
  }
  // Of a channel that is at one of the bounds throughout.
  if (std::isinf(least)) least = largest - unit;
  if (std::isinf(largest)) largest = least + unit;
  constexpr double kFits = 1 << 30;
  const double middle = std::round((least + largest) / 2);
  if (!(least <= largest) || std::abs(middle) > kFits) return std::nullopt;
  return static_cast<int32_t>(middle);
}

bool givesAllEntries(const ElementFunction& f, const AffineSteps& steps, size_t c) {
  for (int64_t i = 0; i < kCount; ++i) {
    if (steps.result(c, i + kLeastInput) != valuesOf(f, c).entries[i]) return false;
  }
  return true;
}

}  // namespace

Value emitAffineForm(EmitBuilder& build, Value input, const ElementFunction& function,
                     const HwParams& hw) {
  if (!hw.ext_qmul) return {};
  std::optional<AffineSteps> steps = chooseMultipliers(function, hw);
  if (!steps) return {};
  for (size_t c = 0; c < function.channels; ++c) {
    const std::optional<int32_t> offset = chooseOffset(function, *steps, c);
    if (!offset) return {};
    steps->offset[c] = *offset;
    if (!givesAllEntries(function, *steps, c)) return {};
  }
  const auto constant = [&](const std::vector<int32_t>& values) {
    return values.size() == 1 ? build.scalar(values[0]) : build.perChannel(values);
  };
  Value value = build.qmul(build.widen(input), constant(steps->first), steps->first_shift);
  value = build.add(value, constant(steps->offset));
  value = build.qmul(value, constant(steps->second), steps->second_shift);
  return build.narrow(build.clip(value, steps->clip));
}

}  // namespace vta::compiler
