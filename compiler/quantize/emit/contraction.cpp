#include "compiler/quantize/emit/contraction.h"

#include <algorithm>
#include <cmath>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/emit/weight_groups.h"
#include "compiler/quantize/plan/equalize.h"
#include "compiler/quantize/rounding/compensated_rounding.h"
#include "compiler/quantize/wide/wide_steps.h"

namespace vta::compiler {
namespace {

using mlir::Value;
using Kind = QuantNode::Kind;

// A residual may be scaled by an integer in the accumulator's own unit if that integer is precise
// enough: half a unit in 128 is at most half an output step for an int8 residual.
constexpr double kMinResidualFactor = 128;

// With a shift to the left by so many bits every sum but 0 saturates.
constexpr int kMostLeftShift = 9;

// A contraction's weights and bias in float, with equalised channels.
struct FloatContraction {
  FilterLayout layout;
  std::vector<float> weights;
  std::vector<float> bias;
};

/// One node; one use.
class ContractionEmitter {
 public:
  ContractionEmitter(EmitState& state, const QuantNode& node, EmitBuilder& build,
                     std::vector<RescaledWeights>& reports)
      : state_(state),
        node_(node),
        build_(build),
        reports_(reports),
        group_terms_(termsOfWeightGroup(state.plan(), node, state.hw(),
                                        state.options().weight_group_channels)) {}

  Value run() {
    build_.setChannelAxis(node_.kind == Kind::kConv);
    FloatContraction contraction = equalisedContraction();
    if (state_.isWide(node_.output)) return emitWide(std::move(contraction));
    if (state_.exact() && !node_.residual) return emitExactContraction(std::move(contraction));
    return state_.hw().ext_qmul ? emitWithQmul(std::move(contraction))
                                : emitWithShift(std::move(contraction));
  }

 private:
  WeightRange weightRange() const { return vta::weightRange(state_.hw().wgt_width_bits); }

  /// The integers that the scales of channels are for.
  WeightRange scaledRange() const {
    return group_terms_ > 0 ? steppedRange(weightRange()) : weightRange();
  }

  /// How far the largest integer reaches in each channel.
  std::vector<double> reachOf(const FloatContraction& contraction) const {
    return group_terms_ > 0
               ? steppedReach(contraction.weights, contraction.layout, group_terms_, weightRange())
               : channelReach(contraction.weights, contraction.layout, weightRange());
  }

  FloatContraction equalisedContraction() const {
    FloatContraction contraction;
    contraction.bias = node_.bias;
    contraction.weights = floatConstant(node_.anchor->getOperand(1));
    FilterLayout& layout = contraction.layout;
    layout.channels = static_cast<int64_t>(node_.bias.size());
    layout.inner = static_cast<int64_t>(contraction.weights.size()) / layout.channels;
    layout.channel_major = node_.kind == Kind::kConv;
    if (state_.data().factors.empty()) return contraction;
    const std::vector<float>& in = state_.data().factors[state_.plan().indexOf(node_.inputs[0])];
    if (!in.empty()) {
      const InputChannels channels = inputChannels(node_);
      for (size_t i = 0; i < contraction.weights.size(); ++i) {
        contraction.weights[i] /= in[channels.of(static_cast<int64_t>(i))];
      }
    }
    const std::vector<float>& out = state_.data().factors[state_.plan().indexOf(node_.output)];
    for (int64_t c = 0; c < static_cast<int64_t>(out.size()); ++c) {
      contraction.bias[c] *= out[c];
      for (int64_t i = 0; i < layout.inner; ++i) contraction.weights[layout.index(c, i)] *= out[c];
    }
    return contraction;
  }

  // Quantised weights, and the bias that makes up for what their rounding is expected to change.
  QuantizedWeights roundWeights(FloatContraction& contraction, std::vector<double> scales) const {
    const FilterLayout& layout = contraction.layout;
    WeightSteps steps;
    if (group_terms_ > 0) {
      steps = chooseWeightSteps(contraction.weights, layout, scales, group_terms_, weightRange());
    }
    QuantizedWeights quantized = quantizeWeights(contraction.weights, layout, std::move(scales),
                                                 weightRange(), std::move(steps));
    const auto moments = state_.data().moments.find(node_.anchor);
    if (moments == state_.data().moments.end()) {
      const auto type = mlir::cast<mlir::RankedTensorType>(node_.anchor->getOperand(1).getType());
      const bool conv = node_.kind == Kind::kConv;
      const int64_t taps = conv ? type.getDimSize(2) * type.getDimSize(3) : 1;
      balanceRounding(contraction.weights, layout, taps, weightRange(), quantized);
      return quantized;
    }
    if (state_.data().compensates_rounding) {
      compensateRounding(contraction.weights, layout, moments->second, weightRange(), quantized);
    }
    const std::vector<double> error =
        weightErrorInMean(contraction.weights, layout, moments->second, quantized);
    for (size_t c = 0; c < error.size(); ++c) contraction.bias[c] += static_cast<float>(error[c]);
    return quantized;
  }

