#include "compiler/quantize/emit/sums.h"

#include <algorithm>
#include <cmath>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/plan/exact_sum.h"
#include "isa/spec/accumulator.h"

namespace vta::compiler {
namespace {

using mlir::Value;

// The largest offset that a sum of integers has room for beside itself.
constexpr double kMostOffset = 1 << 30;

// sum / 2^fraction + zero, rounded and clamped.
Value finishSum(EmitState& state, const QuantNode& node, EmitBuilder& build, Value sum, double zero,
                int fraction) {
  double offset = std::ldexp(zero, fraction);
  if (fraction > 0) offset += std::ldexp(0.5, fraction);
  if (const int32_t rounded = roundToInt32(offset); rounded != 0) {
    sum = build.add(sum, build.scalar(rounded));
  }
  if (fraction > 0) sum = build.shr(sum, build.scalar(fraction));
  return state.narrow(node, build, sum);
}

// Bits of the multipliers of two activations: their products and an offset are added up.
int multiplierBits(const HwParams& hw) {
  constexpr int kSumBits = 9;  // above those of a multiplier
  if (hw.acc_width_bits == kAccDramBits) return hw.qmul_multiplier_bits;
  return std::min(hw.qmul_multiplier_bits, hw.acc_width_bits - kSumBits);
}

// The ops of a user's operation on integers.
Value emitFormula(const QuantNode& node, EmitBuilder& build, llvm::ArrayRef<Value> terms) {
  mlir::IRMapping mapping;
  for (size_t i = 0; i < terms.size(); ++i) mapping.map(node.inputs[i], terms[i]);
  for (const ElementStep& step : node.formula) build.cloneAsInt32(step.op, step.operands, mapping);
  return mapping.lookup(node.formula.back().op->getResult(0));
}

Value emitExactSum(EmitState& state, const QuantNode& node, EmitBuilder& build) {
  const QuantParams lhs = state.params(node.inputs[0]), rhs = state.params(node.inputs[1]);
  const QuantParams out = state.params(node.output);
  const int bits = multiplierBits(state.hw());
  const auto steps = findExactSumSteps({lhs, rhs, out, state.outputRange(node)}, bits);
  const ExactSum scale =
      steps ? steps->factors : toExactSum(lhs.scale / out.scale, rhs.scale / out.scale, bits);
  const int64_t zero =
      lhs.zero_point * scale.lhs_multiplier + rhs.zero_point * scale.rhs_multiplier;
  Value left = build.qmul(build.widen(state.integers(node.inputs[0])),
                          build.scalar(scale.lhs_multiplier), 0);
  Value right = build.qmul(build.widen(state.integers(node.inputs[1])),
                           build.scalar(scale.rhs_multiplier), 0);
  Value sum = shifted(build, build.add(left, right), steps ? steps->offset : -zero);
  sum = build.qmul(sum, build.scalar(scale.multiplier), scale.shift);
  if (steps) return state.narrow(node, build, sum);
  sum = withRoom(build, sum, 255 * (lhs.scale + rhs.scale) / out.scale, 0);
  return state.narrow(node, build, shifted(build, sum, out.zero_point));
}

// A pool whose windows have different divisors: with the sum of a window times a factor of its own,
// all have the same one. The factors are small integers, so nothing is rounded on the way.
Value emitPoolOfParts(EmitState& state, const QuantNode& node, EmitBuilder& build) {
  const QuantParams in = state.params(node.inputs[0]), out = state.params(node.output);
  auto pool = mlir::cast<graph::AvgPoolOp>(node.anchor);
  const int64_t window = pool.getKernel()[0] * pool.getKernel()[1];
  Value sum = build.sumPool(pool, state.integers(node.inputs[0]), in.zero_point);
  sum = shifted(build, sum, -window * in.zero_point);
  sum = build.mul(sum, build.widen(build.perPixel(node.divisors.factors, pool.getType())));
  const auto common = static_cast<double>(node.divisors.common);
  const double factor = std::min(in.scale / (common * out.scale), kLargestFactor);
  if (state.exact()) {
    const int64_t largest = 255 * node.divisors.common;
    return state.exactlyRescaledToEven(node, build, sum, {factor, 0, -largest, largest});
  }
  const FixedPoint fixed = toFixedPoint({factor}, state.hw().qmul_multiplier_bits);
  sum = build.qmul(sum, build.scalar(fixed.multipliers[0]), fixed.shift);
  sum = withRoom(build, sum, 255 * common * factor, 0);
  return state.narrow(node, build, shifted(build, sum, out.zero_point));
}

}  // namespace

Value emitAveragePool(EmitState& state, const QuantNode& node, EmitBuilder& build) {
  if (!node.divisors.factors.empty()) return emitPoolOfParts(state, node, build);
  const QuantParams in = state.params(node.inputs[0]), out = state.params(node.output);
  auto pool = mlir::cast<graph::AvgPoolOp>(node.anchor);
  Value sum = build.sumPool(pool, state.integers(node.inputs[0]), in.zero_point);
  // Pads are in the sum as zero points, whether the mean counts them or not.
  const int64_t elems = pool.getKernel()[0] * pool.getKernel()[1];
  const auto window = static_cast<double>(node.divisors.common);
  const double in_zero = -static_cast<double>(elems * in.zero_point);
  const auto out_zero = static_cast<double>(out.zero_point);
  const double factor = std::min(in.scale / (window * out.scale), kLargestFactor);
  if (state.exact()) {
    return state.exactlyRescaledToEven(node, build, sum,
                                       {factor, -elems * in.zero_point, -128 * elems, 127 * elems});
  }
  if (state.hw().ext_qmul) {
    const FixedPoint fixed = toFixedPoint({factor}, state.hw().qmul_multiplier_bits);
    const double offset = std::ldexp(out_zero, fixed.shift) / fixed.multipliers[0];
    // Not where it would be rounded to many steps, or with a multiplier of 0.
    const bool joins = factor <= kMostFoldedFactor && std::abs(offset) <= kMostOffset;
    sum = build.add(sum, build.scalar(roundToInt32(in_zero + (joins ? offset : 0))));
    sum = build.qmul(sum, build.scalar(fixed.multipliers[0]), fixed.shift);
    if (joins) return state.narrow(node, build, sum);
    sum = withRoom(build, sum, 255 * window * factor, 0);
    return state.narrow(node, build, shifted(build, sum, out.zero_point));
  }
  // Beyond 30 bits nothing is left of any sum.
  const int shift = std::min(static_cast<int>(std::lround(-std::log2(factor))), 30);
  if (shift > 0 && std::ldexp(std::abs(out_zero) + 0.5, shift) > kMostOffset) {
    sum = build.add(sum, build.scalar(roundToInt32(in_zero + std::ldexp(0.5, shift))));
    sum = build.shr(sum, build.scalar(shift));
    sum = build.add(sum, build.scalar(roundToInt32(out_zero)));
  } else if (shift > 0) {
    const double offset = std::ldexp(out_zero + 0.5, shift);
    sum = build.add(sum, build.scalar(roundToInt32(in_zero + offset)));
    sum = build.shr(sum, build.scalar(shift));
  } else {
    sum = build.add(sum, build.scalar(roundToInt32(in_zero)));
    sum = build.shr(sum, build.scalar(shift));
    sum = build.add(sum, build.scalar(roundToInt32(out_zero)));
  }
  return state.narrow(node, build, sum);
}

Value emitSum(EmitState& state, const QuantNode& node, EmitBuilder& build) {
  if (state.exact()) return emitExactSum(state, node, build);
  const QuantParams out = state.params(node.output);
  const bool qmul = state.hw().ext_qmul;
  int fraction = kSumFractionBits;
  if (!qmul) {
    fraction = 0;
    for (Value input : node.inputs) {
      fraction = std::max(fraction, -logRatio(state.params(input).scale, out.scale));
    }
    fraction = std::min(fraction, kMaxAlignBits);
  }
  const bool is_formula = !node.formula.empty();
  const graph::BinaryKind kind =
      is_formula ? graph::BinaryKind::add : mlir::cast<graph::BinaryOp>(node.anchor).getKind();
  const bool adds = kind == graph::BinaryKind::add;
  double out_scale = out.scale;
  for (Value input : node.inputs) out_scale = state.stepFor(input, out_scale, fraction);
  double zeros[2];
  Value terms[2];
  for (int i = 0; i < 2; ++i) {
    const QuantParams in = state.params(node.inputs[i]);
    zeros[i] = in.scale / out_scale * static_cast<double>(in.zero_point);
    terms[i] =
        qmul ? state.rescaled(node.inputs[i], out_scale, fraction, build)
             : state.shiftedBy(node.inputs[i], logRatio(in.scale, out_scale) + fraction, build);
  }
  if (is_formula) {
    for (int i = 0; i < 2; ++i) {
      const int32_t zero = roundToInt32(std::ldexp(-zeros[i], fraction));
      if (zero != 0) terms[i] = build.add(terms[i], build.scalar(zero));
    }
    const Value result = emitFormula(node, build, terms);
    return finishSum(state, node, build, result, static_cast<double>(out.zero_point), fraction);
  }
  // A sum's zeros are taken off together. The larger of two is known once both have the same zero.
  const double difference = adds ? 0 : std::ldexp(zeros[0] - zeros[1], fraction);
  if (const int32_t rounded = roundToInt32(difference); rounded != 0) {
    terms[1] = build.add(terms[1], build.scalar(rounded));
  }
  const double zero = static_cast<double>(out.zero_point) - (adds ? zeros[0] + zeros[1] : zeros[0]);
  return finishSum(state, node, build, build.binary(kind, terms[0], terms[1]), zero, fraction);
}

// A clip by itself; in a quantised model, its result may have parameters of its own.
Value emitClip(EmitState& state, const QuantNode& node, EmitBuilder& build) {
  const QuantParams in = state.params(node.inputs[0]), out = state.params(node.output);
  if (in == out) return state.narrow(node, build, build.widen(state.integers(node.inputs[0])));
  if (state.hw().ext_qmul) {
    Value value = build.widen(state.integers(node.inputs[0]));
    return state.exactlyRescaled(node, build, value,
                                 {{in.scale / out.scale, -in.zero_point, -128, 127}});
  }
  const double out_scale = state.stepFor(node.inputs[0], out.scale, 0);
  const int log = logRatio(in.scale, out_scale);
  const int fraction = std::clamp(-log, 0, kMaxAlignBits);
  Value sum = state.shiftedBy(node.inputs[0], log + fraction, build);
  const double zero = static_cast<double>(out.zero_point) -
                      in.scale / out_scale * static_cast<double>(in.zero_point);
  return finishSum(state, node, build, sum, zero, fraction);
}

}  // namespace vta::compiler
