#include "compiler/quantize/emit.h"

#include <algorithm>
#include <cmath>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/emit_builder.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace vta::compiler {
namespace {

using mlir::Value;
using Kind = QuantNode::Kind;

// Fraction bits kept where two rescaled terms are summed before the last rounding.
constexpr int kSumFractionBits = 8;

// Power-of-two sums: more fraction bits than this would cost the weights resolution.
constexpr int kMaxAlignBits = 4;

// A residual may be scaled by an integer in the accumulator's own unit if that integer is precise
// enough: half a unit in 128 is at most half an output step for an int8 residual.
constexpr double kMinResidualFactor = 128;

class Emitter {
 public:
  Emitter(mlir::func::FuncOp function, const QuantPlan& plan,
          const std::vector<ActivationScale>& scales, const CalibrationData& data,
          const GivenQuantization& given, const HwConfig& hw)
      : function_(function),
        plan_(plan),
        scales_(scales),
        data_(data),
        given_(given),
        hw_(hw),
        integers_(scales.size()) {}

  EmittedIntegers run() {
    for (const QuantNode& node : plan_.nodes) emit(node);
    eraseDead();
    return {std::move(integers_), std::move(rescaled_)};
  }

 private:
  const QuantParams& params(Value value) const { return scales_[plan_.indexOf(value)].params; }

  void emit(const QuantNode& node) {
    EmitBuilder build(node.anchor->getLoc(), node.last);
    Value result;
    switch (node.kind) {
      case Kind::kConv:
      case Kind::kMatMul:
        result = emitContraction(node, build);
        break;
      case Kind::kAvgPool:
        result = emitAveragePool(node, build);
        break;
      case Kind::kAdd:
        result = emitSum(node, build);
        break;
      case Kind::kClip:
        result = emitClip(node, build);
        break;
      case Kind::kMove:
        result = emitMove(node, build);
        break;
    }
    const QuantParams& out = params(node.output);
    build.annotate(result, out);
    integers_[plan_.indexOf(node.output)] = result;
    // Float users, if there are any, read the dequantised value; otherwise it is dead.
    Value output = node.output;
    output.replaceAllUsesWith(build.dequantize(result, out));
  }

  // The int8 form of an activation; quantised once, where it is defined, if no node computes it.
  Value integers(Value value) {
    Value& known = integers_[plan_.indexOf(value)];
    if (!known) {
      EmitBuilder build = EmitBuilder::after(value);
      known = sameIntegers(value);
      if (known) return known;
      known = build.quantize(value, params(value));
      build.annotate(known, params(value));
    }
    return known;
  }

  // The int8 tensor that `value` dequantises with the parameters it is to have, or null.
  Value sameIntegers(Value value) const {
    auto dequantize = value.getDefiningOp<graph::DequantizeOp>();
    if (!dequantize || dequantize.getScales().size() != 1) return {};
    const auto type = mlir::cast<mlir::RankedTensorType>(dequantize.getInput().getType());
    const QuantParams same{dequantize.getScales()[0], dequantize.getZeroPoints()[0]};
    const bool is_int8 = type.getElementType().isSignlessInteger(8);
    return is_int8 && same == params(value) ? Value(dequantize.getInput()) : Value();
  }

  // A quantised model saturates at the range that it gives, whatever the scale has become.
  Value narrow(const QuantNode& node, EmitBuilder& build, Value wide) {
    double min = node.clip_min, max = node.clip_max;
    if (const QuantParams* given = given_.find(node.output)) {
      min = std::max(min, static_cast<double>(-128 - given->zero_point) * given->scale);
      max = std::min(max, static_cast<double>(127 - given->zero_point) * given->scale);
    }
    return build.narrow(build.clip(wide, quantizedClip(min, max, params(node.output))));
  }

  //===------------------------------ contractions ------------------------------===//

  // A contraction's weights and bias in float, with equalised channels.
  struct FloatContraction {
    WeightLayout layout;
    std::vector<float> weights;
    std::vector<float> bias;
  };

