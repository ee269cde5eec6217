#include "compiler/kernel/plan/sram_plan.h"

#include <algorithm>

#include "compiler/kernel/plan/plan_context.h"

namespace vta::kernel {
namespace {

constexpr int64_t kMaxSramElems = 1 << 16;  // sram_base has 16 bits

}  // namespace

SramRoom wholeSram(const HwConfig& hw) {
  const auto room = [&](MemoryType type) {
    return std::min<int64_t>(hw.depthElems(type), kMaxSramElems);
  };
  return {room(MemoryType::kInp), room(MemoryType::kWgt), room(MemoryType::kAcc)};
}

void placeBehind(SramPlan& plan, const SramRoom& room) {
  const auto inp = static_cast<uint32_t>(room.inp);
  const auto wgt = static_cast<uint32_t>(room.wgt);
  const auto acc = static_cast<uint32_t>(room.acc);
  plan.inp.base += inp;
  plan.staging.base += inp;
  plan.pad_base += inp;
  plan.wgt.base += wgt;
  plan.identity_base += wgt;
  for (SlotRange* range : {&plan.acc, &plan.pool_input, &plan.residual, &plan.carry, &plan.param}) {
    range->base += acc;
  }
}

void placeFromTop(SramPlan& plan, const HwConfig& hw) {
  const auto mirror = [](SlotRange& range, uint32_t depth) {
    range.base = depth - range.end();
    range.from_top = true;
  };
  const SramRoom whole = wholeSram(hw);
  const auto inp = static_cast<uint32_t>(whole.inp);
  mirror(plan.inp, inp);
  mirror(plan.staging, inp);
  if (plan.has_pad) plan.pad_base = inp - plan.pad_base - kPadElems;
  const auto wgt = static_cast<uint32_t>(whole.wgt);
  mirror(plan.wgt, wgt);
  if (plan.has_identity) plan.identity_base = wgt - plan.identity_base - 1;
  const auto acc = static_cast<uint32_t>(whole.acc);
  for (SlotRange* range : {&plan.acc, &plan.pool_input, &plan.residual, &plan.carry, &plan.param}) {
    mirror(*range, acc);
  }
  plan.from_top = true;
}

}  // namespace vta::kernel