  // The integer accumulators of the anchor.
  Value accumulate(const QuantizedWeights& weights, const FloatContraction& contraction) {
    Value input = state_.integers(node_.inputs[0]);
    const auto type = mlir::cast<mlir::RankedTensorType>(node_.anchor->getOperand(1).getType());
    llvm::SmallVector<int64_t> shape(type.getShape());
    std::vector<int8_t> values = weights.values;
    if (state_.isWide(node_.inputs[0])) {
      values = withLowInputs(weights, contraction.weights, contraction.layout, shape[2] * shape[3],
                             weightRange());
      shape[1] *= 2;
    }
    if (state_.isWide(node_.output)) {
      values = withLowOutputs(values, shape[0]);
      shape[0] *= 2;
    }
    Value constant = build_.weights(values, shape);
    if (auto conv = mlir::dyn_cast<graph::ConvOp>(node_.anchor)) {
      return build_.conv(conv, input, constant, state_.params(node_.inputs[0]).zero_point);
    }
    return build_.matmul(input, constant, node_.anchor->getResult(0).getType());
  }

  // Bias of channel c in accumulator units, with the input's zero point folded in.
  static double accumulatorBias(const FloatContraction& contraction,
                                const QuantizedWeights& weights, size_t c, const QuantParams& in) {
    return std::round(contraction.bias[c] / (in.scale * weights.scales[c])) -
           static_cast<double>(in.zero_point * weights.row_sums[c]);
  }

  std::vector<double> qmulWeightScales(const FloatContraction& contraction, double in_scale,
                                       double out_scale) const {
    const auto given = state_.given().weight_scales.find(node_.anchor);
    if (given != state_.given().weight_scales.end()) {
      const auto extremes = channelExtremes(contraction.weights, contraction.layout);
      return keptWeightScales(given->second, extremes, reachOf(contraction), contraction.bias,
                              in_scale, scaledRange());
    }
    const std::vector<double> reach =
        group_terms_ > 0 ? reachOf(contraction)
                         : exactReach(contraction.weights, contraction.layout, weightRange());
    return weightScalesForQmul(reach, contraction.bias, in_scale, out_scale, scaledRange());
  }

  void reportRescaled(const QuantizedWeights& quantized, const FloatContraction& contraction) {
    const auto given = state_.given().weight_scales.find(node_.anchor);
    const bool is_given = given != state_.given().weight_scales.end();
    if (!is_given && state_.given().empty()) return;  // of a float model
    const int64_t channels = contraction.layout.channels;
    RescaledWeights rescaled{layerNameOf(node_.anchor), 0, channels};
    for (int64_t c = 0; c < channels; ++c) {
      const auto at = static_cast<size_t>(c);
      const bool keeps = is_given ? keepsScale(quantized.scales[at], given->second[at]) &&
                                        keepsIntegers(quantized, contraction, c)
                                  : standsForWeights(quantized, contraction, c);
      rescaled.changed += keeps ? 0 : 1;
    }
    if (rescaled.changed > 0) reports_.push_back(std::move(rescaled));
  }

  // A scale of 0 is that of zeros, which any scale is right for.
  static bool keepsScale(double scale, double given) { return scale == given || given == 0; }

  // Whether a channel's integers are the weights of the model, which says nothing about scales of
  // output channels: weights in float, with scales of input channels or of blocks.
  static bool standsForWeights(const QuantizedWeights& quantized,
                               const FloatContraction& contraction, int64_t channel) {
    constexpr double kTolerance = 1e-3;  // of a step: what float32 makes of integers times a scale
    for (int64_t i = 0; i < contraction.layout.inner; ++i) {
      const auto at = static_cast<size_t>(contraction.layout.index(channel, i));
      const double steps = contraction.weights[at] / quantized.scales[static_cast<size_t>(channel)];
      if (std::abs(steps - quantized.values[at]) > kTolerance) return false;
    }
    return true;
  }

