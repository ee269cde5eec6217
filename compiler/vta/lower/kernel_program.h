// What the passes vta-choose-schedules and vta-lower-kernels leave on a kernel, for those who build
// modules from it.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/dialects/vta/vta.h"
#include "isa/config/hw_config.h"
#include "mlir/IR/BuiltinOps.h"
#include "program/program.h"

namespace vta::compiler {

// Values of KernelOp's schedule_origin, besides those of ChosenSchedule::origin.
inline constexpr const char* kGivenSchedule = "given schedule";  // by the user
inline constexpr const char* kKeptSchedule = "schedule";         // was in the IR

/// The kernels of a module, in program order.
std::vector<KernelOp> kernelsOf(mlir::ModuleOp module);

/// What the kernel computes, with its layer's name for error messages.
kernel::KernelDesc namedDesc(KernelOp op);

/// An error of one kernel, with its layer's name.
Status layerError(KernelOp op, const Status& status);

/// The kernel's program. Errors: it has none yet; it was made for another configuration than `hw`.
Result<Program> programOf(KernelOp op, const HwConfig& hw);

/// Where the kernel's schedule comes from, and the schedule: "default schedule h=14 w=14 ...".
/// Requires a schedule.
std::string describeSchedule(KernelOp op);

}  // namespace vta::compiler
