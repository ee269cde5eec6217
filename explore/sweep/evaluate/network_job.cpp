#include "explore/sweep/evaluate/network_job.h"

#include <fmt/format.h>

#include <utility>

#include "explore/sweep/evaluate/network_result.h"
#include "explore/tune/task/task_text.h"

namespace vta::sweep {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Result<std::string> simulateNetwork(const compiler::ModuleOutline& outline, const NetworkJob& job,
                                    const ScheduleMemory& known) {
  NetworkTimer timer(job.hw, job.memory, job.effort);
  if (job.is_per_layer) {
    VTA_ASSIGN_OR_RETURN(const auto layers, timer.runLayers(outline, known));
    return encodeLayers(layers);
  }
  VTA_ASSIGN_OR_RETURN(const NetworkTime time, timer.run(outline, known));
  return encodeTime(time);
}

Json jobJson(const NetworkJob& job) {
  const tune::TimingKey key = tune::keyOf(tune::Timing{job.hw, job.memory});
  return {{"configuration", key.configuration},
          {"memory", key.memory},
          {"effort", effortName(job.effort)},
          {"per_layer", job.is_per_layer}};
}

Result<NetworkJob> parseJob(const Json& json) {
  VTA_ASSIGN_OR_RETURN(tune::Timing timing,
                       tune::parseTiming({json.at("configuration"), json.at("memory")}));
  VTA_ASSIGN_OR_RETURN(Effort effort, parseEffort(json.at("effort").get<std::string>()));
  return NetworkJob{std::move(timing.hw), std::move(timing.memory), std::move(effort),
                    json.at("per_layer").get<bool>()};
}

}  // namespace vta::sweep
