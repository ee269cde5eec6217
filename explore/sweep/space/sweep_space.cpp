#include "explore/sweep/space/sweep_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "explore/sweep/space/value_text.h"
#include "isa/config/clock_estimate.h"

namespace vta::sweep {
namespace {

/// A reason without its numbers, so that equal reasons are equal texts.
std::string ruleOf(const std::string& reason) {
  std::string rule;
  bool in_number = false;
  for (size_t i = 0; i < reason.size(); ++i) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(reason[i])) != 0;
    const bool in_word = i > 0 && (std::isalpha(static_cast<unsigned char>(reason[i - 1])) != 0 ||
                                   reason[i - 1] == '_');
    if (is_digit && !in_word) {
      if (!in_number) rule += '#';
      in_number = true;
      continue;
    }
    in_number = in_number && is_digit;
    if (!in_number) rule += reason[i];
  }
  return rule;
}

bool refuse(Point& point, std::string rule, std::string reason) {
  point.rule = std::move(rule);
  point.reason = std::move(reason);
  return false;
}

bool refuse(Point& point, const std::string& where, const Status& status) {
  return refuse(point, where + ruleOf(status.message()), where + status.message());
}

std::string clockName(const ClockEstimate& estimate) {
  std::string name = "clock.";
  for (const char c : estimate.device) name += c == '-' ? '_' : c;
  return name;
}

bool hasLabels(const ModelEntry& model) {
  return model.accuracy && !model.accuracy->labels.empty();
}

/// Of each model that has samples; of all models where all have.
void addAccuracyNames(const SweepConfig& sweep, std::vector<std::string>& names) {
  const auto add = [&](const char* name, const auto& is_known) {
    for (const ModelEntry& model : sweep.models) {
      if (is_known(model)) names.push_back(fmt::format("{}.{}", name, model.name));
    }
    if (std::ranges::all_of(sweep.models, is_known)) names.emplace_back(name);
  };
  add(kAgreement, [](const ModelEntry& model) { return model.accuracy.has_value(); });
  add(kTop1, hasLabels);
  add(kTop1Loss, hasLabels);
}

/// A model without the dimension would be evaluated once and counted as a batch.
Status checkBatches(const SweepConfig& sweep) {
  if (sweep.batches == std::vector<int64_t>{1}) return {};
  for (const ModelEntry& model : sweep.models) {
    if (!model.batch_dimension.empty()) continue;
    return invalidArgument(
        fmt::format("{}: batch needs the key batch_dimension of model {}: the name of the model's "
                    "dimension that gets the batch",
                    sweep.source, model.name));
  }
  return {};
}

}  // namespace

const std::vector<std::string>& resultNames() {
  static const std::vector<std::string> names = {
      "cycles",      "latency_ms", "throughput",     "energy_mj",      "edp",
      "utilisation", "dram_mb",    "macs_per_cycle", "host_macs_share"};
  return names;
}

const std::vector<std::string>& modelResultNames() {
  static const std::vector<std::string> names = {"cycles", "latency_ms", "energy_mj",
                                                 "utilisation"};
  return names;
}

Result<SweepSpace> SweepSpace::create(SweepConfig& sweep) {
  VTA_RETURN_IF_ERROR(checkBatches(sweep));
  SweepSpace space(sweep);
  for (const Axis& axis : sweep.axes) {
    space.extents_.push_back(static_cast<uint32_t>(axis.values.size()));
  }
  space.extents_.push_back(static_cast<uint32_t>(sweep.batches.size()));
  space.extents_.push_back(static_cast<uint32_t>(sweep.memories.size()));
  for (const uint32_t extent : space.extents_) {
    constexpr uint64_t kMost = uint64_t{1} << 53;
    if (space.size_ > kMost / extent) {
      return invalidArgument(fmt::format("{}: the space has more than 2^53 points", sweep.source));
    }
    space.size_ *= extent;
  }
  VTA_RETURN_IF_ERROR(space.checkNames());
  return space;
}

std::vector<std::string> SweepSpace::pointNames() const {
  std::vector<std::string> names = {"batch"};
  for (const Parameter& parameter : parameters()) {
    if (parameter.kind != ParameterKind::kText) names.push_back(parameter.fullKey());
  }
  for (const IsaExtension& extension : isaExtensions()) {
    names.push_back(fmt::format("ext.{}", extension.name));
  }
  for (const Axis& axis : sweep_->axes) {
    if (findParameter(axis.name) == nullptr) names.push_back(axis.name);
  }
  for (const Derived& derived : sweep_->derived) {
    if (findParameter(derived.name) == nullptr) names.push_back(derived.name);
  }
  return names;
}

