// What vta-tune prints.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "explore/tune/task/conv_task.h"
#include "explore/tune/tuner/tuner.h"
#include "tools/vta_tune/network/keep_schedules.h"

namespace vta::tools {

/// One line for each task, and a sum over all layers of a network. `agreements`: of each task, the
/// rank agreement of the simulator with the device that measured; empty when none did.
std::string tunedTable(std::span<const tune::Task> tasks, std::span<const tune::TunedTask> results,
                       std::span<const double> agreements);
/// The same for layers on the CPU.
std::string tunedConvTable(std::span<const tune::ConvTask> tasks,
                           std::span<const tune::TunedTask> results);
nlohmann::ordered_json tunedConvJson(std::span<const tune::ConvTask> tasks,
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
