// What placement knows of the GPU that a run has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/machine_rates.h"

namespace vta::tools {

/// The rates of the GPU that `choice` names (driver/gpu/gpu_registry.h), measured now or earlier.
/// None for a processor that stands for a GPU, so that tests place what a GPU would get, and where
/// it cannot be measured, which `warnings` say.
std::optional<MachineRates> gpuRates(const std::string& choice, std::vector<std::string>& warnings);

}  // namespace vta::tools
