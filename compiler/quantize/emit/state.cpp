#include "compiler/quantize/emit/state.h"

#include <algorithm>
#include <cmath>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/emit/even_halves.h"
#include "isa/spec/accumulator.h"

namespace vta::compiler {

using mlir::Value;

Value EmitState::integers(Value value) {
  Value& known = known_[plan_.indexOf(value)];
  if (!known) {
    known = sameIntegers(value);
    if (known) return known;
    EmitBuilder build = EmitBuilder::after(value);
    known = build.quantize(value, params(value));
    build.annotate(known, params(value));
  }
  return known;
}

// The int8 tensor that `value` dequantises with the parameters it is to have, or null.
Value EmitState::sameIntegers(Value value) const {
  auto dequantize = value.getDefiningOp<graph::DequantizeOp>();
  if (!dequantize || dequantize.getScales().size() != 1) return {};
  const auto type = mlir::cast<mlir::RankedTensorType>(dequantize.getInput().getType());
  const QuantParams same{dequantize.getScales()[0], dequantize.getZeroPoints()[0]};
  const bool is_int8 = type.getElementType().isSignlessInteger(8);
  return is_int8 && same == params(value) ? Value(dequantize.getInput()) : Value();
}

namespace {

/// Whoever rounds `value` as `result`, its integers, is rounded reads these.
void readRounded(Value value, Value result, const QuantParams& params) {
  for (mlir::Operation* user : value.getUsers()) {
    auto quantize = mlir::dyn_cast<graph::QuantizeOp>(user);
    if (!quantize || quantize.getScales().size() != 1) continue;
    const QuantParams given{quantize.getScales()[0], quantize.getZeroPoints()[0]};
    if (given == params && quantize.getType() == result.getType()) {
      quantize.getOutput().replaceAllUsesWith(result);
    }
  }
}

}  // namespace

void EmitState::define(const QuantNode& node, Value result) {
  EmitBuilder build(node.anchor->getLoc(), node.last);
  const QuantParams& out = params(node.output);
  build.annotate(result, out);
  known_[plan_.indexOf(node.output)] = result;
  if (isWide(node.output)) return;  // nothing in float reads it
  // Float users, if there are any, read the dequantised value; otherwise it is dead.
  Value output = node.output;
  readRounded(output, result, out);
  output.replaceAllUsesWith(build.dequantize(result, out));
}

IntRange EmitState::outputRange(const QuantNode& node) const {
  double min = node.clip_min, max = node.clip_max;
  if (const QuantParams* given = given_.find(node.output)) {
    min = std::max(min, static_cast<double>(-128 - given->zero_point) * given->scale);
    max = std::min(max, static_cast<double>(127 - given->zero_point) * given->scale);
  }
  return quantizedClip(min, max, params(node.output));
}

Value EmitState::narrow(const QuantNode& node, EmitBuilder& build, Value wide) const {
  return build.narrow(build.clip(wide, outputRange(node)));
}

namespace {

/// The furthest that published hardware shifts to the left.
constexpr int kMostAlignShift = 16;

/// The largest magnitude that a result has before it is clipped.
double reachOf(const std::vector<ExactChannel>& channels) {
  double reach = 1;
  for (const ExactChannel& channel : channels) {
    for (const int64_t sum : {channel.least_sum, channel.largest_sum}) {
      reach = std::max(reach, std::abs(channel.factor * static_cast<double>(sum + channel.bias)));
    }
  }
  return reach;
}

/// Fraction bits with which every result before the clip fits accumulators of `acc_bits` bits;
/// those of 32 saturate where they do not.
int fractionBits(const std::vector<ExactChannel>& channels, int acc_bits) {
  if (acc_bits == kAccDramBits) return kMostFractionBits;
  return std::max(0, acc_bits - 2 - static_cast<int>(std::ceil(std::log2(reachOf(channels)))));
}

}  // namespace

Value EmitState::exactlyRescaled(const QuantNode& node, EmitBuilder& build, Value sum,
                                 std::vector<ExactChannel> channels) const {
  for (ExactChannel& channel : channels) channel.factor = std::min(channel.factor, kLargestFactor);
  const int64_t zero_point = params(node.output).zero_point;
  const int bits = hw().qmul_multiplier_bits;
  const int acc_bits = hw().acc_width_bits;
  if (const auto steps = findExactSteps(channels, zero_point, outputRange(node), bits, acc_bits)) {
    sum = build.qmul(sum, build.perChannel(steps->first), steps->first_shift);
    sum = build.add(sum, build.perChannel(steps->offset));
    sum = build.qmul(sum, build.perChannel(steps->second), steps->second_shift);
    return narrow(node, build, sum);
  }
  std::vector<double> factors;
  std::vector<int32_t> bias;
  for (const ExactChannel& channel : channels) {
    factors.push_back(channel.factor);
    bias.push_back(static_cast<int32_t>(channel.bias));
  }
  const ExactFactors scale = toExactFactors(factors, bits, fractionBits(channels, acc_bits));
  if (std::ranges::any_of(bias, [](int32_t value) { return value != 0; })) {
    sum = build.add(sum, build.perChannel(bias));
  }
  sum = build.qmul(sum, build.perChannel(scale.first), scale.first_shift);
  sum = build.qmul(sum, build.perChannel(scale.second), scale.second_shift);
  sum = withRoom(build, sum, reachOf(channels), 0);
  return narrow(node, build, shifted(build, sum, zero_point));
}

Value EmitState::exactlyRescaledToEven(const QuantNode& node, EmitBuilder& build, Value sum,
                                       const ExactChannel& channel) const {
  const int64_t least = channel.least_sum + channel.bias;
  const int64_t largest = channel.largest_sum + channel.bias;
  Value even;  // which takes products that wrap at 32 bits
  if (hw().acc_width_bits == kAccDramBits) {
    even = roundedToEven(build, sum, channel.bias, channel.factor, std::max(-least, largest));
  }
  if (!even) return exactlyRescaled(node, build, sum, {channel});
  return narrow(node, build, shifted(build, even, params(node.output).zero_point));
}

double EmitState::stepFor(Value value, double out_scale, int fraction) const {
  const double largest = hw().ext_qmul ? std::ldexp(1.0, hw().qmul_multiplier_bits - 1) - 1
                                       : std::ldexp(1.0, kMostAlignShift);
  return std::max(out_scale, params(value).scale / std::ldexp(largest, -fraction));
}

Value EmitState::rescaled(Value value, double out_scale, int fraction, EmitBuilder& build) {
  const FixedPoint fixed = toFixedPoint({std::ldexp(params(value).scale / out_scale, fraction)},
                                        hw().qmul_multiplier_bits);
  return build.qmul(build.widen(integers(value)), build.scalar(fixed.multipliers[0]), fixed.shift);
}

Value EmitState::shiftedBy(Value value, int log, EmitBuilder& build) {
  Value wide = build.widen(integers(value));
  // Eight bits to the right leave a sign, and so do more.
  log = std::clamp(log, -8, kMostAlignShift);
  return log == 0 ? wide : build.shr(wide, build.scalar(-log));
}

Value withRoom(EmitBuilder& build, Value sum, double reach, int fraction) {
  constexpr double kFits = 1 << 30;
  constexpr int64_t kBeyondResults = 1024;  // zero points and saturation are within 384
  if (std::ldexp(reach, fraction) < kFits) return sum;
  const int64_t bound = kBeyondResults << fraction;
  return build.clip(sum, {-bound, bound - 1});
}

Value shifted(EmitBuilder& build, Value sum, int64_t offset) {
  return offset == 0 ? sum : build.add(sum, build.scalar(static_cast<int32_t>(offset)));
}

int logRatio(double scale, double out_scale) {
  return static_cast<int>(std::lround(std::log2(scale / out_scale)));
}

}  // namespace vta::compiler
