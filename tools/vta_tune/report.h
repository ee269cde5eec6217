// What vta-tune prints.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explore/tune/tuner/tuner.h"
#include "tools/vta_tune/network/keep_schedules.h"

namespace vta::tools {

/// One line for each task, and a sum over all layers of a network. `agreements`: of each task, the
/// rank agreement of the simulator with the device that measured; empty when none did.
std::string tunedTable(std::span<const tune::Task> tasks, std::span<const tune::TunedTask> results,
                       std::span<const double> agreements);
/// The same where nanoseconds are measured: on a CPU or a GPU. `layers` are those of each task.
/// `where`, as the last line has it: "on one thread".
std::string tunedTimesTable(std::span<const std::vector<std::string>> layers,
                            std::span<const tune::TunedTask> results, std::string_view where);
/// `machine`: what kind it is, and which one.
nlohmann::ordered_json tunedTimesJson(std::span<const std::vector<std::string>> layers,
                                      const std::pair<std::string, std::string>& machine,
                                      std::span<const tune::TunedTask> results);

nlohmann::ordered_json tunedJson(std::span<const tune::Task> tasks,
                                 std::span<const tune::TunedTask> results,
                                 std::span<const double> agreements);

/// What was kept for the network as a whole, with each memory.
std::string networksText(std::span<const TunedNetwork> networks);
nlohmann::ordered_json networksJson(std::span<const TunedNetwork> networks);

/// What a database holds, by task and source.
std::string databaseTable(std::span<const tune::TaskSummary> summaries);
nlohmann::ordered_json databaseJson(std::span<const tune::TaskSummary> summaries);

}  // namespace vta::tools