  FloatContraction equalisedContraction(const QuantNode& node) const {
    FloatContraction contraction;
    contraction.bias = node.bias;
    contraction.weights = floatConstant(node.anchor->getOperand(1));
    WeightLayout& layout = contraction.layout;
    layout.channels = static_cast<int64_t>(node.bias.size());
    layout.inner = static_cast<int64_t>(contraction.weights.size()) / layout.channels;
    layout.channel_major = node.kind == Kind::kConv;
    if (data_.factors.empty()) return contraction;
    const std::vector<float>& in = data_.factors[plan_.indexOf(node.inputs[0])];
    if (!in.empty()) {
      const std::vector<int64_t> channels = inputChannels(node);
      for (size_t i = 0; i < channels.size(); ++i) contraction.weights[i] /= in[channels[i]];
    }
    const std::vector<float>& out = data_.factors[plan_.indexOf(node.output)];
    for (int64_t c = 0; c < static_cast<int64_t>(out.size()); ++c) {
      contraction.bias[c] *= out[c];
      for (int64_t i = 0; i < layout.inner; ++i) contraction.weights[layout.index(c, i)] *= out[c];
    }
    return contraction;
  }

  Value emitContraction(const QuantNode& node, EmitBuilder& build) {
    build.setChannelAxis(node.kind == Kind::kConv);
    const FloatContraction contraction = equalisedContraction(node);
    if (exact() && !node.residual) return emitExactContraction(node, build, contraction);
    return hw_.params().ext_qmul ? emitWithQmul(node, build, contraction)
                                 : emitWithShift(node, build, contraction);
  }

  // Quantised weights, and the bias that makes up for what their rounding is expected to change.
  QuantizedWeights roundWeights(const QuantNode& node, FloatContraction& contraction,
                                std::vector<double> scales) const {
    const WeightLayout& layout = contraction.layout;
    QuantizedWeights quantized = quantizeWeights(contraction.weights, layout, std::move(scales));
    if (data_.channels.empty()) {
      const auto type = mlir::cast<mlir::RankedTensorType>(node.anchor->getOperand(1).getType());
      const bool conv = node.kind == Kind::kConv;
      const int64_t taps = conv ? type.getDimSize(2) * type.getDimSize(3) : 1;
      balanceRounding(contraction.weights, layout, taps, quantized);
      return quantized;
    }
    std::vector<double> rounded(contraction.weights.size());
    for (int64_t c = 0; c < layout.channels; ++c) {
      for (int64_t i = 0; i < layout.inner; ++i) {
        const int64_t at = layout.index(c, i);
        rounded[at] = quantized.values[at] * quantized.scales[c];
      }
    }
    const int input = plan_.indexOf(node.inputs[0]);
    std::vector<double> means = data_.channels[input].mean;
    for (size_t c = 0; c < data_.factors[input].size(); ++c) means[c] *= data_.factors[input][c];
    const std::vector<double> error =
        expectedWeightError(contraction.weights, rounded, inputChannels(node), means,
                            layout.channels, layout.channel_major);
    for (size_t c = 0; c < error.size(); ++c) contraction.bias[c] += static_cast<float>(error[c]);
    return quantized;
  }

  // The integer accumulators of the anchor.
  Value accumulate(const QuantNode& node, EmitBuilder& build, const QuantizedWeights& weights) {
    Value input = integers(node.inputs[0]);
    Value constant = build.weights(weights.values, node.anchor->getOperand(1).getType());
    if (auto conv = mlir::dyn_cast<graph::ConvOp>(node.anchor)) {
      return build.conv(conv, input, constant, params(node.inputs[0]).zero_point);
    }
    return build.matmul(input, constant, node.anchor->getResult(0).getType());
  }

