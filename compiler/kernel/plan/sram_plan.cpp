#include "compiler/kernel/plan/sram_plan.h"

#include <algorithm>

#include "compiler/kernel/plan/plan_context.h"

namespace vta::kernel {
namespace {

constexpr int64_t kMaxSramElems = 1 << 16;  // sram_base has 16 bits

// Calls change(range, elements) for all slots, with the elements that `room` has of their
// scratchpad.
template <typename Change>
void forEachRange(SramPlan& plan, const SramRoom& room, const Change& change) {
  for (SlotRange* range : {&plan.inp, &plan.staging}) {
    change(*range, static_cast<uint32_t>(room.inp));
  }
  change(plan.wgt, static_cast<uint32_t>(room.wgt));
  for (SlotRange* range : {&plan.acc, &plan.pool_input, &plan.residual, &plan.carry, &plan.param}) {
    change(*range, static_cast<uint32_t>(room.acc));
  }
}

}  // namespace

SramRoom wholeSram(const HwConfig& hw) {
  const auto room = [&](MemoryType type) {
    return std::min<int64_t>(hw.depthElems(type), kMaxSramElems);
  };
  return {room(MemoryType::kInp), room(MemoryType::kWgt), room(MemoryType::kAcc)};
}

void placeBehind(SramPlan& plan, const SramRoom& room) {
  forEachRange(plan, room, [](SlotRange& range, uint32_t elems) { range.base += elems; });
  plan.pad_base += static_cast<uint32_t>(room.inp);
  plan.identity_base += static_cast<uint32_t>(room.wgt);
}

void placeFromTop(SramPlan& plan, const HwConfig& hw) {
  const SramRoom whole = wholeSram(hw);
  forEachRange(plan, whole, [](SlotRange& range, uint32_t elems) {
    range.base = elems - range.end();
    range.from_top = true;
  });
  if (plan.has_pad) plan.pad_base = static_cast<uint32_t>(whole.inp) - plan.pad_base - kPadElems;
  if (plan.has_identity) {
    plan.identity_base = static_cast<uint32_t>(whole.wgt) - plan.identity_base - 1;
  }
  plan.from_top = true;
}

}  // namespace vta::kernel
