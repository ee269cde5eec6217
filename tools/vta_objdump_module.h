// What vta-objdump prints of a module.
#pragma once

#include <string>

#include "module/module_file.h"

namespace vta::tools {

/// What it was built from and for, its layers, and the memory map of its tensors.
std::string moduleListing(const ModuleView& module);

/// The metadata as one JSON object.
std::string moduleJson(const ModuleView& module);

}  // namespace vta::tools
