#include "module/module_info.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "module/module_info_check.h"

namespace vta {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 4> kStorageNames = {"host", "device", "constant",
                                                           "device_constant"};
constexpr std::array<std::string_view, 2> kStepKindNames = {"host", "vta"};

/// Reads the members of one JSON object. The first problem is kept in `status` and turns every
/// later call into a no-op, so that a parser reads as a list of fields.
class Fields {
 public:
  Fields(const Json& object, std::string path, Status& status)
      : object_(object), path_(std::move(path)), status_(status) {
    if (!object_.is_object()) fail("", "is not an object");
  }

  void get(const char* key, std::string& out) {
    if (const Json* value = find(key, &Json::is_string, "a string")) {
      out = value->get<std::string>();
    }
  }

  template <typename T>
  requires std::is_integral_v<T>
  void get(const char* key, T& out) {
    if (const Json* value = find(key, &Json::is_number_integer, "an integer")) {
      readInteger(key, *value, out);
    }
  }

  template <typename T>
  requires std::is_integral_v<T>
  void get(const char* key, std::vector<T>& out) {
    forEach(key, [&](const Json& value, const std::string&) {
      T element{};
      if (!value.is_number_integer()) {
        fail(key, "holds something that is not an integer");
      } else {
        readInteger(key, value, element);
      }
      out.push_back(element);
    });
  }

  /// The index of the string `key` in `names`.
  template <size_t N>
  size_t getChoice(const char* key, const std::array<std::string_view, N>& names) {
    std::string text;
    get(key, text);
    for (size_t i = 0; i < N; ++i) {
      if (names[i] == text) return i;
    }
    fail(key, fmt::format("has the unknown value '{}'", text.substr(0, 32)));
    return 0;
  }

  /// Calls visit(element, path) for each element of the array `key`.
  template <typename Visit>
  void forEach(const char* key, Visit visit) {
    const Json* array = find(key, &Json::is_array, "an array");
    if (!array) return;
    for (size_t i = 0; i < array->size() && status_.ok(); ++i) {
      visit((*array)[i], fmt::format("{}{}[{}]", path_, key, i));
    }
  }

  void fail(const std::string& key, std::string_view problem) {
    if (!status_.ok()) return;
    status_ = invalidArgument(fmt::format("module metadata: '{}{}' {}", path_, key, problem));
  }

 private:
  const Json* find(const char* key, bool (Json::*is_type)() const noexcept, const char* type) {
    if (!status_.ok()) return nullptr;
    const auto it = object_.find(key);
    if (it == object_.end()) {
      fail(key, "is missing");
      return nullptr;
    }
    if (!((*it).*is_type)()) {
      fail(key, fmt::format("is not {}", type));
      return nullptr;
    }
    return &*it;
  }

  template <typename T>
  void readInteger(const char* key, const Json& value, T& out) {
    const bool fits = value.is_number_unsigned() ? std::in_range<T>(value.get<uint64_t>())
                                                 : std::in_range<T>(value.get<int64_t>());
    if (!fits) return fail(key, "is out of range");
    out = value.is_number_unsigned() ? static_cast<T>(value.get<uint64_t>())
                                     : static_cast<T>(value.get<int64_t>());
  }

