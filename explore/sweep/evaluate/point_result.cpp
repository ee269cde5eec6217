#include "explore/sweep/evaluate/point_result.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "sim/energy/energy_estimate.h"

namespace vta::sweep {
namespace {

/// Figures of each model that has them, and means over the mix where all models do.
void addAccuracyValues(const SweepConfig& sweep, const std::vector<ModelResult>& models,
                       Values& values) {
  std::map<std::string, std::pair<double, size_t>> sums;  // and of how many models
  double weights = 0;
  for (size_t i = 0; i < models.size(); ++i) {
    const ModelEntry& entry = sweep.models[i];
    weights += entry.weight;
    if (!models[i].accuracy) continue;
    const Accuracy& accuracy = *models[i].accuracy;
    std::map<std::string, double> figures = {{kAgreement, accuracy.agreementPercent()}};
    if (accuracy.labelled > 0) {
      figures[kTop1] = accuracy.top1Percent();
      figures[kTop1Loss] = accuracy.floatTop1Percent() - accuracy.top1Percent();
    }
    for (const auto& [name, value] : figures) {
      values[fmt::format("{}.{}", name, entry.name)] = value;
      sums[name].first += entry.weight * value;
      ++sums[name].second;
    }
  }
  for (const auto& [name, sum] : sums) {
    if (sum.second == models.size()) values[name] = sum.first / weights;
  }
}

/// Why an objective or constraint has no value, where that is an accuracy.
Status unknownAccuracy(const SweepConfig& sweep, const PointResult& result, const Status& status) {
  for (size_t i = 0; i < result.models.size(); ++i) {
    const std::string& error = result.models[i].accuracy_error;
    if (!error.empty()) {
      return status.withContext(
          fmt::format("{}: its accuracy is unknown: {}", sweep.models[i].name, error));
    }
  }
  return status;
}

}  // namespace

void addResults(const SweepConfig& sweep, PointResult& result) {
  const HwConfig& hw = *result.point.hw;
  const HwParams& p = hw.params();
  const double macs_a_cycle = static_cast<double>(p.batch) * p.block_in * p.block_out;
  Values& values = result.values;
  double weights = 0;
  double macs = 0;
  double host_macs = 0;
  double dram_bytes = 0;
  for (size_t i = 0; i < result.models.size(); ++i) {
    ModelResult& model = result.models[i];
    const ModelEntry& entry = sweep.models[i];
    const auto cycles = static_cast<double>(model.time.counters.cycles);
    const auto vta_macs = static_cast<double>(model.time.macs_on_vta);
    const sim::EnergyEstimate energy =
        sim::estimateEnergy(model.time.events, hw, sweep.energy, model.time.counters.cycles);
    model.latency_ms = cycles / (p.clockMhz() * 1e3);
    model.energy_mj = energy.totalPj() * 1e-9;
    model.dram_mj = energy.dram_pj * 1e-9;
    model.utilisation = cycles > 0 ? vta_macs / cycles / macs_a_cycle : 0;
    const std::pair<const char*, double> figures[] = {
        {"cycles", cycles}, {"latency_ms", model.latency_ms}, {"energy_mj", model.energy_mj}};
    for (const auto& [name, value] : figures) {
      values[fmt::format("{}.{}", name, entry.name)] = value;
      values[name] += entry.weight * value;
    }
    values[fmt::format("utilisation.{}", entry.name)] = model.utilisation;
    weights += entry.weight;
    macs += entry.weight * vta_macs;
    host_macs += entry.weight * static_cast<double>(model.time.macs_on_cpu);
    dram_bytes += entry.weight * static_cast<double>(model.time.events.dram_read_bytes +
                                                     model.time.events.dram_write_bytes);
  }
  const double cycles = values["cycles"];
  const double latency_ms = values["latency_ms"];
  values["throughput"] =
      latency_ms > 0 ? 1e3 * static_cast<double>(result.point.batch) * weights / latency_ms : 0;
  values["edp"] = values["energy_mj"] * latency_ms;
  values["macs_per_cycle"] = cycles > 0 ? macs / cycles : 0;
  values["utilisation"] = values["macs_per_cycle"] / macs_a_cycle;
  values["dram_mb"] = dram_bytes * 1e-6;
  values["host_macs_share"] = macs + host_macs > 0 ? host_macs / (macs + host_macs) : 0;
  addAccuracyValues(sweep, result.models, values);
}

void addObjectives(SweepConfig& sweep, PointResult& result) {
  result.is_feasible = true;
  for (Constraint& constraint : sweep.constraints) {
    const auto holds = constraint.expression.evaluate(result.values);
    if (holds.ok() && *holds != 0) continue;
    result.is_feasible = false;
    result.point.rule = fmt::format("constraint {}", constraint.expression.text());
    result.error = holds.ok() ? result.point.rule + " does not hold"
                              : unknownAccuracy(sweep, result, holds.status()).message();
    result.is_failed = !holds.ok();
    break;
  }
  for (Objective& objective : sweep.objectives) {
    const auto value = objective.expression.evaluate(result.values);
    if (!value.ok()) {
      result.is_feasible = false;
      result.is_failed = true;
      result.error = unknownAccuracy(sweep, result, value.status()).message();
      result.objectives.clear();
      return;
    }
    result.objectives.push_back(objective.maximise ? -*value : *value);
  }
}

}  // namespace vta::sweep
