// One vta.kernel op as a program.
#pragma once

#include <string>

#include "base/status.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/desc/kernel_desc.h"
#include "compiler/kernel/desc/schedule.h"
#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule/schedule_chooser.h"
#include "compiler/kernel/schedule/schedule_file.h"
#include "isa/config/hw_config.h"
#include "program/program.h"

namespace vta::compiler {

struct KernelProgram {
  Program program;
  kernel::Schedule schedule;
  std::string description;  // for reports: "default schedule h=14 ..."
};

/// Where schedules come from.
struct ScheduleSources {
  kernel::ScheduleChooser& chooser;
  kernel::GivenSchedules& given;
};

/// Lowers `op` with the schedule that is given for its layer, else with its attribute's, else with
/// one that is chosen, into the scratchpads as `placement` says. `verify` runs the program verifier
/// on the result, as a given schedule does. Errors name the layer.
Result<KernelProgram> lowerKernel(KernelOp op, ScheduleSources schedules,
                                  const kernel::Placement& placement, bool verify);

}  // namespace vta::compiler