  const Json& object_;
  std::string path_;
  Status& status_;
};

std::string memberPath(const std::string& path) { return path + "."; }

void parseTensor(const Json& json, const std::string& path, TensorInfo& tensor, Status& status) {
  Fields fields(json, memberPath(path), status);
  fields.get("name", tensor.name);
  std::string dtype;
  fields.get("dtype", dtype);
  if (const auto parsed = dtypeFromName(dtype)) {
    tensor.dtype = *parsed;
  } else {
    fields.fail("dtype", "is not a known element type");
  }
  fields.get("shape", tensor.shape);
  tensor.storage = static_cast<Storage>(fields.getChoice("storage", kStorageNames));
  fields.get("offset_bytes", tensor.offset_bytes);
  fields.get("size_bytes", tensor.size_bytes);
  fields.get("part_of", tensor.part_of);
}

void parsePorts(Fields& fields, const char* key, std::vector<PortInfo>& ports, Status& status) {
  fields.forEach(key, [&](const Json& json, const std::string& path) {
    Fields port_fields(json, memberPath(path), status);
    PortInfo& port = ports.emplace_back();
    port_fields.get("name", port.name);
    port_fields.get("tensor", port.tensor);
  });
}

void parseLayer(const Json& json, const std::string& path, LayerInfo& layer, Status& status) {
  Fields fields(json, memberPath(path), status);
  fields.get("name", layer.name);
  fields.get("op", layer.op);
  fields.get("where", layer.where);
  fields.get("reason", layer.reason);
  fields.get("macs", layer.macs);
}

void parseStep(const Json& json, const std::string& path, StepInfo& step, Status& status) {
  Fields fields(json, memberPath(path), status);
  step.kind = static_cast<StepInfo::Kind>(fields.getChoice("kind", kStepKindNames));
  fields.get("layer", step.layer);
  fields.get("symbol", step.symbol);
  fields.get("arguments", step.arguments);
  fields.get("num_results", step.num_results);
  fields.get("program", step.program);
  fields.get("buffers", step.buffers);
}

Json portsToJson(const std::vector<PortInfo>& ports) {
  Json array = Json::array();
  for (const PortInfo& port : ports) {
    array.push_back({{"name", port.name}, {"tensor", port.tensor}});
  }
  return array;
}

Json tensorToJson(const TensorInfo& tensor) {
  return {{"name", tensor.name},
          {"dtype", dtypeName(tensor.dtype)},
          {"shape", tensor.shape},
          {"storage", storageName(tensor.storage)},
          {"offset_bytes", tensor.offset_bytes},
          {"size_bytes", tensor.size_bytes},
          {"part_of", tensor.part_of}};
}

Json layerToJson(const LayerInfo& layer) {
  return {{"name", layer.name},
          {"op", layer.op},
          {"where", layer.where},
          {"reason", layer.reason},
          {"macs", layer.macs}};
}

Json stepToJson(const StepInfo& step) {
  return {{"kind", kStepKindNames[static_cast<size_t>(step.kind)]},
          {"layer", step.layer},
          {"symbol", step.symbol},
          {"arguments", step.arguments},
          {"num_results", step.num_results},
          {"program", step.program},
          {"buffers", step.buffers}};
}

template <typename T, typename ToJson>
Json arrayToJson(const std::vector<T>& elements, ToJson to_json) {
  Json array = Json::array();
  for (const T& element : elements) array.push_back(to_json(element));
  return array;
}

}  // namespace

std::string_view sdkVersion() { return VTA_SDK_VERSION; }

std::string_view storageName(Storage storage) {
  return kStorageNames[static_cast<size_t>(storage)];
}

std::string toJson(const ModuleInfo& info) {
  const Json json = {{"model", info.model},
                     {"sdk_version", info.sdk_version},
                     {"target_triple", info.target_triple},
                     {"hw_yaml", info.hw_yaml},
                     {"host_arena_bytes", info.host_arena_bytes},
                     {"device_arena_bytes", info.device_arena_bytes},
                     {"tensors", arrayToJson(info.tensors, tensorToJson)},
                     {"inputs", portsToJson(info.inputs)},
                     {"outputs", portsToJson(info.outputs)},
                     {"layers", arrayToJson(info.layers, layerToJson)},
                     {"programs", arrayToJson(info.programs,
                                              [](const ProgramInfo& program) {
                                                return Json{{"offset_bytes", program.offset_bytes},
                                                            {"size_bytes", program.size_bytes}};
                                              })},
                     {"steps", arrayToJson(info.steps, stepToJson)}};
  // Names come from model files and need not be valid UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ModuleInfo> parseModuleInfo(std::string_view json_text, uint64_t constants_bytes,
                                   uint64_t programs_bytes) {
  const Json json = Json::parse(json_text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return invalidArgument("module metadata: not valid JSON");

  ModuleInfo info;
  Status status;
  Fields fields(json, "", status);
  fields.get("model", info.model);
  fields.get("sdk_version", info.sdk_version);
  fields.get("target_triple", info.target_triple);
  fields.get("hw_yaml", info.hw_yaml);
  fields.get("host_arena_bytes", info.host_arena_bytes);
  fields.get("device_arena_bytes", info.device_arena_bytes);
  fields.forEach("tensors", [&](const Json& element, const std::string& path) {
    parseTensor(element, path, info.tensors.emplace_back(), status);
  });
  parsePorts(fields, "inputs", info.inputs, status);
  parsePorts(fields, "outputs", info.outputs, status);
  fields.forEach("layers", [&](const Json& element, const std::string& path) {
    parseLayer(element, path, info.layers.emplace_back(), status);
  });
  fields.forEach("programs", [&](const Json& element, const std::string& path) {
    Fields program_fields(element, memberPath(path), status);
    ProgramInfo& program = info.programs.emplace_back();
    program_fields.get("offset_bytes", program.offset_bytes);
    program_fields.get("size_bytes", program.size_bytes);
  });
  fields.forEach("steps", [&](const Json& element, const std::string& path) {
    parseStep(element, path, info.steps.emplace_back(), status);
  });
  VTA_RETURN_IF_ERROR(status);
  VTA_RETURN_IF_ERROR(checkModuleInfo(info, constants_bytes, programs_bytes));
  return info;
}

}  // namespace vta
