// Integer requantisation parameters from real scales: plain arithmetic, no MLIR.
// docs/quantisation.md.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/quantize/plan/weight_steps.h"
#include "isa/spec/narrow_weights.h"

namespace vta::compiler {

/// real = (q - zero_point) * scale.
struct QuantParams {
  double scale = 1;
  int64_t zero_point = 0;
};

/// Multipliers of a `qmul` with one shift: factor[i] is approximated by multipliers[i] / 2^shift.
struct FixedPoint {
  std::vector<int32_t> multipliers;
  int shift = 0;
};

/// With this factor every sum but 0 saturates, whatever the zero point is: larger ones give the
/// same results, and would leave smaller factors that share their shift without bits.
inline constexpr double kLargestFactor = 256;

/// The largest shift for which every factor's multiplier fits `multiplier_bits` signed bits.
/// Factors are positive; the shift is at most 62. Multipliers of factors that are too large are the
/// largest there are, and those of tiny factors may be 0.
FixedPoint toFixedPoint(const std::vector<double>& factors, int multiplier_bits);

/// Multipliers of two `qmul` in a row, which approximate a factor far better than one can:
/// factor[i] = first[i] * second[i] / 2^(first_shift + second_shift), and what lies between them
/// has as many fraction bits as fit, but not more than `most_fraction_bits`.
struct ExactFactors {
  std::vector<int32_t> first, second;
  int first_shift = 0, second_shift = 0;
};
/// Values between the two are at most twice the 255 steps between zero point and saturation, and
/// saturate above 2^31 themselves.
inline constexpr int kMostFractionBits = 22;
ExactFactors toExactFactors(const std::vector<double>& factors, int multiplier_bits,
                            int most_fraction_bits = kMostFractionBits);

/// int8 parameters for values in [min, max] (0 is always included, so that it is exact).
/// `simple_zero`: the zero point is 0, or -128 where `may_be_least` and the range has no negative
/// values. Otherwise any zero point may be used.
QuantParams chooseActivationParams(double min, double max, bool simple_zero, bool may_be_least);

/// The clamp [lo, hi] in int8 that implements saturation and a real-valued clip to [min, max].
struct IntRange {
  int64_t lo = -128;
  int64_t hi = 127;
};
IntRange quantizedClip(double min, double max, const QuantParams& out);

/// Rounds to nearest, ties away from zero, saturating to int32.
int32_t roundToInt32(double value);

/// Weights of one contraction, quantised per output channel: q = round(w / scale[c]), or to the
/// nearest multiple of a step.
struct QuantizedWeights {
  std::vector<int8_t> values;     // in the order given
  std::vector<double> scales;     // per channel
  std::vector<int64_t> row_sums;  // per channel, sum of the integers
  WeightSteps steps = {};
};

/// Where channel c's elements are: w[(c * inner + i)] when channel-major, else w[i * channels + c].
struct FilterLayout {
  int64_t channels = 1;
  int64_t inner = 1;
  bool channel_major = true;
  int64_t index(int64_t channel, int64_t i) const {
    return channel_major ? channel * inner + i : i * channels + channel;
  }
};

struct ChannelExtremes {
  std::vector<double> least, most;
};
ChannelExtremes channelExtremes(const std::vector<float>& weights, const FilterLayout& layout);

std::vector<double> channelMaxima(const std::vector<float>& weights, const FilterLayout& layout);
/// How far the largest integer is to reach in each channel: to the largest weight with 8 bits. The
/// few steps of narrow weights reach as far as gives the least square error, and larger weights
/// saturate.
std::vector<double> channelReach(const std::vector<float>& weights, const FilterLayout& layout,
                                 const WeightRange& range);
/// The same, but where all weights of a channel are small multiples of one unit, such as those of
/// an interpolation, the largest integer reaches so far that none of them is rounded.
std::vector<double> exactReach(const std::vector<float>& weights, const FilterLayout& layout,
                               const WeightRange& range);
/// `range` is that of the hardware's weights. With `steps` integers are its multiples.
QuantizedWeights quantizeWeights(const std::vector<float>& weights, const FilterLayout& layout,
                                 std::vector<double> scales, const WeightRange& range = {},
                                 WeightSteps steps = {});

/// Weight scales for hardware with `qmul`: the reach over the largest integer, raised where a tiny
/// channel's multiplier would lose precision or its bias would overflow 32 bits. `maxima`, the
/// reach, and `bias` are per channel.
std::vector<double> weightScalesForQmul(const std::vector<double>& maxima,
                                        const std::vector<float>& bias, double in_scale,
                                        double out_scale, const WeightRange& range = {});

/// Weight scales of a quantised model: those given, channel by channel, where the integers fit the
/// weights and the bias 32 bits; elsewhere the smallest that reach `maxima`. `extremes` are those
/// of the real weights. Channels with a scale of 0, whose weights are zeros, get that of another
/// channel.
std::vector<double> keptWeightScales(const std::vector<double>& given,
                                     const ChannelExtremes& extremes,
                                     const std::vector<double>& maxima,
                                     const std::vector<float>& bias, double in_scale,
                                     const WeightRange& range = {});

/// Moves weights that were rounded to one of their two neighbours to the other one, until the
/// rounding errors of every `taps` weights in a row, and those of every channel, sum up to about
/// half a step at most: inputs that are alike (neighbouring pixels; values after a relu, all of one
/// sign) then see no error in the mean. For weights that change where nothing is known about the
/// inputs.
void balanceRounding(const std::vector<float>& weights, const FilterLayout& layout, int64_t taps,
                     const WeightRange& range, QuantizedWeights& quantized);

/// Weight scales and right shifts for hardware without it: scale[c] = out / in * 2^-shift[c]
/// exactly, the smallest that holds the channel's weights, shift in [min_shift, max_shift]. Where
/// that would take a smaller shift, weights saturate; but if `min_shift` is negative, they keep
/// their proportions and results are too small.
struct ShiftedScales {
  std::vector<double> scales;
  std::vector<int32_t> shifts;
};
ShiftedScales weightScalesForShift(const std::vector<double>& maxima,
                                   const std::vector<float>& bias, double in_scale,
                                   double out_scale, int min_shift, int max_shift,
                                   const WeightRange& range = {});

}  // namespace vta::compiler
