#include "compiler/quantize/wide/wide_steps.h"

#include <algorithm>
#include <cmath>

namespace vta::compiler {
namespace {

// Appends shifts by `low` of the low parts and by `high[c]` of the high parts, none of which one
// instruction needs to do at once. Positive amounts go right.
void appendShifts(const std::vector<int32_t>& high, const std::vector<int32_t>& low,
                  const ShiftLimits& limits, std::vector<std::vector<int32_t>>& rows) {
  std::vector<int32_t> left;
  for (size_t c = 0; c < high.size(); ++c) {
    left.push_back(high[c]);
    left.push_back(low[c]);
  }
  const auto is_done = [](int32_t amount) { return amount == 0; };
  while (!std::ranges::all_of(left, is_done)) {
    auto& row = rows.emplace_back();
    for (int32_t& amount : left) {
      row.push_back(std::clamp(amount, -limits.left, limits.right));
      amount -= row.back();
    }
  }
}

}  // namespace

std::vector<int8_t> withLowInputs(const QuantizedWeights& quantized,
                                  const std::vector<float>& weights, const FilterLayout& layout,
                                  int64_t taps, const WeightRange& range) {
  std::vector<int8_t> result;
  result.reserve(2 * weights.size());
  for (int64_t o = 0; o < layout.channels; ++o) {
    const double scale = std::ldexp(quantized.scales[static_cast<size_t>(o)], kLowBits);
    for (int64_t i = 0; i < layout.inner; i += taps) {
      const int64_t first = o * layout.inner + i;
      const auto from = quantized.values.begin() + first;
      result.insert(result.end(), from, from + taps);
      for (int64_t at = first; at < first + taps; ++at) {
        const double low = std::round(weights[static_cast<size_t>(at)] / scale);
        result.push_back(static_cast<int8_t>(std::clamp<double>(low, range.least, range.most)));
      }
    }
  }
  return result;
}

std::vector<int8_t> withLowOutputs(const std::vector<int8_t>& weights, int64_t filters) {
  const auto size = static_cast<std::ptrdiff_t>(weights.size()) / filters;
  std::vector<int8_t> result;
  result.reserve(2 * weights.size());
  for (auto filter = weights.begin(); filter != weights.end(); filter += size) {
    result.insert(result.end(), filter, filter + size);
    result.insert(result.end(), filter, filter + size);
  }
  return result;
}

WideSteps wideSteps(const std::vector<double>& bias, const std::vector<int32_t>& shifts,
                    double clip_min, double clip_max, const QuantParams& out,
                    const ShiftLimits& limits) {
  constexpr double kLeast = -128, kMost = 127 + (0.5 - 1.0 / (1 << kLowBits));
  constexpr int kWordBits = 32;
  const auto zero = static_cast<double>(out.zero_point);
  const double least = std::clamp(clip_min / out.scale + zero, kLeast, kMost);
  const double most = std::clamp(clip_max / out.scale + zero, kLeast, kMost);
  WideSteps steps;
  std::vector<int32_t> low;
  for (size_t c = 0; c < shifts.size(); ++c) {
    const int shift = shifts[c];
    const double half_step = std::ldexp(0.5, shift);
    // Half of the low part's step, so that it is rounded to nearest.
    const double rounding = shift > kLowBits ? std::ldexp(0.5, shift - kLowBits) : 0;
    for (const double offset : {rounding + half_step, rounding}) {
      steps.bias.push_back(roundToInt32(bias[c] + std::ldexp(zero, shift) + offset));
      steps.least.push_back(roundToInt32(std::ldexp(least, shift) + offset));
      steps.most.push_back(roundToInt32(std::ldexp(most, shift) + offset));
    }
    low.push_back(shift - kWordBits);
  }
  const std::vector<int32_t> none(shifts.size(), 0);
  const std::vector<int32_t> back(shifts.size(), kWordBits - kLowBits);
  appendShifts(none, low, limits, steps.shifts);
  appendShifts(shifts, back, limits, steps.shifts);
  return steps;
}

}  // namespace vta::compiler
