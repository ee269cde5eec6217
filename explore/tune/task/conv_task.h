// ConvTask: a convolution, of floats or integers, to find a schedule for on one CPU, and its texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "explore/tune/task/task_text.h"
#include "host_cpu/schedule/conv_schedule.h"

namespace vta::tune {

using codegen::blocked::ConvSchedule;
using codegen::blocked::ConvSpec;

/// Of measurements on the CPU: nanoseconds of one thread.
inline constexpr const char* kCpuSource = "cpu, ns";

struct ConvTask {
  ConvSpec spec;
  std::string cpu;  // codegen's text of the CPU: schedules of two texts are never compared
  codegen::CpuTraits traits;
  std::vector<std::string> layers;  // names of all layers that are this task
};

/// The distinct tasks of a network's convolutions, in the order of their first layers.
std::vector<ConvTask> makeConvTasks(const std::vector<codegen::blocked::ConvLayer>& layers,
                                    const std::string& cpu, const codegen::CpuTraits& traits);

/// Whether this is the text of a convolution on a CPU, and not of a kernel of the VTA.
bool isConvWorkload(std::string_view workload);

TaskKey convKey(const ConvSpec& spec, const std::string& cpu);
/// Errors: kInvalidArgument for texts that convKey does not write, and for shapes that no
/// convolution has.
Result<ConvSpec> parseConvWorkload(std::string_view text);

/// A schedule as one line of JSON, and back. Errors: kInvalidArgument for missing, unknown and
/// negative fields.
std::string convScheduleText(const ConvSchedule& schedule);
Result<ConvSchedule> parseConvSchedule(std::string_view text);

}  // namespace vta::tune
