// Launches: consecutive steps of a module as one program, linked and overlapped.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "module/module_info.h"
#include "program/program.h"

namespace vta::compiler {

/// Appends `program` to a module's section of programs. Its place in the result; the buffers'
/// tensors are the caller's to fill in. Errors: a program that is malformed or not for `hw`.
Result<ProgramInfo> appendProgram(const Program& program, const HwConfig& hw,
                                  std::vector<std::byte>& section);

/// What one action launches, and the tensor of each of the program's buffers (-1: micro-ops).
struct LinkedLaunch {
  Program program;
  std::vector<int32_t> buffers;
};

/// The programs of the steps of `action`, which are not on the CPU, as one: linked and overlapped
/// where they are several. `programs` are those of info.programs, in their order. Errors: a program
/// that cannot be linked.
Result<LinkedLaunch> linkLaunch(std::span<const Program> programs, const ActionInfo& action,
                                const HwConfig& hw, const ModuleInfo& info);

/// Plans the actions of `info`, whose tensors are placed, and appends the programs of the launches
/// of several steps to `info` and `section`. `programs` are those of info.programs, in their order.
/// Symbols of a launch name its layers. Errors: a program that cannot be linked.
Status addActions(std::span<const Program> programs, std::vector<std::byte>& section,
                  ModuleInfo& info);

}  // namespace vta::compiler
