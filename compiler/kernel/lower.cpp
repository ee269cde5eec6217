#include "compiler/kernel/lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel/emit/lowering.h"
#include "compiler/kernel/plan/sram_plan.h"

namespace vta::kernel {
namespace {

Status scheduleError(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                     const PlanFailure& failure) {
  return {StatusCode::kResourceExhausted,
          fmt::format("kernel '{}' with schedule '{}' does not fit '{}': {} is {}, the limit {}",
                      desc.name, schedule.toString(), hw.name(), failure.resource, failure.need,
                      failure.limit)};
}

}  // namespace

std::string Schedule::toString() const {
  return fmt::format("h={} w={} oc={} ic={} kh={} kw={} vt={} order={} int8={} pad={}", tile_height,
                     tile_width, tile_out_blocks, tile_in_blocks, tile_kernel_height,
                     tile_kernel_width, virtual_threads,
                     order == Order::kWeightsInner ? "weights_inner" : "weights_outer",
                     int8_through_gemm ? "gemm" : "acc_8bit", skip_padding ? "skip" : "load");
}

Status checkSchedule(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw) {
  VTA_RETURN_IF_ERROR(validateKernelDesc(desc, hw));
  KernelPlan plan;
  PlanFailure failure;
  if (makePlan(desc, schedule, hw, plan, failure)) return {};
  return scheduleError(desc, schedule, hw, failure);
}

Result<Program> lower(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                      const Placement& placement) {
  VTA_RETURN_IF_ERROR(validateKernelDesc(desc, hw));
  KernelPlan plan;
  PlanFailure failure;
  if (!makePlan(desc, schedule, hw, plan, failure)) {
    return scheduleError(desc, schedule, hw, failure);
  }
  if (placement.from_top) placeFromTop(plan.sram, hw);
  return KernelLowering(desc, schedule, hw, plan).run();
}

std::vector<int8_t> identityWeights(const HwConfig& hw) {
  std::vector<int8_t> weights(static_cast<size_t>(hw.blockOut()) * hw.blockIn(), 0);
  for (int i = 0; i < std::min(hw.blockOut(), hw.blockIn()); ++i) {
    weights[static_cast<size_t>(i) * hw.blockIn() + i] = 1;
  }
  return weights;
}

}  // namespace vta::kernel
