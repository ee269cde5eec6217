// The cost model that a search begins with.
#pragma once

#include <optional>

#include "explore/tune/model/cost_model.h"
#include "tools/vta_tune/options.h"

namespace vta::tools {

/// That of --cost-model, or the one that comes with the project if it is there; nothing for a
/// target that has none. Errors name the file: it cannot be read, or is no cost model for these
/// features.
Result<std::optional<tune::CostModel>> priorOf(const TuneToolOptions& options);

}  // namespace vta::tools