  // Whether a channel that has kept its scale has kept its weights, which may be no multiples of
  // steps.
  static bool keepsIntegers(const QuantizedWeights& quantized, const FloatContraction& contraction,
                            int64_t channel) {
    if (quantized.steps.empty()) return true;
    for (int64_t i = 0; i < contraction.layout.inner; ++i) {
      const auto at = static_cast<size_t>(contraction.layout.index(channel, i));
      const double given = contraction.weights[at] / quantized.scales[static_cast<size_t>(channel)];
      if (quantized.values[at] != std::round(given)) return false;
    }
    return true;
  }

  Value emitExactContraction(FloatContraction contraction) {
    const QuantParams in = state_.params(node_.inputs[0]), out = state_.params(node_.output);
    const QuantizedWeights quantized =
        roundWeights(contraction, qmulWeightScales(contraction, in.scale, out.scale));
    reportRescaled(quantized, contraction);
    return emitExactly(contraction, quantized);
  }

  Value emitExactly(const FloatContraction& contraction, const QuantizedWeights& quantized) {
    const QuantParams in = state_.params(node_.inputs[0]), out = state_.params(node_.output);
    std::vector<ExactChannel> channels = reachOfSums(quantized, contraction.layout);
    for (size_t c = 0; c < channels.size(); ++c) {
      channels[c].factor = in.scale * quantized.scales[c] / out.scale;
      channels[c].bias = roundToInt32(accumulatorBias(contraction, quantized, c, in));
    }
    return state_.exactlyRescaled(node_, build_, accumulate(quantized, contraction), channels);
  }

  // Whether scales that the model gives differ so much that one multiplier leaves some of them
  // fewer than 7 bits.
  bool losesBits(const FixedPoint& fixed) const {
    constexpr int32_t kFewest = 1 << 7;
    return !state_.given().empty() &&
           std::ranges::any_of(fixed.multipliers,
                               [](int32_t multiplier) { return multiplier < kFewest; });
  }

  // Channels with the least and largest sums that inputs of 8 bits can give.
  static std::vector<ExactChannel> reachOfSums(const QuantizedWeights& weights,
                                               const FilterLayout& layout) {
    std::vector<ExactChannel> channels(static_cast<size_t>(layout.channels));
    for (int64_t c = 0; c < layout.channels; ++c) {
      ExactChannel& channel = channels[static_cast<size_t>(c)];
      for (int64_t i = 0; i < layout.inner; ++i) {
        const int64_t weight = weights.values[static_cast<size_t>(layout.index(c, i))];
        channel.least_sum += std::min(-128 * weight, 127 * weight);
        channel.largest_sum += std::max(-128 * weight, 127 * weight);
      }
    }
    return channels;
  }

  Value emitWithQmul(FloatContraction contraction) {
    const QuantParams in = state_.params(node_.inputs[0]), out = state_.params(node_.output);
    const QuantizedWeights quantized =
        roundWeights(contraction, qmulWeightScales(contraction, in.scale, out.scale));
    reportRescaled(quantized, contraction);
    const size_t channels = node_.bias.size();
    std::vector<double> factors(channels), residual_factors(channels);
    double smallest = kMinResidualFactor;
    const double out_scale =
        node_.residual ? state_.stepFor(node_.residual, out.scale, kSumFractionBits) : out.scale;
    for (size_t c = 0; c < channels; ++c) {
      const double unit = in.scale * quantized.scales[c];
      factors[c] = std::min(unit / out_scale, kLargestFactor);
      if (!node_.residual) continue;
      residual_factors[c] = std::round(state_.params(node_.residual).scale / unit);
      smallest = std::min(smallest, residual_factors[c]);
    }
    const bool fold = node_.residual && smallest >= kMinResidualFactor &&
                      *std::max_element(residual_factors.begin(), residual_factors.end()) < 1 << 21;
    const int fraction = node_.residual && !fold ? kSumFractionBits : 0;
    for (double& factor : factors) factor = std::ldexp(factor, fraction);
    const FixedPoint fixed = toFixedPoint(factors, state_.hw().qmul_multiplier_bits);

    if (!node_.residual && losesBits(fixed)) {
      return emitExactly(contraction, quantized);
    }

    const double rounded_zero = outputOffset(out_scale, fraction, !fold);
    const bool joins_bias = fitsBiases(rounded_zero, fixed, fraction);
    std::vector<int32_t> bias(channels);
    for (size_t c = 0; c < channels; ++c) {
      double value = accumulatorBias(contraction, quantized, c, in);
      if (fold)
        value -=
            residual_factors[c] * static_cast<double>(state_.params(node_.residual).zero_point);
      if (joins_bias) {
        value += std::round(std::ldexp(rounded_zero, fixed.shift) / fixed.multipliers[c]);
      }
      bias[c] = roundToInt32(value);
    }
    Value sum = build_.add(accumulate(quantized, contraction), build_.perChannel(bias));
    if (fold) sum = build_.add(sum, scaledResidual(residual_factors));
    sum = build_.qmul(sum, build_.perChannel(fixed.multipliers), fixed.shift);
    if ((node_.residual && !fold) || !joins_bias) {
      std::vector<ExactChannel> reach = reachOfSums(quantized, contraction.layout);
      for (size_t c = 0; c < channels; ++c) reach[c].bias = bias[c];
      sum = withRoom(build_, sum, largestResult(reach, fixed, fraction), fraction);
    }
    if (!joins_bias) sum = shifted(build_, sum, roundToInt32(rounded_zero));
    if (node_.residual && !fold) {
      sum = build_.add(sum, state_.rescaled(node_.residual, out_scale, fraction, build_));
      sum = build_.shr(sum, build_.scalar(fraction));
    }
    return state_.narrow(node_, build_, sum);
  }

