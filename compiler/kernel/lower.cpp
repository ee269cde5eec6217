#include "compiler/kernel/lower.h"

#include <algorithm>

#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/tile/kernel_lowering.h"

namespace vta::kernel {

Result<Program> lower(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                      const Placement& placement) {
  VTA_RETURN_IF_ERROR(validateKernelDesc(desc, hw));
  VTA_ASSIGN_OR_RETURN(KernelPlan plan, planKernel(desc, schedule, hw));
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
