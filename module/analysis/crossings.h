// How often data leaves an accelerator between two of its layers.
#pragma once

#include <cstdint>
#include <vector>

#include "module/module_info.h"

namespace vta {

/// A tensor that a step of the VTA wrote, and a step of the CPU that reads it on its way to another
/// step of the VTA.
struct Crossing {
  uint32_t tensor = 0;  // what the CPU reads
  uint32_t step = 0;    // the first step of the CPU that does
};

/// All crossings of a run, each tensor once, in the order of their steps. What only leaves the VTA,
/// for a model's output, is none; nor is what comes to it from the model's inputs alone. A step of
/// the CPU counts as the way from all that it reads to all that it writes.
std::vector<Crossing> findCrossings(const ModuleInfo& info);

}  // namespace vta