Status SweepSpace::checkNames() {
  point_names_ = pointNames();
  std::vector<std::string> known = point_names_;  // of conditions and what is derived
  for (const Axis& axis : sweep_->axes) {
    if (!axis.when) continue;
    const Status status = axis.when->checkNames(known);
    if (!status.ok()) return status.withContext(axis.place);
  }
  for (const Derived& derived : sweep_->derived) {
    const Status status = derived.expression.checkNames(known);
    if (!status.ok()) return status.withContext(derived.place);
  }
  for (const char* name : {"lut", "ff", "dsp", "bram36", "uram"}) point_names_.emplace_back(name);
  for (const DeviceResources& device : knownDevices()) {
    point_names_.push_back(fitsName(device.name));
  }
  for (const ClockEstimate& estimate : estimateClock(HwParams())) {
    point_names_.push_back(clockName(estimate));
  }
  names_ = point_names_;
  for (const std::string& name : resultNames()) names_.push_back(name);
  for (const ModelEntry& model : sweep_->models) {
    for (const std::string& name : modelResultNames()) {
      names_.push_back(fmt::format("{}.{}", name, model.name));
    }
  }
  addAccuracyNames(*sweep_, names_);
  const auto check = [this](const Expression& expression) {
    VTA_RETURN_IF_ERROR(checkAccuracyKnown(*sweep_, expression));
    return expression.checkNames(names_);
  };
  for (const Constraint& constraint : sweep_->constraints) {
    const Status status = check(constraint.expression);
    if (!status.ok()) return status.withContext(constraint.place);
  }
  for (const Objective& objective : sweep_->objectives) {
    const Status status = check(objective.expression);
    if (!status.ok()) return status.withContext(fmt::format("{}: objectives", sweep_->source));
  }
  return {};
}

bool SweepSpace::isStatic(const Expression& expression) const {
  return std::ranges::all_of(expression.names(),
                             [this](const std::string& name) { return isKnownBeforehand(name); });
}

bool SweepSpace::isKnownBeforehand(std::string_view name) const {
  return std::ranges::find(point_names_, name) != point_names_.end();
}

std::vector<uint32_t> SweepSpace::choicesOf(uint64_t number) const {
  std::vector<uint32_t> choices(extents_.size());
  for (size_t i = extents_.size(); i-- > 0;) {
    choices[i] = static_cast<uint32_t>(number % extents_[i]);
    number /= extents_[i];
  }
  return choices;
}

Status SweepSpace::checkChoices(const std::vector<uint32_t>& choices) const {
  if (choices.size() != extents_.size()) {
    return invalidArgument(fmt::format("a point has {} choices; this space has points of {}",
                                       choices.size(), extents_.size()));
  }
  for (size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] < extents_[i]) continue;
    return invalidArgument(
        fmt::format("choice {} of a point is {}; legal: 0 to {}", i, choices[i], extents_[i] - 1));
  }
  return {};
}

Point SweepSpace::point(std::vector<uint32_t> choices) {
  Point point;
  point.choices = std::move(choices);
  const size_t axes = sweep_->axes.size();
  point.batch = sweep_->batches[point.choices[axes]];
  point.memory = point.choices[axes + 1];
  const bool has_hardware = chooseValues(point) && makeHardware(point);
  for (size_t i = 0; i < extents_.size(); ++i) {
    point.number = point.number * extents_[i] + point.choices[i];
  }
  if (!has_hardware) return point;
  addEstimates(point);
  if (!checkConstraints(point)) return point;
  return point;
}

/// Values of axes, and whether conditions hold: in the order of the file, so that a condition sees
/// the axes before it.
bool SweepSpace::chooseValues(Point& point) {
  Values& values = point.values;
  values["batch"] = static_cast<double>(point.batch);
  for (const Parameter& parameter : parameters()) {
    if (parameter.kind == ParameterKind::kText) continue;
    values[parameter.fullKey()] = parameter.number(sweep_->base.params());
  }
  for (const IsaExtension& extension : isaExtensions()) {
    values[fmt::format("ext.{}", extension.name)] = sweep_->base.params().*extension.member ? 1 : 0;
  }
  for (size_t i = 0; i < sweep_->axes.size(); ++i) {
    Axis& axis = sweep_->axes[i];
    double value = axis.values[point.choices[i]].number;
    if (axis.when) {
      const auto holds = axis.when->evaluate(values);
      if (!holds.ok()) return refuse(point, axis.place + ": ", holds.status());
      if (*holds == 0) {
        value = axis.otherwise.number;
        point.choices[i] = 0;
      }
    }
    values[axis.name] = value;
  }
  return true;
}