  // The largest magnitude of what the multiplication gives, in output steps.
  static double largestResult(const std::vector<ExactChannel>& channels, const FixedPoint& fixed,
                              int fraction) {
    double largest = 0;
    for (size_t c = 0; c < channels.size(); ++c) {
      // A bias reaches as far as products do, or further.
      const auto sum = static_cast<double>(
          std::max({-channels[c].least_sum, channels[c].largest_sum, std::abs(channels[c].bias)}));
      largest = std::max(largest, std::ldexp(2 * sum * fixed.multipliers[c], -fixed.shift));
    }
    return std::ldexp(largest, -fraction);
  }

  // Whether an addend behind the multiplication can be a part of the biases in front of it. Factors
  // of a quantised model may be so small that it cannot.
  static bool fitsBiases(double addend, const FixedPoint& fixed, int fraction) {
    constexpr double kMost = 1 << 30;
    return std::ranges::all_of(fixed.multipliers, [&](int32_t multiplier) {
      const double factor = std::ldexp(multiplier, -fixed.shift - fraction);
      return multiplier > 0 && factor <= kMostFoldedFactor &&
             std::abs(std::ldexp(addend, fixed.shift)) <= kMost * multiplier;
    });
  }

  Value scaledResidual(const std::vector<double>& factors) {
    const std::vector<int32_t> integers32(factors.begin(), factors.end());
    return build_.mul(build_.widen(state_.integers(node_.residual)), build_.perChannel(integers32));
  }

  // The output's zero point and half a step for the last rounding, less what the residual's own
  // zero point will contribute, all in units of 2^-fraction output steps.
  double outputOffset(double out_scale, int fraction, bool subtract_residual_zero) const {
    const QuantParams out = state_.params(node_.output);
    double offset = std::ldexp(static_cast<double>(out.zero_point), fraction);
    if (fraction > 0) offset += std::ldexp(0.5, fraction);
    if (node_.residual && subtract_residual_zero) {
      const QuantParams residual = state_.params(node_.residual);
      offset -= std::ldexp(residual.scale / out_scale * static_cast<double>(residual.zero_point),
                           fraction);
    }
    return offset;
  }

  // Shifts on all hardware: both parts then come from the same bits of the accumulators.
  Value emitWide(FloatContraction contraction) {
    const QuantParams in = state_.params(node_.inputs[0]), out = state_.params(node_.output);
    const ShiftLimits limits = state_.hw().compat_0_0_2 ? ShiftLimits{16, 15} : ShiftLimits();
    ShiftedScales shifted =
        weightScalesForShift(reachOf(contraction), contraction.bias, in.scale, out.scale, 1,
                             std::min(limits.right, kMostWideShift), scaledRange());
    const QuantizedWeights quantized = roundWeights(contraction, std::move(shifted.scales));
    std::vector<double> bias;
    for (size_t c = 0; c < node_.bias.size(); ++c) {
      bias.push_back(accumulatorBias(contraction, quantized, c, in));
    }
    const WideSteps steps =
        wideSteps(bias, shifted.shifts, node_.clip_min, node_.clip_max, out, limits);
    Value sum = build_.add(accumulate(quantized, contraction), build_.perChannel(steps.bias));
    sum = build_.max(sum, build_.perChannel(steps.least));
    sum = build_.min(sum, build_.perChannel(steps.most));
    for (const std::vector<int32_t>& amounts : steps.shifts) {
      sum = build_.shr(sum, build_.perChannel(amounts));
    }
    return build_.narrow(sum);
  }

