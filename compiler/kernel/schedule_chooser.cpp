#include "compiler/kernel/schedule_chooser.h"

#include <algorithm>

namespace vta::kernel {
namespace {

// What one kernel's search may simulate: some ten milliseconds, and enough for a few schedules of a
// large layer.
constexpr uint64_t kMeasuredCycles = 2'000'000;
constexpr size_t kMostMeasured = 40;
constexpr size_t kFewestMeasured = 3;

// The share of the bus that instruction fetch may take, and what each of its cycles beyond that is
// worth in cycles of the kernel.
constexpr double kFetchShare = 0.03;
constexpr double kFetchWorth = 0.25;

// What makes one program better than another: its cycles, and short programs where many
// instructions crowd the bus, which other layers and other masters need, too.
double weigh(uint64_t cycles, size_t instructions, const HwConfig& hw) {
  const double bus_bytes = hw.params().axi_data_width_bits / 8.0;
  const double fetch = static_cast<double>(instructions * hw.instructionBytes()) / bus_bytes;
  const auto time = static_cast<double>(cycles);
  return time + kFetchWorth * std::max(0.0, fetch - kFetchShare * time);
}

}  // namespace

ScheduleChooser::ScheduleChooser(HwConfig hw, MeasureProgram measure)
    : hw_(std::move(hw)), measure_(std::move(measure)) {}

Result<Schedule> ScheduleChooser::choose(const KernelDesc& desc) {
  KernelDesc shape = desc;
  shape.name.clear();
  const auto known = std::ranges::find(known_, shape, &std::pair<KernelDesc, Schedule>::first);
  if (known != known_.end()) return known->second;
  VTA_ASSIGN_OR_RETURN(const Schedule schedule,
                       measure_ ? search(desc) : defaultSchedule(desc, hw_));
  known_.emplace_back(std::move(shape), schedule);
  return schedule;
}

Result<Schedule> ScheduleChooser::search(const KernelDesc& desc) const {
  const std::vector<Schedule> ranked = rankedSchedules(desc, hw_, kMostMeasured);
  if (ranked.size() < 2) return defaultSchedule(desc, hw_);
  Schedule best;
  double best_weight = 0;
  uint64_t measured_cycles = 0;
  for (size_t i = 0; i < ranked.size(); ++i) {
    if (i >= kFewestMeasured && measured_cycles >= kMeasuredCycles) break;
    VTA_ASSIGN_OR_RETURN(const Program program, lower(desc, ranked[i], hw_));
    VTA_ASSIGN_OR_RETURN(const uint64_t cycles, measure_(program));
    measured_cycles += cycles;
    const double weight = weigh(cycles, program.instructions.size(), hw_);
    if (i > 0 && weight >= best_weight) continue;
    best = ranked[i];
    best_weight = weight;
  }
  return best;
}

}  // namespace vta::kernel
