// NetworkJob: a network that is outlined already, on an accelerator with a memory. Nothing of it
// depends on the process, so workers on other machines simulate it too.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/status.h"
#include "compiler/module/module_outline.h"
#include "explore/sweep/network/network_timer.h"
#include "isa/config/hw_config.h"
#include "sim/memory/memory_config.h"

namespace vta::sweep {

struct NetworkJob {
  HwConfig hw = HwConfig::makeDefault();
  sim::MemoryConfig memory;
  Effort effort = Effort::kEstimated;
  bool is_per_layer = false;  // each layer by itself
};

/// Simulates `outline` as `job` says: the text of encodeTime or encodeLayers. Errors: those of
/// NetworkTimer.
Result<std::string> simulateNetwork(const compiler::ModuleOutline& outline, const NetworkJob& job,
                                    const ScheduleMemory& known);

/// As far as cycles depend on the job.
nlohmann::ordered_json jobJson(const NetworkJob& job);
/// Error: jobJson does not write this. Fields that are missing throw nlohmann's exceptions.
Result<NetworkJob> parseJob(const nlohmann::ordered_json& json);

}  // namespace vta::sweep
