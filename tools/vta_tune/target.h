// The targets of vta-tune: the machines that schedules are for. Each registers itself, so that a
// further one needs its own file alone.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "explore/tune/database/database.h"
#include "tools/vta_tune/options.h"

namespace vta::tools {

struct TuneTarget {
  std::string_view name;         // as --target has it
  std::string_view description;  // what is tuned, for --help
  std::string_view unit;         // of what is measured: "cycles"
  int order = 0;                 // in lists; the first one is the default
  bool has_cost_model = false;   // one may come with the project, or from --cost-model
  /// What is wrong with the options for this target; empty: nothing. Null: nothing can be.
  std::string (*check)(const TuneToolOptions& options) = nullptr;
  /// Searches for the model's tasks and prints what came of it.
  Status (*tune)(const TuneToolOptions& options, tune::Database& database) = nullptr;
  /// Serves candidates to an optimiser; null where `check` refuses --serve-candidates.
  Status (*serve)(const TuneToolOptions& options, tune::Database& database) = nullptr;
};

/// Adds a target; true, so that it can initialise a variable. Called before main().
bool registerTuneTarget(const TuneTarget& target);

/// All of them, in their order.
std::span<const TuneTarget> tuneTargets();
std::vector<std::string> tuneTargetNames();

/// The one with this name, which is one of tuneTargetNames.
const TuneTarget& tuneTarget(std::string_view name);

}  // namespace vta::tools