  // Bias of channel c in accumulator units, with the input's zero point folded in.
  static double accumulatorBias(const FloatContraction& contraction,
                                const QuantizedWeights& weights, size_t c, const QuantParams& in) {
    return std::round(contraction.bias[c] / (in.scale * weights.scales[c])) -
           static_cast<double>(in.zero_point * weights.row_sums[c]);
  }

  std::vector<double> qmulWeightScales(const QuantNode& node, const FloatContraction& contraction,
                                       double in_scale, double out_scale) const {
    const auto given = given_.weight_scales.find(node.anchor);
    if (given != given_.weight_scales.end()) {
      const auto extremes = channelExtremes(contraction.weights, contraction.layout);
      return keptWeightScales(given->second, extremes, contraction.bias, in_scale);
    }
    return weightScalesForQmul(channelMaxima(contraction.weights, contraction.layout),
                               contraction.bias, in_scale, out_scale);
  }

  void reportRescaled(const QuantNode& node, const std::vector<double>& scales) {
    const auto given = given_.weight_scales.find(node.anchor);
    if (given == given_.weight_scales.end()) return;
    RescaledWeights rescaled{layerNameOf(node.anchor), 0, static_cast<int64_t>(scales.size())};
    for (size_t c = 0; c < scales.size(); ++c) rescaled.changed += scales[c] != given->second[c];
    if (rescaled.changed > 0) rescaled_.push_back(std::move(rescaled));
  }

  // A quantised model says where it rounds: where two multipliers in a row can follow it to the
  // last bit, one is not enough, since a step in a thousand values grows from layer to layer.
  bool exact() const { return !given_.empty() && hw_.params().ext_qmul; }

  // sum * factors, to nearest, plus the output's zero point.
  Value exactlyRescaled(const QuantNode& node, EmitBuilder& build, Value sum,
                        const std::vector<double>& factors) {
    const ExactFactors scale = toExactFactors(factors, hw_.params().qmul_multiplier_bits);
    sum = build.qmul(sum, build.perChannel(scale.first), scale.first_shift);
    sum = build.qmul(sum, build.perChannel(scale.second), scale.second_shift);
    return narrow(node, build, shifted(build, sum, params(node.output).zero_point));
  }

  static Value shifted(EmitBuilder& build, Value sum, int64_t offset) {
    return offset == 0 ? sum : build.add(sum, build.scalar(static_cast<int32_t>(offset)));
  }

  Value emitExactContraction(const QuantNode& node, EmitBuilder& build,
                             FloatContraction contraction) {
    const QuantParams in = params(node.inputs[0]), out = params(node.output);
    const QuantizedWeights quantized =
        roundWeights(node, contraction, qmulWeightScales(node, contraction, in.scale, out.scale));
    reportRescaled(node, quantized.scales);
    std::vector<double> factors(node.bias.size());
    std::vector<int32_t> bias(node.bias.size());
    for (size_t c = 0; c < factors.size(); ++c) {
      factors[c] = in.scale * quantized.scales[c] / out.scale;
      bias[c] = roundToInt32(accumulatorBias(contraction, quantized, c, in));
    }
    Value sum = build.add(accumulate(node, build, quantized), build.perChannel(bias));
    return exactlyRescaled(node, build, sum, factors);
  }

  Value emitExactSum(const QuantNode& node, EmitBuilder& build) {
    const QuantParams lhs = params(node.inputs[0]), rhs = params(node.inputs[1]);
    const QuantParams out = params(node.output);
    const ExactSum scale =
        toExactSum(lhs.scale / out.scale, rhs.scale / out.scale, hw_.params().qmul_multiplier_bits);
    const int64_t zero =
        lhs.zero_point * scale.lhs_multiplier + rhs.zero_point * scale.rhs_multiplier;
    Value left =
        build.qmul(build.widen(integers(node.inputs[0])), build.scalar(scale.lhs_multiplier), 0);
    Value right =
        build.qmul(build.widen(integers(node.inputs[1])), build.scalar(scale.rhs_multiplier), 0);
    Value sum = shifted(build, build.add(left, right), -zero);
    sum = build.qmul(sum, build.scalar(scale.multiplier), scale.shift);
    return narrow(node, build, shifted(build, sum, out.zero_point));
  }

