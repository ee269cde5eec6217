// Surrogate: what the results of points will be, learned from points that were evaluated.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "explore/sweep/evaluate/evaluator.h"
#include "explore/sweep/surrogate/gaussian_process.h"
#include "explore/sweep/surrogate/point_inputs.h"

namespace vta::sweep {

/// Predicts the results that objectives and constraints of a sweep ask for. Results that are
/// positive are learned as logarithms, so that errors are relative.
class Surrogate {
 public:
  /// `results` are names of results ("latency_ms", "cycles.NAME").
  Surrogate(const SweepConfig& sweep, std::vector<std::string> results);

  const std::vector<std::string>& results() const { return results_; }
  const PointInputs& inputs() const { return inputs_; }

  /// Learns from every point of `evaluated` that has all results. Error: fewer than two have.
  Status fit(const std::vector<const PointResult*>& evaluated);

  /// For each result one value for each row of inputs(), rows one after the other.
  std::vector<std::vector<double>> predict(const std::vector<double>& rows) const;

  /// The mean relative error of a sample's results when the others predict it, the worst of all
  /// results; of results that are not learned as logarithms it is the error over their range.
  double leftOutError() const;

 private:
  std::vector<std::string> results_;
  PointInputs inputs_;
  std::vector<GaussianProcess> processes_;
  std::vector<bool> is_logarithm_;
  std::vector<double> ranges_;
};

}  // namespace vta::sweep
