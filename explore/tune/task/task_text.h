// Tasks as text and back: what databases and data sets hold.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "compiler/kernel/desc/schedule.h"
#include "explore/tune/task/task.h"

namespace vta::tune {

/// What identifies a task: texts that are equal where the cycles of all schedules are.
struct TaskKey {
  std::string workload;       // JSON: the kernel without its name and the values of immediates
  std::string configuration;  // YAML: every parameter that programs or cycles depend on
  std::string memory;         // JSON: its timing; for a DDR memory also the accelerator's clock

  bool operator==(const TaskKey&) const = default;
};
std::string workloadText(const kernel::KernelDesc& desc);
/// The kernel with this text, as far as cycles depend on it. Errors: kInvalidArgument for texts
/// that workloadText does not write.
Result<kernel::KernelDesc> parseWorkload(std::string_view text);
TaskKey keyOf(const Task& task);

/// An accelerator with its memory, as far as cycles depend on them, and the texts of a key for
/// them.
struct Timing {
  HwConfig hw;
  sim::MemoryConfig memory;
};
struct TimingKey {
  std::string configuration, memory;
};
TimingKey keyOf(const Timing& timing);
/// Errors: kInvalidArgument for texts that keyOf does not write.
Result<Timing> parseTiming(const TimingKey& key);

/// A task with this key. Errors: kInvalidArgument for texts that keyOf does not write.
Result<Task> parseTask(const TaskKey& key);

/// A schedule as one line of JSON, {"tile_height": 14, ...}, and back. Errors: kInvalidArgument for
/// missing and unknown fields, and for values that no kernel could have.
std::string scheduleText(const kernel::Schedule& schedule);
Result<kernel::Schedule> parseSchedule(std::string_view text);

}  // namespace vta::tune
