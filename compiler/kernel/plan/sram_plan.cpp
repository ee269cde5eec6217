#include "compiler/kernel/plan/sram_plan.h"

#include "compiler/kernel/plan/plan_context.h"

namespace vta::kernel {

void placeFromTop(SramPlan& plan, const HwConfig& hw) {
  const auto mirror = [](SlotRange& range, uint32_t depth) {
    range.base = depth - range.end();
    range.from_top = true;
  };
  const auto depthOf = [&](MemoryType type) {
    return static_cast<uint32_t>(usableDepth(hw, type));
  };
  const uint32_t inp = depthOf(MemoryType::kInp);
  mirror(plan.inp, inp);
  mirror(plan.staging, inp);
  if (plan.has_pad) plan.pad_base = inp - plan.pad_base - kPadElems;
  const uint32_t wgt = depthOf(MemoryType::kWgt);
  mirror(plan.wgt, wgt);
  if (plan.has_identity) plan.identity_base = wgt - plan.identity_base - 1;
  const uint32_t acc = depthOf(MemoryType::kAcc);
  for (SlotRange* range : {&plan.acc, &plan.pool_input, &plan.residual, &plan.carry, &plan.param}) {
    mirror(*range, acc);
  }
  plan.from_top = true;
}

}  // namespace vta::kernel
