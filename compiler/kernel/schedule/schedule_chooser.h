// ScheduleChooser: the schedules of a model's kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/schedule.h"
#include "isa/config/hw_config.h"
#include "program/program.h"

namespace vta::kernel {

/// Cycles that a program takes when it runs by itself - on a simulator, for instance - or nothing
/// if they are more than `most`.
using MeasureProgram =
    std::function<Result<std::optional<uint64_t>>(const Program& program, uint64_t most)>;

/// Chooses schedules for one configuration and remembers them: equal kernels are searched once.
class ScheduleChooser {
 public:
  /// Without `measure` the analytic model decides alone; with it, the fastest schedule found among
  /// those that the model ranks best, the best of each kind, and neighbours of the fastest. Large
  /// kernels, which the model knows well, have few of them measured.
  explicit ScheduleChooser(HwConfig hw, MeasureProgram measure = {});

  /// Errors: those of defaultSchedule and of the measurement.
  Result<Schedule> choose(const KernelDesc& desc);

  const HwConfig& hw() const { return hw_; }
  /// For reports: where schedules come from.
  const char* origin() const { return measure_ ? "simulated schedule" : "default schedule"; }

 private:
  Result<Schedule> search(const KernelDesc& desc) const;

  HwConfig hw_;
  MeasureProgram measure_;
  std::vector<std::pair<KernelDesc, Schedule>> known_;  // kernels without their names
};

}  // namespace vta::kernel
