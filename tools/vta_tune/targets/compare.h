// vta-tune --compare: searchers beside each other, as a table, as JSON and as a page.
#pragma once

#include <string_view>
#include <vector>

#include "explore/tune/target/target_task.h"
#include "tools/vta_tune/options.h"

namespace vta::tools {

/// Runs the searchers of --compare, which begin with `prior` (or null), on all tasks, which are of
/// one target and stand for layers[i] layers each, and prints what became of them. Writes the page
/// of --html. Errors: those of the tasks and the database, a page that cannot be written.
Status compareOnTasks(std::span<tune::TargetTask* const> tasks, std::span<const size_t> layers,
                      const TuneToolOptions& options, const tune::CostModel* prior,
                      tune::Database& database);

}  // namespace vta::tools
