// One vta.kernel op as a program.
#pragma once

#include <string>

#include "compiler/dialects/vta/vta.h"
#include "compiler/kernel/kernel_desc.h"
#include "compiler/kernel/lower.h"
#include "compiler/kernel/schedule_chooser.h"
#include "isa/hw_config.h"
#include "isa/program.h"
#include "isa/support/status.h"

namespace vta::compiler {

struct KernelProgram {
  Program program;
  std::string schedule;  // for reports: "default schedule h=14 ..."
};

/// Lowers `op` with its schedule attribute, or with the one that `schedules` chooses, into the
/// scratchpads as `placement` says. `verify` runs the program verifier on the result. Errors name
/// the layer.
Result<KernelProgram> lowerKernel(KernelOp op, kernel::ScheduleChooser& schedules,
                                  const kernel::Placement& placement, bool verify);

}  // namespace vta::compiler