bool SweepSpace::makeHardware(Point& point) {
  for (Derived& derived : sweep_->derived) {
    const auto value = derived.expression.evaluate(point.values);
    if (!value.ok()) return refuse(point, derived.place + ": ", value.status());
    point.values[derived.name] = *value;
  }
  HwParams params = sweep_->base.params();
  const auto set = [&](const std::string& name) {
    const Parameter* parameter = findParameter(name);
    if (parameter == nullptr) return Status();
    return setParameter(*parameter, point.values[name], params);
  };
  for (const Axis& axis : sweep_->axes) {
    if (const Status status = set(axis.name); !status.ok()) return refuse(point, "", status);
  }
  for (const Derived& derived : sweep_->derived) {
    if (const Status status = set(derived.name); !status.ok()) return refuse(point, "", status);
  }
  if (!setClock(params, point)) return false;
  params.name = fmt::format("{}", sweep_->name);
  auto hw = HwConfig::create(params);
  if (!hw.ok()) return refuse(point, "", hw.status());
  point.hw = *std::move(hw);
  return true;
}

/// The clock of the estimate, where the sweep asks for it.
bool SweepSpace::setClock(HwParams& params, Point& point) const {
  for (const ClockEstimate& estimate : estimateClock(params)) {
    const double factor = sweep_->calibration.clockFactor(estimate.device);
    point.values[clockName(estimate)] = factor * estimate.mhz;
    if (estimate.device != sweep_->clock.device) continue;
    const double mhz = factor * (sweep_->clock.filled ? estimate.full_mhz : estimate.mhz);
    const int64_t whole_mhz = std::max(1, static_cast<int>(mhz));
    params.clock_hz = whole_mhz * 1'000'000;
    point.values["clock_mhz"] = params.clockMhz();
  }
  return true;
}

void SweepSpace::addEstimates(Point& point) const {
  for (const IsaExtension& extension : isaExtensions()) {
    point.values[fmt::format("ext.{}", extension.name)] =
        point.hw->params().*extension.member ? 1 : 0;
  }
  point.area = sweep_->calibration.apply(estimateArea(*point.hw));
  point.values["lut"] = point.area.lut;
  point.values["ff"] = point.area.ff;
  point.values["dsp"] = point.area.dsp;
  point.values["bram36"] = point.area.bram36;
  point.values["uram"] = point.area.uram;
  for (const DeviceResources& device : knownDevices()) {
    point.values[fitsName(device.name)] =
        fits(point.area, device, sweep_->lut_margin).empty() ? 1 : 0;
  }
}

bool SweepSpace::checkConstraints(Point& point) {
  for (Constraint& constraint : sweep_->constraints) {
    if (!isStatic(constraint.expression)) continue;
    const auto holds = constraint.expression.evaluate(point.values);
    const std::string rule = fmt::format("constraint {}", constraint.expression.text());
    if (!holds.ok()) return refuse(point, rule, holds.status().message());
    if (*holds != 0) continue;
    std::string reason = rule + " does not hold:";
    for (const std::string& name : constraint.expression.names()) {
      reason += fmt::format(" {} = {:g}", name, point.values[name]);
      const DeviceResources* device =
          name.starts_with("fits.") ? findDevice(name.substr(5)) : nullptr;
      if (device == nullptr) continue;
      const std::string lacks = fits(point.area, *device, sweep_->lut_margin);
      if (!lacks.empty()) reason += fmt::format(" ({})", lacks);
    }
    return refuse(point, rule, reason);
  }
  return true;
}

Status checkAccuracyKnown(const SweepConfig& sweep, const Expression& expression) {
  for (const std::string& name : expression.names()) {
    const std::string base = name.substr(0, name.find('.'));
    const bool needs_labels = base == kTop1 || base == kTop1Loss;
    if (base != kAgreement && !needs_labels) continue;
    for (const ModelEntry& model : sweep.models) {
      if (name != base && name != fmt::format("{}.{}", base, model.name)) continue;
      if (needs_labels ? hasLabels(model) : model.accuracy.has_value()) continue;
      return invalidArgument(fmt::format(
          "{} is unknown: model {} has no {}; give it the key accuracy with {}", name, model.name,
          needs_labels ? "labels" : "samples", needs_labels ? "samples and labels" : "samples"));
    }
  }
  return {};
}

std::string clockWarning(const SweepConfig& sweep, const Point& point) {
  if (!point.hw || !sweep.clock.device.empty()) return "";
  std::vector<ClockEstimate> estimates = estimateClock(point.hw->params());
  for (ClockEstimate& estimate : estimates) {
    estimate.mhz *= sweep.calibration.clockFactor(estimate.device);
  }
  return vta::clockWarning(point.hw->params().clockMhz(), estimates);
}

std::string describeAxes(const SweepConfig& sweep, const Point& point) {
  std::vector<std::string> parts;
  for (const Axis& axis : sweep.axes) {
    const auto value = point.values.find(axis.name);
    if (value == point.values.end()) continue;
    parts.push_back(
        fmt::format("{}={}", axis.name, numberText(value->second, findParameter(axis.name))));
  }
  if (sweep.batches.size() > 1) parts.push_back(fmt::format("batch={}", point.batch));
  if (sweep.memories.size() > 1) {
    parts.push_back(fmt::format("memory={}", sweep.memories[point.memory].name));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace vta::sweep
