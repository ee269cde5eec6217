// Plan of a session: which steps of a module are one launch, and what runs while the VTA does.
#pragma once

#include <cstdint>
#include <vector>

#include "module/module_info.h"

namespace vta::driver {

/// One thing that a session does: a host step, or consecutive VTA steps as one launch.
struct PlannedAction {
  uint32_t first_step = 0;
  uint32_t step_count = 1;
  bool is_launch = false;
  /// A launch that the host step behind it does not depend on: both may run at the same time.
  bool in_background = false;
  /// How many of the launches in background, counted from the first, must have ended before this
  /// action starts. 0 for those themselves: they run one after the other, in this order.
  uint32_t waits_for = 0;
};

enum class PlanMode : uint8_t {
  kOverlap,   // neighbours on the VTA are one launch, or two where host steps may run beside one
  kInOrder,   // neighbours on the VTA are one launch, and nothing runs beside it
  kOneByOne,  // every step is an action of its own, and nothing runs beside it
};

/// Plans the steps of `info` in their order.
std::vector<PlannedAction> planActions(const ModuleInfo& info, PlanMode mode);

}  // namespace vta::driver
