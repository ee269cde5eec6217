// The exact cycles of an outlined network on an accelerator with a memory, and what they are spent
// on.
#pragma once

#include <nlohmann/json.hpp>

#include "base/status.h"
#include "compiler/module/module_outline.h"
#include "isa/config/hw_config.h"
#include "sim/memory/memory_config.h"

namespace vta::web {

struct EstimateRequest {
  HwConfig hw = HwConfig::makeDefault();
  sim::MemoryConfig memory;
  bool simulates = false;  // schedules are the fastest of the best candidates on the simulator
};

/// Cycles are those of `vta-run --sim=cycle --timing-only --tuned=none --no-chains` with the same
/// memory. A layer's are those of its launch alone; in the network it overlaps with its neighbours.
/// Errors: a kernel that has no schedule or program on this accelerator (the message names the
/// layer), faults.
Result<nlohmann::ordered_json> estimateNetwork(const compiler::ModuleOutline& outline,
                                               const EstimateRequest& request);

}  // namespace vta::web
