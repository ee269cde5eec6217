#include "compiler/kernel/schedule/fusion.h"

#include <algorithm>
#include <limits>

#include "compiler/kernel/schedule/cost_model.h"
#include "compiler/kernel/schedule/schedule_space.h"

namespace vta::kernel {
namespace {

// No value of an epilogue's result lies below this.
int32_t lowerBound(const std::vector<EpilogueStep>& epilogue) {
  int32_t bound = std::numeric_limits<int32_t>::min();
  for (const EpilogueStep& step : epilogue) {
    const bool immediate = step.source == EpilogueStep::Source::kImmediate;
    if (step.opcode == AluOpcode::kClip) {
      bound = static_cast<int8_t>(step.imm & 0xff);
    } else if (step.opcode == AluOpcode::kMax && immediate) {
      bound = std::max(bound, step.imm);
    } else if (step.opcode == AluOpcode::kMin && immediate) {
      bound = std::min(bound, step.imm);
    } else {
      bound = std::numeric_limits<int32_t>::min();
    }
  }
  return bound;
}

// Whether zeros are no more than any output: the low byte of an epilogue's result, which may be
// raised by a multiple of 256 (bias_folding.h).
bool zeroIsLeast(const std::vector<EpilogueStep>& epilogue) {
  const int32_t bound = lowerBound(epilogue);
  return bound != std::numeric_limits<int32_t>::min() && static_cast<int8_t>(bound & 0xff) >= 0;
}

// Estimated cycles of the default schedule; nothing where none fits.
std::optional<double> estimatedCycles(const KernelDesc& desc, const HwConfig& hw) {
  const Result<Schedule> schedule = defaultSchedule(desc, hw);
  if (!schedule.ok()) return std::nullopt;
  return estimateCost(desc, *schedule, hw).cycles;
}

}  // namespace

std::optional<KernelDesc> fusePool(const KernelDesc& contraction, const KernelDesc& pool,
                                   const HwConfig& hw) {
  const Geometry& g = pool.geometry;
  if (contraction.kind != KernelKind::kContraction || pool.kind != KernelKind::kMaxPool ||
      contraction.residual.has_value() || contraction.pool.has_value() || !pool.epilogue.empty() ||
      g.dilation_y != 1 || g.dilation_x != 1) {
    return std::nullopt;
  }
  // Padding of the minimum takes no part; zeros take none where no value lies below.
  if (g.isPadded() && g.pad_value == 0 && !zeroIsLeast(contraction.epilogue)) {
    return std::nullopt;
  }
  KernelDesc fused = contraction;
  fused.name += "+" + pool.name;
  fused.bias_exceeds_results = false;  // what pooling leaves behind are sums
  fused.small_bias_blocks.clear();
  fused.pool = Pool{.out_height = g.out_height,
                    .out_width = g.out_width,
                    .kernel_height = g.kernel_height,
                    .kernel_width = g.kernel_width,
                    .stride_y = g.stride_y,
                    .stride_x = g.stride_x,
                    .pad_top = g.pad_top,
                    .pad_left = g.pad_left};
  if (!validateKernelDesc(fused, hw).ok()) return std::nullopt;
  const std::optional<double> together = estimatedCycles(fused, hw);
  if (!together) return std::nullopt;
  const std::optional<double> first = estimatedCycles(contraction, hw);
  const std::optional<double> second = estimatedCycles(pool, hw);
  if (first && second && *first + *second <= *together) return std::nullopt;
  return fused;
}

}  // namespace vta::kernel
