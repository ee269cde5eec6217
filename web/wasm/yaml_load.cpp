// vta::loadYaml by the page's YAML parser.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/yaml_section.h"
#include "web/wasm/imports.h"

namespace vta {
namespace {

using Json = nlohmann::json;
using Data = YAML::Node::Data;

/// A node is [line, column, value]: a text, null, {"items": [...]} or {"entries": [[key, value]]}.
YAML::Node nodeOf(const Json& json) {
  auto data = std::make_shared<Data>();
  data->mark = {json[0].get<int>(), json[1].get<int>()};
  const Json& value = json[2];
  if (value.is_null()) {
    data->kind = YAML::Node::Kind::kNull;
  } else if (value.is_string()) {
    data->kind = YAML::Node::Kind::kScalar;
    data->scalar = value.get<std::string>();
  } else if (value.contains("items")) {
    data->kind = YAML::Node::Kind::kSequence;
    for (const Json& item : value["items"]) data->entries.emplace_back(nodeOf(item));
  } else {
    data->kind = YAML::Node::Kind::kMap;
    for (const Json& entry : value["entries"]) {
      data->entries.emplace_back(nodeOf(entry[0]), nodeOf(entry[1]));
    }
  }
  return YAML::Node(std::move(data));
}

}  // namespace

Result<YAML::Node> loadYaml(std::string_view text, std::string_view source) {
  const Json answer = Json::parse(web::parseYaml(text));
  if (!answer.contains("error")) return nodeOf(answer["tree"]);
  return invalidArgument(fmt::format("{}:{}:{}: {}", source, answer["line"].get<int>() + 1,
                                     answer["column"].get<int>() + 1,
                                     answer["error"].get<std::string>()));
}

}  // namespace vta
