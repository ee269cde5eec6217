#include "explore/tune/task/gemm_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/json_reason.h"

namespace vta::tune {
namespace {

using codegen::GemmElement;
using codegen::GemmScheduleField;
using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kSourceEnd = ", ns", kGpuEnd = "), ns";
constexpr int64_t kMostGemmExtent = int64_t{1} << 40;

struct SpecField {
  const char* name;
  int64_t GemmSpec::*member;
};
constexpr std::array kSpecFields = {
    SpecField{"batch", &GemmSpec::batch}, SpecField{"rows", &GemmSpec::rows},
    SpecField{"columns", &GemmSpec::columns}, SpecField{"depth", &GemmSpec::depth}};

struct LimitField {
  const char* name;
  int64_t GpuKernelLimits::*member;
  bool is_always = true;  // in the text, also where it is 0
};
constexpr std::array kLimitFields = {LimitField{"invocations", &GpuKernelLimits::invocations},
                                     LimitField{"shared_bytes", &GpuKernelLimits::shared_bytes},
                                     LimitField{"workgroups", &GpuKernelLimits::workgroups},
                                     LimitField{"warp", &GpuKernelLimits::warp},
                                     LimitField{"warps_together", &GpuKernelLimits::warps_together,
                                                /*is_always=*/false}};

constexpr std::array<std::string_view, 4> kElementNames = {"f32", "f16", "int8", "int32"};

Result<int64_t> numberOf(const OrderedJson& value, std::string_view name, int64_t least,
                         int64_t most) {
  if (value.is_number_integer() && value >= least && value <= most) return value.get<int64_t>();
  return invalidArgument(fmt::format("{} is a number from {} to {}", name, least, most));
}

Result<GemmSpec> gemmSpecOf(const OrderedJson& json) {
  GemmSpec spec;
  for (const SpecField& field : kSpecFields) {
    VTA_ASSIGN_OR_RETURN(spec.*field.member,
                         numberOf(json.at(field.name), field.name, 1, kMostGemmExtent));
  }
  const auto element = std::ranges::find(kElementNames, json.at("element").get<std::string>());
  if (element == kElementNames.end()) return invalidArgument("no product has such elements");
  spec.element = static_cast<GemmElement>(element - kElementNames.begin());
  return spec;
}

}  // namespace

std::string TunedGpu::text() const { return fmt::format("{} ({})", name, interface); }
std::string gpuSource(const std::string& gpu) { return fmt::format("{}{}", gpu, kSourceEnd); }

std::optional<std::string> gpuOfSource(std::string_view source) {
  if (!source.ends_with(kGpuEnd)) return std::nullopt;
  return std::string(source.substr(0, source.size() - kSourceEnd.size()));
}

void addGemmTask(const codegen::ProductLayer& layer, const TunedGpu& gpu,
                 std::vector<GemmTask>& tasks) {
  const auto known = std::ranges::find_if(tasks, [&](const GemmTask& task) {
    return task.spec == layer.spec && task.kernel == layer.kernel;
  });
  if (known != tasks.end()) {
    known->layers.push_back(layer.name);
  } else {
    tasks.push_back({layer.spec, layer.kernel, layer.code(), gpu, {layer.name}});
  }
}

bool isGemmWorkload(std::string_view workload) {
  return workload.starts_with(R"({"target":"gpu",)");
}

std::string gemmWorkload(const GemmSpec& spec, const std::string& kernel) {
  OrderedJson json = {{"target", "gpu"}};
  for (const SpecField& field : kSpecFields) json[field.name] = spec.*field.member;
  json["element"] = kElementNames[static_cast<size_t>(spec.element)];
  json["kernel"] = kernel;
  return json.dump();
}

TaskKey gemmKey(const GemmSpec& spec, const std::string& kernel, const TunedGpu& gpu) {
  OrderedJson limits = OrderedJson::object();
  for (const LimitField& field : kLimitFields) {
    const int64_t value = gpu.limits.*field.member;
    if (field.is_always || value != 0) limits[field.name] = value;
  }
  return {gemmWorkload(spec, kernel), gpu.text(), limits.dump()};
}

Result<GemmSpec> parseGemmWorkload(std::string_view text) {
  try {
    const OrderedJson json = OrderedJson::parse(text);
    if (!json.at("kernel").is_string()) return invalidArgument("a product needs its kernel's text");
    return gemmSpecOf(json);
  } catch (const nlohmann::json::exception& error) {
    return invalidArgument(fmt::format("no product for a GPU: {}", jsonReason(error.what())));
  }
}

Result<GpuKernelLimits> parseGpuLimits(std::string_view text) {
  const OrderedJson json = OrderedJson::parse(text, nullptr, false);
  if (!json.is_object()) return invalidArgument("no limits of a GPU");
  GpuKernelLimits limits;
  for (const LimitField& field : kLimitFields) {
    const OrderedJson value = json.value(field.name, OrderedJson(0));
    VTA_ASSIGN_OR_RETURN(limits.*field.member, numberOf(value, field.name, 0, kMostGemmExtent));
  }
  return limits;
}

std::string gemmScheduleText(const GemmSchedule& schedule) {
  OrderedJson json = OrderedJson::object();
  for (const GemmScheduleField& field : codegen::gemmScheduleFields()) {
    json[std::string(field.name)] = field.get(schedule);
  }
  return json.dump();
}

Result<GemmSchedule> parseGemmSchedule(std::string_view text) {
  const OrderedJson json = OrderedJson::parse(text, nullptr, false);
  if (!json.is_object()) return invalidArgument("no schedule of a product for a GPU");
  GemmSchedule schedule;
  for (const auto& [name, value] : json.items()) {
    const auto field = std::ranges::find(codegen::gemmScheduleFields(), std::string_view(name),
                                         &GemmScheduleField::name);
    if (field == codegen::gemmScheduleFields().end()) {
      return invalidArgument(fmt::format("a schedule of a product has no {}", name));
    }
    VTA_ASSIGN_OR_RETURN(const int64_t number, numberOf(value, name, 0, field->most));
    field->set(schedule, number);
  }
  return schedule;
}

}  // namespace vta::tune
