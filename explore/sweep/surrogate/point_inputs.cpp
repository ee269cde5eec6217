#include "explore/sweep/surrogate/point_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explore/sweep/space/value_text.h"
#include "explore/tune/task/task.h"

namespace vta::sweep {
namespace {

constexpr const char* kMemoryNames[] = {"memory.latency", "memory.cycles_per_beat",
                                        "memory.outstanding"};

}  // namespace

PointInputs::PointInputs(const SweepConfig& sweep) : sweep_(&sweep) {
  for (const Axis& axis : sweep.axes) {
    const Parameter* parameter = findParameter(axis.name);
    if (parameter != nullptr && parameter->kind == ParameterKind::kSet) {
      for (const IsaExtension& extension : isaExtensions()) {
        add(fmt::format("ext.{}", extension.name), false);
      }
      continue;
    }
    const bool is_positive =
        std::ranges::all_of(axis.values, [](const AxisValue& value) { return value.number > 0; }) &&
        (!axis.when || axis.otherwise.number > 0);
    add(axis.name, is_positive);
  }
  if (sweep.batches.size() > 1) add("batch", true);
  add("clock_mhz", true);
  if (sweep.memories.size() < 2) return;
  for (const char* name : kMemoryNames) add(name, true);
}

void PointInputs::add(const std::string& name, bool is_logarithm) {
  if (std::ranges::find(names_, name) != names_.end()) return;
  names_.push_back(name);
  is_logarithm_.push_back(is_logarithm);
}

void PointInputs::append(const Point& point, std::vector<double>& row) const {
  const kernel::MemoryTraits memory = tune::memoryTraits(sweep_->memories[point.memory], *point.hw);
  const double of_memory[] = {std::max(1.0, memory.latency_cycles), memory.cycles_per_beat,
                              std::max(1.0, static_cast<double>(memory.outstanding_bursts))};
  for (size_t i = 0; i < names_.size(); ++i) {
    const auto value = point.values.find(names_[i]);
    const size_t left = names_.size() - i;  // the memory's are the last three
    const double number =
        value != point.values.end() ? value->second : of_memory[std::size(of_memory) - left];
    row.push_back(is_logarithm_[i] ? std::log2(number) : number);
  }
}

}  // namespace vta::sweep
