// What vta-tune prints.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tune/tuner/tuner.h"

namespace vta::tools {

/// One line for each task, and a sum over all layers of a network.
std::string tunedTable(std::span<const tune::Task> tasks, std::span<const tune::TunedTask> results);
nlohmann::ordered_json tunedJson(std::span<const tune::Task> tasks,
                                 std::span<const tune::TunedTask> results);

/// What a database holds, by task and source.
std::string databaseTable(std::span<const tune::TaskSummary> summaries);
nlohmann::ordered_json databaseJson(std::span<const tune::TaskSummary> summaries);

}  // namespace vta::tools
