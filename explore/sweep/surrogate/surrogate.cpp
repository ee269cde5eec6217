#include "explore/sweep/surrogate/surrogate.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vta::sweep {

Surrogate::Surrogate(const SweepConfig& sweep, std::vector<std::string> results)
    : results_(std::move(results)),
      inputs_(sweep),
      processes_(results_.size()),
      is_logarithm_(results_.size()),
      ranges_(results_.size()) {}

Status Surrogate::fit(const std::vector<const PointResult*>& evaluated) {
  std::vector<double> rows;
  std::vector<std::vector<double>> targets(results_.size());
  for (const PointResult* result : evaluated) {
    const bool has_all = std::ranges::all_of(
        results_, [result](const std::string& name) { return result->values.contains(name); });
    if (!has_all || !result->point.isLegal()) continue;
    inputs_.append(result->point, rows);
    for (size_t i = 0; i < results_.size(); ++i) {
      targets[i].push_back(result->values.at(results_[i]));
    }
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    std::vector<double>& values = targets[i];
    is_logarithm_[i] = std::ranges::all_of(values, [](double value) { return value > 0; });
    if (is_logarithm_[i]) {
      for (double& value : values) value = std::log(value);
    }
    VTA_RETURN_IF_ERROR(processes_[i].fit(rows, inputs_.count(), values));
    const auto [least, most] = std::ranges::minmax(values);
    ranges_[i] = std::max(1e-12, most - least);
  }
  return {};
}

std::vector<std::vector<double>> Surrogate::predict(const std::vector<double>& rows) const {
  std::vector<std::vector<double>> values;
  for (size_t i = 0; i < results_.size(); ++i) {
    values.push_back(processes_[i].predict(rows));
    if (!is_logarithm_[i]) continue;
    for (double& value : values.back()) value = std::exp(value);
  }
  return values;
}

double Surrogate::leftOutError() const {
  double worst = 0;
  for (size_t i = 0; i < processes_.size(); ++i) {
    const double error = processes_[i].leftOutError();
    worst = std::max(worst, is_logarithm_[i] ? std::expm1(error) : error / ranges_[i]);
  }
  return worst;
}

}  // namespace vta::sweep
