#include "explore/tune/gpu/gemm_space.h"

#include <cmath>

#include "host_gpu/schedule/gemm_space.h"

namespace vta::tune {
namespace {

using codegen::GemmScheduleField;
using codegen::gemmScheduleFields;
using codegen::GemmWork;

std::vector<int64_t> gemmFieldsOf(const GemmSchedule& schedule) {
  std::vector<int64_t> values;
  for (const GemmScheduleField& field : gemmScheduleFields()) values.push_back(field.get(schedule));
  return values;
}

/// The same block, by the same tier.
uint64_t gemmKindOf(const GemmSchedule& s) {
  return static_cast<uint64_t>(static_cast<int64_t>(s.tier) << 48 | s.block_rows << 32 |
                               s.block_columns << 16 | s.block_depth);
}

struct NamedCount {
  std::string_view name;
  double GemmWork::*member;
};
constexpr NamedCount kCounts[] = {
    {"log_products", &GemmWork::products},         {"log_shared_loads", &GemmWork::shared_loads},
    {"log_global_bytes", &GemmWork::global_bytes}, {"log_steps", &GemmWork::steps},
    {"log_workgroups", &GemmWork::workgroups},     {"log_invocations", &GemmWork::invocations},
    {"log_shared_bytes", &GemmWork::shared_bytes}};

constexpr std::string_view kOfProduct[] = {
    "products_per_mac", "shared_loads_per_mac", "global_bytes_per_mac", "log_sums",
    "log_batch",        "log_result_rows",      "log_result_columns",   "log_depth",
    "element",          "log_most_invocations", "log_most_shared",      "warp"};

}  // namespace

std::span<const std::string_view> gemmFeatureNames() {
  static const std::vector<std::string> of_fields = [] {
    std::vector<std::string> names;
    for (const GemmScheduleField& field : gemmScheduleFields()) {
      names.push_back("log_" + std::string(field.name));
    }
    return names;
  }();
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all(of_fields.begin(), of_fields.end());
    for (const NamedCount& count : kCounts) all.push_back(count.name);
    all.insert(all.end(), std::begin(kOfProduct), std::end(kOfProduct));
    return all;
  }();
  return names;
}

Features gemmFeatures(const GemmSpec& spec, const GemmSchedule& schedule,
                      const GpuKernelLimits& limits) {
  const GemmWork work = countGemmWork(spec, schedule);
  Features features{};
  size_t next = 0;
  const auto add = [&](double value) { features[next++] = static_cast<float>(value); };
  const auto add_log = [&](double value) { add(std::log2(1 + value)); };
  for (const int64_t value : gemmFieldsOf(schedule)) add_log(static_cast<double>(value));
  for (const NamedCount& count : kCounts) add_log(work.*count.member);
  const double macs = static_cast<double>(spec.batch) * static_cast<double>(spec.rows) *
                      static_cast<double>(spec.columns) * static_cast<double>(spec.depth);
  for (const double count : {work.products, work.shared_loads, work.global_bytes}) {
    add(count / macs);
  }
  add_log(static_cast<double>(schedule.tile_rows * schedule.tile_columns));
  for (const int64_t extent : {spec.batch, spec.rows, spec.columns, spec.depth}) {
    add_log(static_cast<double>(extent));
  }
  add(static_cast<double>(spec.element));
  add_log(static_cast<double>(limits.invocations));
  add_log(static_cast<double>(limits.shared_bytes));
  add(static_cast<double>(limits.warp));
  return features;
}

GemmSpace::GemmSpace(const GemmTask& task)
    : Space(std::vector<bool>(gemmScheduleFields().size(), false),
            {0, gemmScheduleFields().size()}) {
  const auto add = [&](const GemmSchedule& schedule) {
    schedules_.push_back(schedule);
    Space::add({gemmFieldsOf(schedule), estimateGemmNanoseconds(task.spec, schedule), 0,
                gemmKindOf(schedule), gemmFeatures(task.spec, schedule, task.gpu.limits)});
  };
  codegen::visitGemmSchedules(task.spec, task.gpu.limits, add, rejected_);
  finish();
}

std::optional<Candidate> GemmSpace::find(const GemmSchedule& schedule) const {
  return findFields(gemmFieldsOf(schedule));
}

}  // namespace vta::tune
