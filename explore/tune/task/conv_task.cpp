#include "explore/tune/task/conv_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text/json_reason.h"
#include "host_cpu/schedule/integer_finish.h"

namespace vta::tune {
namespace {

using codegen::blocked::Activation;
using codegen::blocked::Layout;
using Json = nlohmann::ordered_json;

constexpr int64_t kMostExtent = int64_t{1} << 20;

Json toJson(const Layout& layout) {
  return {layout.batch, layout.channels, layout.height, layout.width, layout.block, layout.halo};
}

Layout layoutOf(const Json& json) {
  Layout layout{json.at(0), json.at(1), json.at(2), json.at(3), json.at(4), {}};
  json.at(5).get_to(layout.halo);
  return layout;
}

bool isPlausible(const Layout& layout) {
  const auto inside = [](int64_t value, int64_t least) {
    return value >= least && value <= kMostExtent;
  };
  return inside(layout.batch, 1) && inside(layout.channels, 1) && inside(layout.height, 1) &&
         inside(layout.width, 1) && inside(layout.block, 1) &&
         std::ranges::all_of(layout.halo, [&](int64_t side) { return inside(side, 0); });
}

/// Whole words, and a formula whose images are there.
bool isPlausibleInteger(const ConvSpec& spec) {
  const std::string_view operands = spec.has_residual ? "y" : "xy";
  return spec.in.block % codegen::blocked::kWordBytes == 0 &&
         codegen::blocked::isFinish(spec.finish) &&
         spec.finish.find_first_of(operands) == std::string::npos;
}

bool isPlausible(const ConvSpec& spec) {
  const auto inside = [](const std::array<int64_t, 2>& values, int64_t least) {
    return std::ranges::all_of(values,
                               [&](int64_t value) { return value >= least && value < 4096; });
  };
  return isPlausible(spec.in) && isPlausible(spec.out) && inside(spec.kernel, 1) &&
         inside(spec.strides, 1) && inside(spec.dilations, 1) && inside(spec.pads, 0) &&
         (!spec.has_residual || isPlausible(spec.residual)) &&
         (!spec.isInteger() || isPlausibleInteger(spec));
}

ConvSpec specOf(const Json& json) {
  ConvSpec spec;
  spec.in = layoutOf(json.at("in"));
  spec.out = layoutOf(json.at("out"));
  spec.depthwise = json.at("depthwise");
  json.at("kernel").get_to(spec.kernel);
  json.at("strides").get_to(spec.strides);
  json.at("dilations").get_to(spec.dilations);
  json.at("pads").get_to(spec.pads);
  spec.has_residual = json.contains("residual");
  if (spec.has_residual) spec.residual = layoutOf(json.at("residual"));
  spec.activation.kind =
      static_cast<Activation::Kind>(std::clamp(json.at("activation").get<int>(), 0, 3));
  if (json.contains("finish")) {
    json.at("finish").get_to(spec.finish);
    spec.in.is_integer = spec.out.is_integer = true;
    spec.residual.is_integer = spec.has_residual;
  }
  return spec;
}

}  // namespace

std::vector<ConvTask> makeConvTasks(const std::vector<codegen::blocked::ConvLayer>& layers,
                                    const std::string& cpu, const codegen::CpuTraits& traits) {
  std::vector<ConvTask> tasks;
  for (const codegen::blocked::ConvLayer& layer : layers) {
    const TaskKey key = convKey(layer.spec, cpu);
    const auto known = std::ranges::find_if(
        tasks, [&](const ConvTask& task) { return convKey(task.spec, cpu) == key; });
    if (known == tasks.end()) {
      tasks.push_back({layer.spec, cpu, traits, {layer.name}});
    } else {
      known->layers.push_back(layer.name);
    }
  }
  return tasks;
}

bool isConvWorkload(std::string_view workload) {
  return workload.starts_with(R"({"target":"cpu",)");
}

TaskKey convKey(const ConvSpec& spec, const std::string& cpu) {
  // The bounds of an activation do not change the time that it takes.
  Json json = {{"target", "cpu"},
               {"in", toJson(spec.in)},
               {"out", toJson(spec.out)},
               {"depthwise", spec.depthwise},
               {"kernel", spec.kernel},
               {"strides", spec.strides},
               {"dilations", spec.dilations},
               {"pads", spec.pads},
               {"activation", static_cast<int>(spec.activation.kind)}};
  if (spec.has_residual) json["residual"] = toJson(spec.residual);
  if (spec.isInteger()) json["finish"] = spec.finish;
  return {json.dump(), cpu, "{}"};
}

Result<ConvSpec> parseConvWorkload(std::string_view text) {
  try {
    const ConvSpec spec = specOf(Json::parse(text));
    if (!isPlausible(spec)) return invalidArgument("no convolution has this shape");
    return spec;
  } catch (const nlohmann::json::exception& error) {
    return invalidArgument(fmt::format("no convolution for a CPU: {}", jsonReason(error.what())));
  }
}

std::string convScheduleText(const ConvSchedule& schedule) {
  Json json = Json::object();
  for (const codegen::blocked::ConvScheduleField& field : codegen::blocked::convScheduleFields()) {
    // Texts from before there was such a field stay what they are.
    if (field.is_optional && schedule.*field.member == 0) continue;
    json[std::string(field.name)] = schedule.*field.member;
  }
  return json.dump();
}

Result<ConvSchedule> parseConvSchedule(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto fields = codegen::blocked::convScheduleFields();
  const auto is_absent = [&](const codegen::blocked::ConvScheduleField& field) {
    return field.is_optional && !json.contains(std::string(field.name));
  };
  if (!json.is_object() ||
      json.size() + static_cast<size_t>(std::ranges::count_if(fields, is_absent)) !=
          fields.size()) {
    return invalidArgument("no schedule of a convolution for a CPU");
  }
  ConvSchedule schedule;
  for (const codegen::blocked::ConvScheduleField& field : fields) {
    if (is_absent(field)) continue;
    const Json value = json.value(std::string(field.name), Json());
    if (!value.is_number_unsigned() || value.get<uint64_t>() > kMostExtent) {
      return invalidArgument(fmt::format(
          "a schedule of a convolution needs {}, a number from 0 to {}", field.name, kMostExtent));
    }
    schedule.*field.member = value.get<int64_t>();
  }
  return schedule;
}

}  // namespace vta::tune
