// What vta-objdump prints of a module.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "isa/module/module_file.h"
#include "isa/program.h"
#include "isa/support/status.h"

namespace vta::tools {

/// What it was built from and for, its layers, and the memory map of its tensors.
std::string moduleListing(const ModuleView& module);

/// The metadata as one JSON object.
std::string moduleJson(const ModuleView& module);

/// Program `index` of a module, with the configuration it was built for. Errors: no such program, a
/// corrupt one.
struct ModuleProgram {
  Program program;
  HwConfig hw;
};
Result<ModuleProgram> moduleProgram(const ModuleView& module, int64_t index);

}  // namespace vta::tools
