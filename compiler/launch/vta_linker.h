// The VTA's linker of neighbours: layers of one launch overlap as far as their data allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "compiler/launch/neighbour_linker.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"
#include "module/module_info.h"

namespace vta::compiler {

/// Appends `program` to a module's section of programs, for a VTA. Its place in the result; the
/// buffers' tensors are the caller's to fill in. Errors: a program that is malformed or not for
/// `hw`.
Result<ProgramInfo> appendProgram(uint32_t executor, const Program& program, const HwConfig& hw,
                                  std::vector<std::byte>& section);

/// What one action launches, and the tensor of each of the program's buffers (-1: micro-ops).
struct LinkedLaunch {
  Program program;
  std::vector<int32_t> buffers;
};

/// The programs of the steps of `action`, which are on a VTA, as one: linked and overlapped where
/// they are several. Symbols name their layers. `programs[i]` is that of info.programs[i]. Errors:
/// a program that cannot be linked.
Result<LinkedLaunch> linkLaunch(std::span<const Program> programs, const ActionInfo& action,
                                const HwConfig& hw, const ModuleInfo& info);

/// The same of the code in a module.
const NeighbourLinker& vtaLinker();

}  // namespace vta::compiler
