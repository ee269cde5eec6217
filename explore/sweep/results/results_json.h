// The results of a sweep as JSON, which the page shows, and as comma-separated values.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "explore/sweep/evaluate/evaluator.h"
#include "explore/sweep/space/sweep_space.h"

namespace vta::sweep {

/// What has to be known to get results again.
struct Manifest {
  std::string tool_version;  // with the commit
  std::map<std::string, std::string> model_hashes;
  std::map<std::string, std::string> data_hashes = {};  // of the samples for accuracy
};

/// The layers of the models on some points, by the point's number.
using PointLayers = std::map<uint64_t, std::vector<std::vector<LayerTime>>>;

struct SweepResults {
  std::vector<PointResult> points;
  std::vector<size_t> front;
  PointLayers layers;
};

nlohmann::ordered_json resultsJson(const SweepConfig& sweep, const SweepResults& results,
                                   const Manifest& manifest);

/// One row for each point: its axes, status, reason and every figure.
std::string resultsCsv(const SweepConfig& sweep, const SweepResults& results);

/// "ok", "illegal", "constraint", "failed".
const char* statusOf(const PointResult& result);

/// Where the numbers of two results of one sweep differ, one line each: empty if nowhere.
std::vector<std::string> compareResults(const nlohmann::ordered_json& before,
                                        const nlohmann::ordered_json& after);

}  // namespace vta::sweep
