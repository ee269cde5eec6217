// Plan of a session: which steps of a module are one launch, and what runs in the background.
#pragma once

#include <cstdint>
#include <vector>

#include "module/module_info.h"

namespace vta::compiler {

/// The actions that run the steps of `info` at full speed. Neighbours on an executor that links
/// them are one launch, or two where steps of others may run beside one. Entries are those of the
/// first step of each.
std::vector<ActionInfo> planActions(const ModuleInfo& info);

}  // namespace vta::compiler