  Value emitWithQmul(const QuantNode& node, EmitBuilder& build, FloatContraction contraction) {
    const QuantParams in = params(node.inputs[0]), out = params(node.output);
    const QuantizedWeights quantized =
        roundWeights(node, contraction, qmulWeightScales(node, contraction, in.scale, out.scale));
    reportRescaled(node, quantized.scales);
    const size_t channels = node.bias.size();
    std::vector<double> factors(channels), residual_factors(channels);
    double smallest = kMinResidualFactor;
    for (size_t c = 0; c < channels; ++c) {
      const double unit = in.scale * quantized.scales[c];
      factors[c] = unit / out.scale;
      if (!node.residual) continue;
      residual_factors[c] = std::round(params(node.residual).scale / unit);
      smallest = std::min(smallest, residual_factors[c]);
    }
    const bool fold = node.residual && smallest >= kMinResidualFactor &&
                      *std::max_element(residual_factors.begin(), residual_factors.end()) < 1 << 21;
    const int fraction = node.residual && !fold ? kSumFractionBits : 0;
    for (double& factor : factors) factor = std::ldexp(factor, fraction);
    const FixedPoint fixed = toFixedPoint(factors, hw_.params().qmul_multiplier_bits);

    const double rounded_zero = outputOffset(node, fraction, !fold);
    std::vector<int32_t> bias(channels);
    for (size_t c = 0; c < channels; ++c) {
      double value = accumulatorBias(contraction, quantized, c, in);
      if (fold)
        value -= residual_factors[c] * static_cast<double>(params(node.residual).zero_point);
      value += std::round(std::ldexp(rounded_zero, fixed.shift) / fixed.multipliers[c]);
      bias[c] = roundToInt32(value);
    }
    Value sum = build.add(accumulate(node, build, quantized), build.perChannel(bias));
    if (fold) sum = build.add(sum, scaledResidual(node, build, residual_factors));
    sum = build.qmul(sum, build.perChannel(fixed.multipliers), fixed.shift);
    if (node.residual && !fold) {
      sum = build.add(sum, rescaled(node.residual, out.scale, fraction, build));
      sum = build.shr(sum, build.scalar(fraction));
    }
    return narrow(node, build, sum);
  }

  Value scaledResidual(const QuantNode& node, EmitBuilder& build,
                       const std::vector<double>& factors) {
    const std::vector<int32_t> integers32(factors.begin(), factors.end());
    return build.mul(build.widen(integers(node.residual)), build.perChannel(integers32));
  }

  // The output's zero point and half a step for the last rounding, less what the residual's own
  // zero point will contribute, all in units of 2^-fraction output steps.
  double outputOffset(const QuantNode& node, int fraction, bool subtract_residual_zero) const {
    const QuantParams out = params(node.output);
    double offset = std::ldexp(static_cast<double>(out.zero_point), fraction);
    if (fraction > 0) offset += std::ldexp(0.5, fraction);
    if (node.residual && subtract_residual_zero) {
      const QuantParams residual = params(node.residual);
      offset -= std::ldexp(residual.scale / out.scale * static_cast<double>(residual.zero_point),
                           fraction);
    }
    return offset;
  }

  // `value` in units of 2^-fraction steps of `out_scale`, by qmul; its zero point is not removed.
  Value rescaled(Value value, double out_scale, int fraction, EmitBuilder& build) {
    const FixedPoint fixed = toFixedPoint({std::ldexp(params(value).scale / out_scale, fraction)},
                                          hw_.params().qmul_multiplier_bits);
    return build.qmul(build.widen(integers(value)), build.scalar(fixed.multipliers[0]),
                      fixed.shift);
  }

