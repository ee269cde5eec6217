// Which machine runs which layer of a module.
#pragma once

#include <cstdint>
#include <vector>

#include "module/module_info.h"

namespace vta {

/// By layer, the executor of its first step; 0, the CPU, for a layer without one.
std::vector<uint32_t> executorsOfLayers(const ModuleInfo& info);

}  // namespace vta
