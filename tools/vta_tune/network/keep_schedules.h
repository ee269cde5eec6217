// The tuned network as a whole: layers are tuned alone, but overlap when they run.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/module/module_outline.h"
#include "explore/tune/database/database.h"
#include "explore/tune/tuner/tuner.h"

namespace vta::tools {

/// A network with one memory, and the schedules that were kept for it.
struct TunedNetwork {
  std::string memory;  // its name
  tune::NetworkRecord record;
};

/// Chooses which of the schedules in `results`, one for each of `tasks`, the network of `outline`
/// keeps, for each memory, and stores that in `database`. `progress` hears of each run. Errors:
/// those of the simulator and of the database.
Result<std::vector<TunedNetwork>> keepSchedules(
    const compiler::ModuleOutline& outline, std::span<const tune::Task> tasks,
    std::span<const tune::TunedTask> results, tune::Database& database,
    const std::function<void(int64_t runs, int64_t most_runs)>& progress);

}  // namespace vta::tools