  // log2 of scale / out_scale; an integer by construction of the scales.
  static int logRatio(double scale, double out_scale) {
    return static_cast<int>(std::lround(std::log2(scale / out_scale)));
  }

  Value emitWithShift(const QuantNode& node, EmitBuilder& build, FloatContraction contraction) {
    const QuantParams in = params(node.inputs[0]), out = params(node.output);
    const int residual_log = node.residual ? logRatio(params(node.residual).scale, out.scale) : 0;
    const int fraction = std::clamp(-residual_log, 0, kMaxAlignBits);
    ShiftedScales shifted =
        weightScalesForShift(channelMaxima(contraction.weights, contraction.layout),
                             contraction.bias, in.scale, out.scale, fraction, 15);
    const QuantizedWeights quantized = roundWeights(node, contraction, std::move(shifted.scales));
    reportRescaled(node, quantized.scales);

    const double rounded_zero = std::round(outputOffset(node, fraction, true));
    std::vector<int32_t> bias(node.bias.size());
    for (size_t c = 0; c < bias.size(); ++c) {
      shifted.shifts[c] -= fraction;
      double value = accumulatorBias(contraction, quantized, c, in);
      value += std::ldexp(rounded_zero, shifted.shifts[c]);
      if (shifted.shifts[c] > 0) value += std::ldexp(0.5, shifted.shifts[c]);
      bias[c] = roundToInt32(value);
    }
    Value sum = build.add(accumulate(node, build, quantized), build.perChannel(bias));
    sum = build.shr(sum, build.perChannel(shifted.shifts));
    if (node.residual) {
      sum = build.add(sum, shiftedBy(node.residual, residual_log + fraction, build));
      if (fraction > 0) sum = build.shr(sum, build.scalar(fraction));
    }
    return narrow(node, build, sum);
  }

  // `value` times 2^log, its zero point not removed.
  Value shiftedBy(Value value, int log, EmitBuilder& build) {
    Value wide = build.widen(integers(value));
    return log == 0 ? wide : build.shr(wide, build.scalar(-log));
  }

  //===------------------------------ pools, sums, moves ------------------------------===//

  Value emitAveragePool(const QuantNode& node, EmitBuilder& build) {
    const QuantParams in = params(node.inputs[0]), out = params(node.output);
    auto pool = mlir::cast<graph::AvgPoolOp>(node.anchor);
    Value sum = build.sumPool(pool, integers(node.inputs[0]), in.zero_point);
    const auto window = static_cast<double>(node.window_elems);
    const double in_zero = -window * static_cast<double>(in.zero_point);
    const auto out_zero = static_cast<double>(out.zero_point);
    const double factor = in.scale / (window * out.scale);
    if (exact()) {
      sum = shifted(build, sum, static_cast<int64_t>(in_zero));
      return exactlyRescaled(node, build, sum, {factor});
    }
    if (hw_.params().ext_qmul) {
      const FixedPoint fixed = toFixedPoint({factor}, hw_.params().qmul_multiplier_bits);
      const double offset = std::ldexp(out_zero, fixed.shift) / fixed.multipliers[0];
      sum = build.add(sum, build.scalar(roundToInt32(in_zero + offset)));
      sum = build.qmul(sum, build.scalar(fixed.multipliers[0]), fixed.shift);
      return narrow(node, build, sum);
    }
    const int shift = static_cast<int>(std::lround(-std::log2(factor)));
    if (shift > 0) {
      const double offset = std::ldexp(out_zero + 0.5, shift);
      sum = build.add(sum, build.scalar(roundToInt32(in_zero + offset)));
      sum = build.shr(sum, build.scalar(shift));
    } else {
      sum = build.add(sum, build.scalar(roundToInt32(in_zero)));
      sum = build.shr(sum, build.scalar(shift));
      sum = build.add(sum, build.scalar(roundToInt32(out_zero)));
    }
    return narrow(node, build, sum);
  }