  Value emitWithShift(FloatContraction contraction) {
    const QuantParams in = state_.params(node_.inputs[0]), out = state_.params(node_.output);
    const double out_scale =
        node_.residual ? state_.stepFor(node_.residual, out.scale, kMaxAlignBits) : out.scale;
    const int residual_log =
        node_.residual ? logRatio(state_.params(node_.residual).scale, out_scale) : 0;
    const int fraction = std::clamp(-residual_log, 0, kMaxAlignBits);
    // Scales that the model gives may be so large that sums are multiplied.
    const int least_shift = state_.given().empty() ? 0 : -kMostLeftShift;
    ShiftedScales shifted =
        weightScalesForShift(reachOf(contraction), contraction.bias, in.scale, out_scale,
                             fraction + least_shift, 15, scaledRange());
    keepSaturatingScales(contraction, in.scale / out_scale, fraction + least_shift, shifted);
    const QuantizedWeights quantized = roundWeights(contraction, std::move(shifted.scales));
    reportRescaled(quantized, contraction);

    for (int32_t& shift : shifted.shifts) shift -= fraction;
    const bool rises = std::ranges::any_of(shifted.shifts, [](int32_t shift) { return shift < 0; });
    const double rounded_zero = std::round(outputOffset(out_scale, fraction, true));
    std::vector<int32_t> bias(node_.bias.size());
    for (size_t c = 0; c < bias.size(); ++c) {
      double value = accumulatorBias(contraction, quantized, c, in);
      if (!rises) value += std::ldexp(rounded_zero, shifted.shifts[c]);
      if (shifted.shifts[c] > 0) value += std::ldexp(0.5, shifted.shifts[c]);
      bias[c] = roundToInt32(value);
    }
    Value sum = build_.add(accumulate(quantized, contraction), build_.perChannel(bias));
    if (rises) sum = withinShifts(sum, shifted.shifts, fraction);
    sum = build_.shr(sum, build_.perChannel(shifted.shifts));
    if (rises) sum = vta::compiler::shifted(build_, sum, roundToInt32(rounded_zero));
    if (node_.residual) {
      sum = build_.add(sum, state_.shiftedBy(node_.residual, residual_log + fraction, build_));
      if (fraction > 0) sum = build_.shr(sum, build_.scalar(fraction));
    }
    return state_.narrow(node_, build_, sum);
  }

  // Where every sum but 0 saturates, the weights keep the integers that the model gives: its sign
  // is what counts. `ratio` is the input's scale over that of the output.
  void keepSaturatingScales(const FloatContraction& contraction, double ratio, int least_shift,
                            ShiftedScales& shifted) const {
    const auto given = state_.given().weight_scales.find(node_.anchor);
    if (given == state_.given().weight_scales.end()) return;
    const std::vector<double> maxima = channelMaxima(contraction.weights, contraction.layout);
    for (size_t c = 0; c < shifted.scales.size(); ++c) {
      const double scale = given->second[c];
      if (scale * ratio < kLargestFactor) continue;
      if (std::round(maxima[c] / scale) > scaledRange().most) continue;
      shifted.scales[c] = scale;
      shifted.shifts[c] = least_shift;
    }
  }

  // Sums that shifts to the left do not push out of 32 bits; what is cut off saturates.
  Value withinShifts(Value sum, const std::vector<int32_t>& shifts, int fraction) {
    constexpr int32_t kBeyondResults = 1024;
    std::vector<int32_t> most, least;
    for (const int32_t shift : shifts) {
      most.push_back((kBeyondResults << fraction) << std::max(shift, 0));
      least.push_back(-most.back());
    }
    return build_.min(build_.max(sum, build_.perChannel(least)), build_.perChannel(most));
  }

  EmitState& state_;
  const QuantNode& node_;
  EmitBuilder& build_;
  std::vector<RescaledWeights>& reports_;
  const int64_t group_terms_;  // weights of a filter in a row that share a step; 0: none do
};

}  // namespace

Value emitContraction(EmitState& state, const QuantNode& node, EmitBuilder& build,
                      std::vector<RescaledWeights>& rescaled) {
  return ContractionEmitter(state, node, build, rescaled).run();
}

}  // namespace vta::compiler
