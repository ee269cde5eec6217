#include "module/metadata_json.h"

#include <nlohmann/json.hpp>

#include "module/metadata_fields.h"

namespace vta {
namespace {

using Json = nlohmann::ordered_json;

class Writer {
 public:
  template <typename T>
  void operator()(const char* key, const T& value) {
    object_[key] = toJson(value);
  }

  template <typename T, typename Names>
  void choice(const char* key, T value, const Names& names) {
    object_[key] = names[static_cast<size_t>(value)];
  }

  Json take() { return std::move(object_); }

 private:
  template <typename T>
  static Json toJson(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else {
      Writer writer;
      metadata::fields(writer, value);
      return writer.take();
    }
  }

  template <typename T>
  static Json toJson(const std::vector<T>& elements) {
    Json array = Json::array();
    for (const T& element : elements) array.push_back(toJson(element));
    return array;
  }

  static Json toJson(const std::optional<HwConfig>& hw) {
    if (!hw) return nullptr;
    const HwConfigValues values = valuesOf(*hw);
    Json object = {{"name", values.name}};
    for (const HwConfigValue& value : values.values) object[value.key] = value.value;
    return object;
  }

  Json object_ = Json::object();
};

}  // namespace

std::string toJson(const ModuleInfo& info) {
  Writer writer;
  metadata::moduleFields(writer, info);
  // Names come from model files and need not be valid UTF-8.
  return writer.take().dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace vta
