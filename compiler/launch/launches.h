// Launches: consecutive steps of a module as one action with an entry of its own.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/launch/neighbour_linker.h"
#include "module/module_info.h"

namespace vta::compiler {

/// Appends code to a module's section of programs; its place.
CodeVariant appendCode(std::string target, std::span<const std::byte> code,
                       std::vector<std::byte>& section);

/// Plans the actions of `info`, whose tensors are placed, and appends the programs of the launches
/// of several steps to `info` and `section`. Errors: a program that cannot be linked.
Status addActions(const Linkers& linkers, std::vector<std::byte>& section, ModuleInfo& info);

}  // namespace vta::compiler
