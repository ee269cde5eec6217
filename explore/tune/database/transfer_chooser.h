// Schedules that were tuned for the same layer on another accelerator or memory.
#pragma once

#include <optional>
#include <span>

#include "compiler/kernel/schedule/schedule_chooser.h"

namespace vta::tune {

inline constexpr const char* kTransferred = "transferred schedule";

/// Decides whether a schedule from elsewhere is used here.
class TransferChooser {
 public:
  /// `hints` without `find`: how schedules are chosen and compared where nothing was tuned.
  TransferChooser(HwConfig hw, kernel::ScheduleHints hints);

  /// The fastest of `schedules` that is legal here, if one measurement of each says that it is
  /// faster than the compiler's own choice, or, where nothing measures, if the analytic model says
  /// that it is no slower. Else the own choice, so that it is searched once. Nothing if none of
  /// them is legal or the measurement fails.
  std::optional<kernel::ChosenSchedule> choose(const kernel::KernelDesc& desc,
                                               std::span<const kernel::Schedule> schedules);

 private:
  Result<double> cyclesOf(const kernel::KernelDesc& desc, const kernel::Schedule& schedule,
                          uint64_t most) const;

  HwConfig hw_;
  kernel::ScheduleHints hints_;
  kernel::ScheduleChooser own_;
};

}  // namespace vta::tune
