// Searches of targets that a clock measures: a CPU, a GPU.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "explore/tune/target/target_task.h"
#include "tools/vta_tune/options.h"

namespace vta::tools {

/// Tasks of one target, with the names of the layers that each stands for.
struct MeasuredTasks {
  std::span<tune::TargetTask* const> tasks;
  std::vector<std::vector<std::string>> layers;
  std::pair<std::string, std::string> machine;  // its kind, and which one
  std::string where;                            // as the last line of the table has it
};

/// Compares searchers where --compare asks for it; else searches, keeps the run in `database` and
/// prints what was found. Errors: those of the tasks and the database.
Status searchMeasured(const MeasuredTasks& measured, const TuneToolOptions& options,
                      tune::Database& database);

}  // namespace vta::tools