  Value emitSum(const QuantNode& node, EmitBuilder& build) {
    if (exact()) return emitExactSum(node, build);
    const QuantParams out = params(node.output);
    const bool qmul = hw_.params().ext_qmul;
    int fraction = kSumFractionBits;
    if (!qmul) {
      fraction = 0;
      for (Value input : node.inputs) {
        fraction = std::max(fraction, -logRatio(params(input).scale, out.scale));
      }
      fraction = std::min(fraction, kMaxAlignBits);
    }
    auto zero = static_cast<double>(out.zero_point);
    Value terms[2];
    for (int i = 0; i < 2; ++i) {
      const QuantParams in = params(node.inputs[i]);
      zero -= in.scale / out.scale * static_cast<double>(in.zero_point);
      terms[i] = qmul ? rescaled(node.inputs[i], out.scale, fraction, build)
                      : shiftedBy(node.inputs[i], logRatio(in.scale, out.scale) + fraction, build);
    }
    return finishSum(node, build, build.add(terms[0], terms[1]), zero, fraction);
  }

  // A clip by itself; in a quantised model, its result may have parameters of its own.
  Value emitClip(const QuantNode& node, EmitBuilder& build) {
    const QuantParams in = params(node.inputs[0]), out = params(node.output);
    if (in == out) return narrow(node, build, build.widen(integers(node.inputs[0])));
    if (exact()) {
      Value sum = shifted(build, build.widen(integers(node.inputs[0])), -in.zero_point);
      return exactlyRescaled(node, build, sum, {in.scale / out.scale});
    }
    const int log = logRatio(in.scale, out.scale);
    const int fraction = std::clamp(-log, 0, kMaxAlignBits);
    Value sum = shiftedBy(node.inputs[0], log + fraction, build);
    const double zero = static_cast<double>(out.zero_point) -
                        in.scale / out.scale * static_cast<double>(in.zero_point);
    return finishSum(node, build, sum, zero, fraction);
  }

  // sum / 2^fraction + zero, rounded and clamped.
  Value finishSum(const QuantNode& node, EmitBuilder& build, Value sum, double zero, int fraction) {
    double offset = std::ldexp(zero, fraction);
    if (fraction > 0) offset += std::ldexp(0.5, fraction);
    if (const int32_t rounded = roundToInt32(offset); rounded != 0) {
      sum = build.add(sum, build.scalar(rounded));
    }
    if (fraction > 0) sum = build.shr(sum, build.scalar(fraction));
    return narrow(node, build, sum);
  }

  Value emitMove(const QuantNode& node, EmitBuilder& build) {
    mlir::IRMapping mapping;
    for (Value input : node.inputs) mapping.map(input, integers(input));
    mlir::Operation* moved = build.cloneAsInt8(node.anchor, mapping, node.inputs);
    if (auto pad = mlir::dyn_cast<graph::PadOp>(moved)) {
      pad.setValue(llvm::APFloat(static_cast<double>(params(node.output).zero_point)));
    }
    return moved->getResult(0);
  }

  void eraseDead() {
    mlir::Block& block = function_.getBody().front();
    for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (!mlir::isOpTriviallyDead(&op)) continue;
      for (Value result : op.getResults())
        std::replace(integers_.begin(), integers_.end(), result, Value());
      op.erase();
    }
  }

  mlir::func::FuncOp function_;
  const QuantPlan& plan_;
  const std::vector<ActivationScale>& scales_;
  const CalibrationData& data_;
  const GivenQuantization& given_;
  const HwConfig& hw_;
  std::vector<RescaledWeights> rescaled_;
  std::vector<Value> integers_;
};

}  // namespace

EmittedIntegers emitIntegers(mlir::func::FuncOp function, const QuantPlan& plan,
                             const std::vector<ActivationScale>& scales,
                             const CalibrationData& data, const GivenQuantization& given,
                             const HwConfig& hw) {
  return Emitter(function, plan, scales, data, given, hw).run();
}

}  // namespace vta::compiler
