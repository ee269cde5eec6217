#include "compiler/quantize/plan/requantize.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "isa/spec/alu_operations.h"

namespace vta::compiler {
namespace {

// A channel's multiplier keeps at least 8 significant bits of its 17: tiny channels give up weight
// resolution instead, which they do not need because the whole tensor shares one output scale.
constexpr double kScaleSpread = 512;

// Biases stay below 2^29 accumulator units, so that bias, zero points and the sum of products fit
// 32 bits.
constexpr double kMaxBias = 1 << 29;

// Output steps per accumulator step never fall below 2^-22: folding an output zero point of up to
// 128 into the bias then stays below 2^29 too.
constexpr double kMinFactor = 1.0 / (1 << 22);

double smallestScale(double maximum, double bias, double in_scale, const WeightRange& range) {
  return std::max({maximum / range.most, std::abs(bias) / (in_scale * kMaxBias),
                   std::numeric_limits<float>::min() * 1.0});
}

}  // namespace

int32_t roundToInt32(double value) {
  const double limit = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(std::clamp(std::round(value), -limit - 1, limit));
}

FixedPoint toFixedPoint(const std::vector<double>& factors, int multiplier_bits) {
  const double largest = *std::max_element(factors.begin(), factors.end());
  const double limit = std::ldexp(1.0, multiplier_bits - 1) - 1;
  assert(largest > 0);
  FixedPoint fixed;
  fixed.shift =
      static_cast<int>(std::clamp<double>(std::floor(std::log2(limit / largest)), 0, kMaxAluShift));
  fixed.multipliers.reserve(factors.size());
  for (double factor : factors) {
    fixed.multipliers.push_back(roundToInt32(std::min(std::ldexp(factor, fixed.shift), limit)));
  }
  return fixed;
}

ExactFactors toExactFactors(const std::vector<double>& factors, int multiplier_bits,
                            int most_fraction_bits) {
  // More candidates gain nothing over the fraction bits between the two.
  constexpr int kCandidates = 4096;
  const double largest = *std::max_element(factors.begin(), factors.end());
  const double limit = std::ldexp(1.0, multiplier_bits - 1) - 1;
  // The first multiplier fits with second ones of half the limit.
  const int shift = static_cast<int>(std::floor(std::log2(limit / 2 / largest)));
  const int fraction = std::clamp(shift, 0, most_fraction_bits);
  ExactFactors exact;
  exact.first_shift = std::clamp(shift - fraction, 0, kMaxAluShift);
  // Factors too large for that take bits from the second shift.
  exact.second_shift = std::max(0, fraction + multiplier_bits - 1 + std::min(shift, 0));
  for (double factor : factors) {
    const double target = std::ldexp(factor, exact.first_shift + exact.second_shift);
    double least = std::numeric_limits<double>::infinity(), first = 0, second = 0;
    const double start = std::clamp(std::ceil(target / limit), 1.0, limit);
    for (double candidate = start; candidate < start + kCandidates; ++candidate) {
      const double other = std::round(target / candidate);
      if (candidate > start && (other < limit / 2 || candidate > limit)) break;
      const double error = std::abs(candidate * std::min(other, limit) - target);
      if (error >= least) continue;
      least = error;
      first = std::min(candidate, limit);
      second = std::min(other, limit);
    }
    exact.first.push_back(static_cast<int32_t>(first));
    exact.second.push_back(static_cast<int32_t>(second));
  }
  return exact;
}

QuantParams chooseActivationParams(double min, double max, bool simple_zero, bool may_be_least) {
  min = std::min(min, 0.0);
  max = std::max(max, 0.0);
  if (max - min < std::numeric_limits<float>::min()) return {1.0, 0};  // a constant zero
  if (!simple_zero) {
    const double scale = (max - min) / 255.0;
    const double zero = std::round(-128.0 - min / scale);
    return {scale, static_cast<int64_t>(std::clamp(zero, -128.0, 127.0))};
  }
  if (may_be_least && min == 0) return {max / 255.0, -128};
  return {std::max(-min, max) / 127.0, 0};
}

IntRange quantizedClip(double min, double max, const QuantParams& out) {
  const auto quantize = [&](double bound) {
    const double q = std::round(bound / out.scale) + static_cast<double>(out.zero_point);
    return static_cast<int64_t>(std::clamp(q, -128.0, 127.0));
  };
  return {quantize(min), quantize(max)};
}

ChannelExtremes channelExtremes(const std::vector<float>& weights, const FilterLayout& layout) {
  ChannelExtremes extremes{std::vector<double>(layout.channels, 0.0),
                           std::vector<double>(layout.channels, 0.0)};
  for (int64_t c = 0; c < layout.channels; ++c) {
    for (int64_t i = 0; i < layout.inner; ++i) {
      const double weight = weights[layout.index(c, i)];
      extremes.least[c] = std::min(extremes.least[c], weight);
      extremes.most[c] = std::max(extremes.most[c], weight);
    }
  }
  return extremes;
}

std::vector<double> channelMaxima(const std::vector<float>& weights, const FilterLayout& layout) {
  const ChannelExtremes extremes = channelExtremes(weights, layout);
  std::vector<double> maxima(layout.channels);
  for (int64_t c = 0; c < layout.channels; ++c) {
    maxima[c] = std::max(-extremes.least[c], extremes.most[c]);
  }
  return maxima;
}

namespace {

// The square error of a channel's weights with steps of `scale`.
double squareError(const std::vector<float>& weights, const FilterLayout& layout, int64_t channel,
                   double scale, const WeightRange& range) {
  double sum = 0;
  for (int64_t i = 0; i < layout.inner; ++i) {
    const double weight = weights[static_cast<size_t>(layout.index(channel, i))];
    const double q = std::clamp<double>(std::round(weight / scale), range.least, range.most);
    sum += (weight - q * scale) * (weight - q * scale);
  }
  return sum;
}

// The integer that the largest weight becomes where all weights of the channel are multiples of one
// unit, as those of averages and interpolations are; 0 where they are not.
int64_t integerOfLargest(const std::vector<float>& weights, const FilterLayout& layout,
                         int64_t channel, double maximum, const WeightRange& range) {
  constexpr double kTolerance = 1e-5;  // of an integer: what float32 makes of a third
  const auto isWhole = [&](int64_t integer, int64_t i) {
    const double weight = weights[static_cast<size_t>(layout.index(channel, i))];
    const double multiple = weight / maximum * static_cast<double>(integer);
    return std::abs(multiple - std::round(multiple)) <= kTolerance;
  };
  for (int64_t integer = range.most; integer > 0; --integer) {
    int64_t i = 0;
    while (i < layout.inner && isWhole(integer, i)) ++i;
    if (i == layout.inner) return integer;
  }
  return 0;
}

}  // namespace

std::vector<double> channelReach(const std::vector<float>& weights, const FilterLayout& layout,
                                 const WeightRange& range) {
  std::vector<double> reach = channelMaxima(weights, layout);
  if (range.most == WeightRange().most) return reach;
  constexpr int kCandidates = 32;
  for (int64_t c = 0; c < layout.channels; ++c) {
    const double maximum = reach[static_cast<size_t>(c)];
    if (maximum == 0) continue;
    double least = std::numeric_limits<double>::infinity();
    for (int candidate = kCandidates; candidate >= kCandidates / 4; --candidate) {
      const double tried = maximum * candidate / kCandidates;
      const double error = squareError(weights, layout, c, tried / range.most, range);
      if (error >= least) continue;
      least = error;
      reach[static_cast<size_t>(c)] = tried;
    }
  }
  return reach;
}

std::vector<double> exactReach(const std::vector<float>& weights, const FilterLayout& layout,
                               const WeightRange& range) {
  std::vector<double> reach = channelReach(weights, layout, range);
  const std::vector<double> maxima = channelMaxima(weights, layout);
  for (int64_t c = 0; c < layout.channels; ++c) {
    const double maximum = maxima[static_cast<size_t>(c)];
    const int64_t integer = maximum == 0 ? 0 : integerOfLargest(weights, layout, c, maximum, range);
    if (integer == 0) continue;
    reach[static_cast<size_t>(c)] = maximum * range.most / static_cast<double>(integer);
  }
  return reach;
}

QuantizedWeights quantizeWeights(const std::vector<float>& weights, const FilterLayout& layout,
                                 std::vector<double> scales, const WeightRange& range,
                                 WeightSteps steps) {
  QuantizedWeights result;
  result.values.resize(weights.size());
  result.row_sums.assign(layout.channels, 0);
  for (int64_t c = 0; c < layout.channels; ++c) {
    for (int64_t i = 0; i < layout.inner; ++i) {
      const int64_t at = layout.index(c, i);
      const double q = roundToStep(weights[at] / scales[c], steps.at(c, i), range);
      result.values[at] = static_cast<int8_t>(q);
      result.row_sums[c] += result.values[at];
    }
  }
  result.scales = std::move(scales);
  result.steps = std::move(steps);
  return result;
}

std::vector<double> weightScalesForQmul(const std::vector<double>& maxima,
                                        const std::vector<float>& bias, double in_scale,
                                        double out_scale, const WeightRange& range) {
  const double largest = *std::max_element(maxima.begin(), maxima.end()) / range.most;
  std::vector<double> scales(maxima.size());
  for (size_t c = 0; c < maxima.size(); ++c) {
    scales[c] = std::max({smallestScale(maxima[c], bias[c], in_scale, range),
                          largest / kScaleSpread, kMinFactor * out_scale / in_scale});
  }
  return scales;
}

namespace {

/// Zeros, which are no scales, replaced by the smallest of the others: channels whose weights are
/// zeros have any scale, and one that is fine for a bias.
std::vector<double> withoutZeros(std::vector<double> scales, const std::vector<float>& bias,
                                 double in_scale) {
  constexpr double kBiasSteps = 1 << 20;  // where there is no other channel
  double least = std::numeric_limits<double>::infinity(), largest_bias = 0;
  for (const double scale : scales) {
    if (scale > 0) least = std::min(least, scale);
  }
  for (const double value : bias) largest_bias = std::max(largest_bias, std::abs(value));
  if (std::isinf(least)) least = largest_bias > 0 ? largest_bias / (in_scale * kBiasSteps) : 1;
  std::ranges::replace(scales, 0, least);
  return scales;
}

}  // namespace

std::vector<double> keptWeightScales(const std::vector<double>& given,
                                     const ChannelExtremes& extremes,
                                     const std::vector<double>& maxima,
                                     const std::vector<float>& bias, double in_scale,
                                     const WeightRange& range) {
  std::vector<double> scales = withoutZeros(given, bias, in_scale);
  for (size_t c = 0; c < scales.size(); ++c) {
    if (given[c] == 0) {
      scales[c] = std::max(scales[c], smallestScale(0, bias[c], in_scale, range));
      continue;
    }
    const double least = std::round(extremes.least[c] / given[c]);
    const double most = std::round(extremes.most[c] / given[c]);
    const bool bias_fits = std::abs(bias[c]) <= given[c] * in_scale * kMaxBias;
    if (least >= range.least && most <= range.most && bias_fits) continue;
    scales[c] = smallestScale(maxima[c], bias[c], in_scale, range);
  }
  return scales;
}

namespace {

/// Weights [begin, end) of a channel's filter.
struct Filter {
  int64_t channel = 0, begin = 0, end = 0;
};

/// Moves one weight at a time by its step, the one that was furthest from where it went, until
/// their errors sum up to half a unit at most, or no step is small enough to help.
void balance(const std::vector<float>& weights, const FilterLayout& layout, const Filter& part,
             const WeightRange& range, QuantizedWeights& quantized) {
  const double scale = quantized.scales[part.channel];
  const auto error = [&](int64_t at) { return weights[at] / scale - quantized.values[at]; };
  double sum = 0;
  for (int64_t i = part.begin; i < part.end; ++i) sum += error(layout.index(part.channel, i));
  while (std::abs(sum) > 0.5) {
    const int sign = sum > 0 ? 1 : -1;
    int64_t best = -1;
    int best_step = 0;
    for (int64_t i = part.begin; i < part.end; ++i) {
      const int64_t at = layout.index(part.channel, i);
      const int step = quantized.steps.at(part.channel, i);
      const int moved = quantized.values[at] + sign * step;
      // No weight leaves its two neighbours, and the sum of errors becomes smaller.
      if (moved < -range.most * step || moved > range.most * step || error(at) * sign <= 0 ||
          step >= 2 * std::abs(sum)) {
        continue;
      }
      if (best >= 0 && error(at) * sign / step <= error(best) * sign / best_step) continue;
      best = at;
      best_step = step;
    }
    if (best < 0) return;
    quantized.values[best] = static_cast<int8_t>(quantized.values[best] + sign * best_step);
    sum -= sign * best_step;
  }
}

}  // namespace

void balanceRounding(const std::vector<float>& weights, const FilterLayout& layout, int64_t taps,
                     const WeightRange& range, QuantizedWeights& quantized) {
  for (int64_t c = 0; c < layout.channels; ++c) {
    for (int64_t i = 0; taps > 1 && i < layout.inner; i += taps) {
      balance(weights, layout, {c, i, i + taps}, range, quantized);
    }
    balance(weights, layout, {c, 0, layout.inner}, range, quantized);
    quantized.row_sums[c] = 0;
    for (int64_t i = 0; i < layout.inner; ++i) {
      quantized.row_sums[c] += quantized.values[layout.index(c, i)];
    }
  }
}

ShiftedScales weightScalesForShift(const std::vector<double>& maxima,
                                   const std::vector<float>& bias, double in_scale,
                                   double out_scale, int min_shift, int max_shift,
                                   const WeightRange& range) {
  ShiftedScales result;
  for (size_t c = 0; c < maxima.size(); ++c) {
    const double needed = smallestScale(maxima[c], bias[c], in_scale, range);
    // The tolerance keeps a scale that is an exact power of two away from rounding noise.
    const double shift = std::floor(std::log2(out_scale / (in_scale * needed)) + 1e-9);
    const int chosen = static_cast<int>(std::clamp<double>(shift, min_shift, max_shift));
    result.shifts.push_back(chosen);
    const double scale = std::ldexp(out_scale / in_scale, -chosen);
    const bool saturates = shift < min_shift && min_shift < 0;
    result.scales.push_back(saturates ? std::max(scale, needed) : scale);
  }
  return result;
}

}  // namespace vta::compiler
