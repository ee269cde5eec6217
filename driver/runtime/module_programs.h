// The programs of a module's launches.
#pragma once

#include "base/status.h"
#include "driver/runtime/loaded_module.h"
#include "isa/program/encoded_program.h"
#include "isa/program/program.h"

namespace vta::driver {

/// The program that `action` of `module`, of a VTA executor, launches, with symbols that name its
/// layers. Spans point into the module. Errors: a corrupt program, or one whose buffers do not fit
/// the tensors.
Result<EncodedProgram> viewLaunch(const LoadedModule& module, const ActionInfo& action);

/// The same decoded, for traces and reports.
Result<Program> decodeLaunch(const LoadedModule& module, const ActionInfo& action);

/// The same with all activations as one buffer, so that a verifier sees which of them share memory.
Result<Program> decodeLaunchInArena(const LoadedModule& module, const ActionInfo& action);

}  // namespace vta::driver
