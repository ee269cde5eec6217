// How many words the runs of a module read that keeps a text.
#pragma once

#include <cstdint>

#include "module/module_info.h"

namespace vta {

/// Words that one run reads at most; 1 of a module that keeps no text.
int64_t mostWordsOfRun(const ModuleInfo& info);

/// Words that a text may have: one behind another can be read until then, also in a run that has
/// room for more. 0 of a module that keeps no text.
int64_t textCapacity(const ModuleInfo& info);

}  // namespace vta
