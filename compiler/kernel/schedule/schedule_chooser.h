// ScheduleChooser: the schedules of a model's kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/memory_traits.h"
#include "compiler/kernel/desc/schedule.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta::kernel {

/// Cycles that a program takes when it runs by itself - on a simulator, for instance - or nothing
/// if they are more than `most`.
using MeasureProgram =
    std::function<Result<std::optional<uint64_t>>(const Program& program, uint64_t most)>;

/// A schedule, and for reports where it comes from.
struct ChosenSchedule {
  Schedule schedule;
  std::string origin;
};

/// The schedule that was found for kernels like `desc` before, if there is one.
using FindSchedule = std::function<std::optional<ChosenSchedule>(const KernelDesc& desc)>;

/// What helps to choose; all of it may be left out.
struct ScheduleHints {
  MeasureProgram measure = {};
  FindSchedule find = {};    // asked first; what does not fit the kernel is not taken
  MemoryTraits memory = {};  // that the analytic model assumes
  int threads = 1;  // that may call `measure` at the same time; 0: as many as the machine has
};

/// Chooses schedules for one configuration and remembers them: equal kernels are searched once.
class ScheduleChooser {
 public:
  /// Without `hints.measure` the analytic model decides alone; with it, the fastest schedule found
  /// among those that the model ranks best, the best of each kind, and neighbours of the fastest.
  /// Large kernels, which the model knows well, have few of them measured.
  explicit ScheduleChooser(HwConfig hw, ScheduleHints hints = {});

  /// Errors: those of defaultSchedule and of the measurement.
  Result<ChosenSchedule> choose(const KernelDesc& desc);

  /// Searches what `choose` will be asked for, several kernels at the same time. `searched` is
  /// called after each one, one call at a time. Errors are those that `choose` returns.
  void searchAhead(std::span<const KernelDesc> kernels, const std::function<void()>& searched);

  const HwConfig& hw() const { return hw_; }

 private:
  bool isKnown(const KernelDesc& shape) const;
  std::optional<ChosenSchedule> findTuned(const KernelDesc& desc) const;
  Result<ChosenSchedule> find(const KernelDesc& desc) const;
  Result<Schedule> search(const KernelDesc& desc) const;

  HwConfig hw_;
  ScheduleHints hints_;
  std::vector<std::pair<KernelDesc, ChosenSchedule>> known_;  // kernels without their names
};

}  // namespace vta::kernel
