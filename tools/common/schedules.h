// How a tool's compilations choose schedules.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

#include "compiler/kernel/schedule_chooser.h"
#include "isa/hw_config.h"
#include "isa/support/status.h"

namespace vta::tools {

enum class ScheduleChoice : uint8_t {
  kSimulated,  // the fastest on the cycle simulator, of those that the analytic model ranks best
  kEstimated,  // the analytic model's best
};

/// --schedules
void addSchedules(CLI::App& app, ScheduleChoice& choice);

/// What CompileOptions::measure_program wants; empty for kEstimated. Errors: those of the cycle
/// simulator for `hw`.
Result<kernel::MeasureProgram> measureProgram(ScheduleChoice choice, const HwConfig& hw);

}  // namespace vta::tools
