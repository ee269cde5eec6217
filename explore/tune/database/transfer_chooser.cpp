#include "explore/tune/database/transfer_chooser.h"

#include <limits>
#include <utility>
#include <vector>

#include "compiler/kernel/lower.h"
#include "compiler/kernel/plan/kernel_plan.h"
#include "compiler/kernel/schedule/cost_model.h"

namespace vta::tune {

TransferChooser::TransferChooser(HwConfig hw, kernel::ScheduleHints hints)
    : hw_(hw), hints_(hints), own_(std::move(hw), std::move(hints)) {}

Result<double> TransferChooser::cyclesOf(const kernel::KernelDesc& desc,
                                         const kernel::Schedule& schedule, uint64_t most) const {
  if (!hints_.measure) return estimateCost(desc, schedule, hw_, hints_.memory).cycles;
  VTA_ASSIGN_OR_RETURN(const Program program, kernel::lower(desc, schedule, hw_));
  VTA_ASSIGN_OR_RETURN(const std::optional<uint64_t> cycles, hints_.measure(program, most));
  return cycles ? static_cast<double>(*cycles) : std::numeric_limits<double>::infinity();
}

std::optional<kernel::ChosenSchedule> TransferChooser::choose(
    const kernel::KernelDesc& desc, std::span<const kernel::Schedule> schedules) {
  std::vector<kernel::Schedule> legal;
  for (const kernel::Schedule& schedule : schedules) {
    if (checkSchedule(desc, schedule, hw_).ok()) legal.push_back(schedule);
  }
  if (legal.empty()) return std::nullopt;
  // The caller chooses again if this fails, and hears why.
  const auto own = own_.choose(desc);
  if (!own.ok()) return std::nullopt;
  const auto own_cycles = cyclesOf(desc, own->schedule, std::numeric_limits<uint64_t>::max());
  if (!own_cycles.ok()) return std::nullopt;
  kernel::ChosenSchedule best = *own;
  double best_cycles = *own_cycles;
  for (const kernel::Schedule& schedule : legal) {
    if (schedule == own->schedule) continue;
    const auto cycles = cyclesOf(desc, schedule, static_cast<uint64_t>(best_cycles));
    if (!cycles.ok()) return std::nullopt;
    // The model's own choice is its best: no more than a tie can be asked for.
    const bool may_tie = !hints_.measure && best.schedule == own->schedule;
    if (*cycles > best_cycles || (*cycles == best_cycles && !may_tie)) continue;
    best = {schedule, kTransferred};
    best_cycles = *cycles;
  }
  return best;
}

}  // namespace vta::tune
