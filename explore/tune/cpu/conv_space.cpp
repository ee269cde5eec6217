#include "explore/tune/cpu/conv_space.h"

#include <algorithm>
#include <cmath>

namespace vta::tune {
namespace {

using codegen::blocked::ConvScheduleField;
using codegen::blocked::convScheduleFields;

std::vector<int64_t> fieldsOf(const ConvSchedule& schedule) {
  std::vector<int64_t> values;
  for (const ConvScheduleField& field : convScheduleFields()) {
    values.push_back(schedule.*field.member);
  }
  return values;
}

/// The same transform and tile, and as many passes.
uint64_t kindOf(const ConvSchedule& s) {
  return static_cast<uint64_t>(s.winograd << 56 | s.out_blocks << 48 | s.rows << 32 |
                               s.columns << 16 | s.in_blocks);
}

}  // namespace

std::span<const std::string_view> convFeatureNames() {
  static constexpr std::string_view kNames[] = {"log_out_blocks",        "log_rows",
                                                "log_columns",           "log_unrolled_channels",
                                                "log_unrolled_window",   "log_in_blocks",
                                                "log_row_tiles",         "log_rows_outer",
                                                "log_winograd",          "log_multiply_adds",
                                                "multiply_adds_per_mac", "log_loads",
                                                "loads_per_mac",         "log_iterations",
                                                "iterations_per_mac",    "log_weight_bytes",
                                                "weight_bytes_per_mac",  "log_input_bytes",
                                                "input_bytes_per_mac",   "log_partial_bytes",
                                                "partial_bytes_per_mac", "log_parallel",
                                                "parallel_per_mac",      "log_transforms",
                                                "transforms_per_mac",    "log_sums",
                                                "log_in_channels",       "log_in_block",
                                                "log_out_channels",      "log_out_height",
                                                "log_out_width",         "log_kernel_height",
                                                "log_kernel_width",      "log_stride",
                                                "log_dilation",          "is_depthwise",
                                                "has_residual",          "log_vector_registers",
                                                "log_vector_bytes",      "is_integer"};
  return kNames;
}

Features convFeatures(const ConvSpec& spec, const ConvSchedule& schedule,
                      const codegen::CpuTraits& traits) {
  const codegen::blocked::ConvWork work = countConvWork(spec, schedule, traits);
  Features features{};
  size_t next = 0;
  const auto addLog = [&](double value) {
    features[next++] = static_cast<float>(std::log2(1 + value));
  };
  for (const int64_t value : fieldsOf(schedule)) addLog(static_cast<double>(value));
  const double macs = static_cast<double>(spec.macs());
  for (const double count :
       {work.multiply_adds, work.loads, work.iterations, work.weight_bytes, work.input_bytes,
        work.partial_bytes, work.parallel, work.transforms}) {
    addLog(count);
    features[next++] = static_cast<float>(count / macs);
  }
  addLog(static_cast<double>(schedule.rows * schedule.columns * schedule.out_blocks));
  for (const int64_t value :
       {spec.in.channels, spec.in.block, spec.out.channels, spec.out.height, spec.out.width,
        spec.kernel[0], spec.kernel[1], spec.strides[0], spec.dilations[0],
        static_cast<int64_t>(spec.depthwise), static_cast<int64_t>(spec.has_residual)}) {
    addLog(static_cast<double>(value));
  }
  addLog(static_cast<double>(traits.vector_registers));
  addLog(static_cast<double>(traits.vector_bytes));
  addLog(static_cast<double>(spec.isInteger()));
  return features;
}

ConvSpace::ConvSpace(const ConvTask& task)
    : Space(std::vector<bool>(convScheduleFields().size(), false),
            {0, convScheduleFields().size()}) {
  const auto add = [&](const ConvSchedule& schedule) {
    schedules_.push_back(schedule);
    Space::add({fieldsOf(schedule), estimateConvCycles(task.spec, schedule, task.traits), 0,
                kindOf(schedule), convFeatures(task.spec, schedule, task.traits)});
  };
  visitConvSchedules(task.spec, task.traits, add, &rejected_);
  finish();
}

std::optional<Candidate> ConvSpace::find(const ConvSchedule& schedule) const {
  const auto found = std::ranges::find(schedules_, schedule);
  if (found == schedules_.end()) return std::nullopt;
  return static_cast<Candidate>(found - schedules_.begin());
}

}  // namespace vta::tune
