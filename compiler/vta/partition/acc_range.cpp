#include "compiler/vta/partition/acc_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/partition/group_steps.h"
#include "isa/spec/accumulator.h"

namespace vta::compiler {

namespace {

using kernel::EpilogueStep;
using kernel::KernelKind;

constexpr Interval kInt8 = {std::numeric_limits<int8_t>::min(), std::numeric_limits<int8_t>::max()};
// Bounds beyond these are not followed, so that products of two of them do not overflow.
constexpr int kMostBits = 32;

int64_t roundedShift(int64_t value, int32_t shift) {
  if (shift == 0) return value;
  const int64_t half = int64_t{1} << (shift - 1);
  return value >= 0 ? (value + half) >> shift : -((-value + half) >> shift);
}

Interval product(const Interval& x, const Interval& y) {
  const auto [low, high] =
      std::minmax({x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
  return {low, high};
}

std::optional<Interval> shifted(const Interval& x, const Interval& amount) {
  constexpr int64_t kMostAmount = 31;
  if (amount.low != amount.high) return std::nullopt;
  if (amount.low < -kMostAmount || amount.low > kMostAmount) return std::nullopt;
  if (amount.low >= 0) return Interval{x.low >> amount.low, x.high >> amount.low};
  const int64_t factor = int64_t{1} << -amount.low;
  return Interval{x.low * factor, x.high * factor};
}

Interval scaled(const Interval& x, const Interval& multiplier, int32_t shift, int bits) {
  const AccumulatorRange range = accumulatorRange(bits);
  const auto round = [&](int64_t value) {
    return std::clamp<int64_t>(roundedShift(value, shift), range.least, range.most);
  };
  const Interval exact = product(x, multiplier);
  return {round(exact.low), round(exact.high)};
}

int bitsOf(const Interval& x) {
  int bits = 1;
  while (bits < 64 && !fits(x, bits)) ++bits;
  return bits;
}

/// Whether the low bits of the result follow from the low bits of the operands.
bool keepsLowBits(const GroupStep& step, const Interval& y) {
  switch (step.opcode) {
    case AluOpcode::kAdd:
    case AluOpcode::kMul:
    case AluOpcode::kLut:  // reads the low byte
      return true;
    case AluOpcode::kShr:
      return y.high <= 0;
    default:
      return false;
  }
}

class RangeChecker {
 public:
  RangeChecker(const OffloadGroup& group, const HwConfig& hw)
      : group_(group), bits_(hw.params().acc_width_bits) {}

  Status run() {
    const auto shape = graph::shapeOf(group_.computed);
    const auto axis = static_cast<size_t>(channelAxis(static_cast<int64_t>(shape.size())));
    const auto channels = static_cast<size_t>(shape[axis]);
    VTA_ASSIGN_OR_RETURN(const std::vector<Interval> sums, sumsOf(channels));
    for (size_t channel = 0; channel < channels; ++channel) {
      Interval residual = kInt8;
      if (group_.residual) {
        VTA_ASSIGN_OR_RETURN(residual, walk(group_.residual_steps, residual, channel, residual));
      }
      VTA_RETURN_IF_ERROR(walk(group_.epilogue, sums[channel], channel, residual).status());
    }
    return {};
  }

 private:
  Status tooWide(const Interval& x) const {
    return unsupported(fmt::format("its accumulators may need {} bits, and the hardware's have {}",
                                   bitsOf(x), bits_));
  }

  /// The sums of each channel before the epilogue.
  Result<std::vector<Interval>> sumsOf(size_t channels) const {
    switch (group_.kind) {
      case KernelKind::kMaxPool:
      case KernelKind::kElementwise:
        return std::vector<Interval>(channels, kInt8);
      case KernelKind::kSumPool: {
        const auto window = mlir::cast<graph::SumPoolOp>(group_.main).getKernel();
        const int64_t count = window[0] * window[1];
        return std::vector<Interval>(channels, {kInt8.low * count, kInt8.high * count});
      }
      case KernelKind::kContraction:
        break;
    }
    if (group_.weight) {
      const int64_t depth = graph::shapeOf(group_.main->getOperand(0)).back();
      const Interval each = product(kInt8, kInt8);
      return std::vector<Interval>(channels, {each.low * depth, each.high * depth});
    }
    return sumsOfWeights(channels);
  }

  /// From [OC, ...] of a convolution, or [..., OC] of a matrix.
  Result<std::vector<Interval>> sumsOfWeights(size_t channels) const {
    const auto weights = readBytes(group_.main->getOperand(1));
    if (!weights) return unsupported("its weights are not int8");
    const bool channels_first = mlir::isa<graph::ConvOp>(group_.main);
    const size_t per_channel = weights->size() / channels;
    std::vector<Interval> sums(channels);
    for (size_t i = 0; i < weights->size(); ++i) {
      const int64_t weight = (*weights)[i];
      Interval& sum = sums[channels_first ? i / per_channel : i % channels];
      sum.low += weight * (weight < 0 ? kInt8.high : kInt8.low);
      sum.high += weight * (weight < 0 ? kInt8.low : kInt8.high);
    }
    return sums;
  }

  Result<Interval> operandOf(const GroupStep& step, const Interval& x, size_t channel,
                             const Interval& residual) const {
    switch (step.source) {
      case EpilogueStep::Source::kImmediate:
        return Interval{step.imm, step.imm};
      case EpilogueStep::Source::kSelf:
        return x;
      case EpilogueStep::Source::kResidual:
        return residual;
      case EpilogueStep::Source::kParam:
        break;
    }
    if (step.is_computed) {
      return unsupported(fmt::format(
          "a bias that is computed has 32 bits, and the hardware's accumulators have {}", bits_));
    }
    return Interval{step.channel_param[channel], step.channel_param[channel]};
  }

  /// What is left of values in `x` after the steps.
  Result<Interval> walk(const std::vector<GroupStep>& steps, Interval x, size_t channel,
                        const Interval& residual) const {
    for (const GroupStep& step : steps) {
      VTA_ASSIGN_OR_RETURN(const Interval y, operandOf(step, x, channel, residual));
      // A constant is in ACC, too.
      const bool is_constant = step.source == EpilogueStep::Source::kImmediate ||
                               step.source == EpilogueStep::Source::kParam;
      const bool wraps = keepsLowBits(step, y);
      if (!fits(y, wraps && !is_constant ? kMostBits : bits_)) return tooWide(y);
      if (!fits(x, wraps ? kMostBits : bits_)) return tooWide(x);
      const auto result = stepResult(step, x, y, kAccDramBits);
      if (!result) return unsupported("the bounds of its accumulators are not known");
      x = *result;
      // The hardware would saturate to other bounds than the host.
      if (step.opcode == AluOpcode::kQmul && !fits(x, bits_)) return tooWide(x);
    }
    return x;
  }

  const OffloadGroup& group_;
  const int bits_;
};

}  // namespace

bool fits(const Interval& x, int bits) {
  const int64_t limit = int64_t{1} << (bits - 1);
  return x.low >= -limit && x.high < limit;
}

std::optional<Interval> stepResult(const GroupStep& step, Interval x, Interval y, int bits) {
  switch (step.opcode) {
    case AluOpcode::kMin:
      return Interval{std::min(x.low, y.low), std::min(x.high, y.high)};
    case AluOpcode::kMax:
      return Interval{std::max(x.low, y.low), std::max(x.high, y.high)};
    case AluOpcode::kClip: {
      const ByteRange range = byteRangeOf(step.imm);
      return Interval{std::clamp<int64_t>(x.low, range.low, range.high),
                      std::clamp<int64_t>(x.high, range.low, range.high)};
    }
    case AluOpcode::kAdd:
      return Interval{x.low + y.low, x.high + y.high};
    case AluOpcode::kShr:
      return shifted(x, y);
    case AluOpcode::kMul:
      return product(x, y);
    case AluOpcode::kQmul:
      return scaled(x, y, step.imm, bits);
    case AluOpcode::kLut:
      return kInt8;
    default:
      return std::nullopt;
  }
}

Status checkAccumulators(const OffloadGroup& group, const HwConfig& hw) {
  if (hw.params().acc_width_bits == kAccDramBits) return {};
  return RangeChecker(group, hw).run();
}

}  // namespace vta::compiler
