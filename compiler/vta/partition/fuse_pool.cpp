#include "compiler/vta/partition/fuse_pool.h"

#include <algorithm>
#include <cstdlib>

#include "compiler/dialects/graph/graph.h"
#include "compiler/kernel/schedule/fusion.h"
#include "compiler/vta/common/constants.h"
#include "compiler/vta/partition/acc_range.h"
#include "compiler/vta/partition/pack_plan.h"

namespace vta::compiler {

namespace {

using kernel::EpilogueStep;
using kernel::KernelKind;

/// `x` after one step with operand `y`; none where a larger value may become a smaller one.
std::optional<Interval> apply(const GroupStep& step, Interval x, int64_t y, int acc_bits) {
  const AluOperation* const operation = findAluOperation(step.opcode);
  if (operation == nullptr || operation->monotone == AluMonotone::kNever) return std::nullopt;
  if (operation->monotone == AluMonotone::kForMultipliersFromZero && y < 0) return std::nullopt;
  const auto result = stepResult(step, x, {y, y}, acc_bits);
  if (!result || !fits(*result, acc_bits)) return std::nullopt;
  return result;
}

/// The largest magnitude that a channel's accumulators can have: int8 inputs, at most 128 each.
std::optional<std::vector<int64_t>> accumulatorBounds(graph::ConvOp conv) {
  const auto weight = readBytes(conv.getWeight());
  if (!weight) return std::nullopt;
  const auto channels = static_cast<size_t>(conv.getWeight().getType().getDimSize(0));
  const size_t per_channel = weight->size() / channels;
  std::vector<int64_t> bounds(channels, 0);
  for (size_t i = 0; i < weight->size(); ++i) {
    bounds[i / per_channel] += int64_t{128} * std::abs(static_cast<int>((*weight)[i]));
  }
  return bounds;
}

}  // namespace

bool isMonotone(const std::vector<GroupStep>& steps, const std::vector<int64_t>& bounds,
                int acc_bits) {
  for (size_t channel = 0; channel < bounds.size(); ++channel) {
    std::optional<Interval> x = Interval{-bounds[channel], bounds[channel]};
    if (!fits(*x, acc_bits)) return false;
    for (const GroupStep& step : steps) {
      if (step.source == EpilogueStep::Source::kResidual ||
          step.source == EpilogueStep::Source::kSelf) {
        return false;
      }
      const bool param = step.source == EpilogueStep::Source::kParam;
      if (param && channel >= step.channel_param.size()) return false;
      x = apply(step, *x, param ? step.channel_param[channel] : step.imm, acc_bits);
      if (!x) return false;
    }
    if (!fits(*x, 8)) return false;
  }
  return true;
}

std::optional<OffloadGroup> fuseConvolution(const OffloadGroup& pool, const HwConfig& hw) {
  if (pool.kind != KernelKind::kMaxPool || pool.root != pool.main) return std::nullopt;
  mlir::Operation* producer = pool.input.getDefiningOp();
  if (!producer || !pool.input.hasOneUse() || !isGroupRoot(producer)) return std::nullopt;
  Result<OffloadGroup> group = findGroup(producer, hw);
  if (!group.ok() || group->residual || group->pool || group->interleave) return std::nullopt;
  auto conv = mlir::dyn_cast_or_null<graph::ConvOp>(group->main);
  if (!conv) return std::nullopt;
  const auto bounds = accumulatorBounds(conv);
  if (!bounds || !isMonotone(group->epilogue, *bounds, hw.params().acc_width_bits)) {
    return std::nullopt;
  }
  if (!kernel::fusePool(planPacking(*group, hw).desc, planPacking(pool, hw).desc, hw)) {
    return std::nullopt;
  }
  OffloadGroup fused = std::move(*group);
  fused.root = pool.root;
  fused.pool = pool.main;
  fused.computed = pool.computed;
  llvm::SetVector<mlir::Operation*> ops = pool.ops;
  ops.insert(fused.ops.begin(), fused.ops.end());
  fused.ops = std::move(ops);
  return fused;
}

}  // namespace vta::compiler
