// PointResult: everything known of a point, and the values that objectives and constraints ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explore/sweep/accuracy/accuracy.h"
#include "explore/sweep/network/network_timer.h"
#include "explore/sweep/space/sweep_space.h"

namespace vta::sweep {

/// One model on one point.
struct ModelResult {
  NetworkTime time;
  double latency_ms = 0;
  double energy_mj = 0;
  double dram_mj = 0;
  double utilisation = 0;                 // of the array's multipliers, over all cycles
  std::optional<Accuracy> accuracy = {};  // unknown without samples, or where it has an error
  std::string accuracy_error = {};
};

/// A point with everything known of it.
struct PointResult {
  Point point;
  /// Why it has no results: an illegal point's reason, or a failure of its evaluation.
  std::string error;
  bool is_failed = false;           // the evaluation failed: it is no rule's work
  std::vector<ModelResult> models;  // in the order of SweepConfig::models; empty without results
  Values values;                    // parameters and results
  std::vector<double> objectives;   // in the order of SweepConfig::objectives, all to be minimised
  bool is_feasible = false;         // it has results, and all constraints hold
};

/// The error of points that an interrupted evaluation has left out.
inline constexpr const char* kStopped =
    "the sweep was stopped before this point; run it again to go on";

/// Figures of each model from its time, and sums over the mix by the models' weights. Times and
/// accuracies are there already.
void addResults(const SweepConfig& sweep, PointResult& result);

/// Whether all constraints hold, and the objectives. A value that is unknown is the point's error.
void addObjectives(SweepConfig& sweep, PointResult& result);

}  // namespace vta::sweep
