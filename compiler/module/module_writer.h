// Writes a module: metadata, constants, programs and host code become one ELF shared object.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/status.h"
#include "module/module_info.h"

namespace vta::compiler {

/// What goes into a module besides its metadata.
struct ModuleContents {
  std::vector<std::byte> constants;
  std::vector<std::byte> programs;
  /// Relocatable ELF for info.target_triple, one for each back end that compiled something.
  std::vector<std::vector<std::byte>> host_objects;
};

/// Links the module for info.target_triple. Errors: inconsistent metadata, an unknown target, what
/// the linker reports.
Result<std::vector<std::byte>> writeModule(const ModuleInfo& info, const ModuleContents& contents);

}  // namespace vta::compiler
