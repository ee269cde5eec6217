// --preprocess FILE: YAML.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/closest_name.h"
#include "base/yaml_section.h"
#include "tools/inputs/formats.h"
#include "tools/inputs/preprocess.h"

namespace vta::tools {
namespace {

/// Reads keys of one YAML mapping; the first problem ends it.
class YamlReader {
 public:
  explicit YamlReader(std::string_view source_name) : source_name_(source_name) {}

  Status problem(const YAML::Node& node, const std::string& text) const {
    const YAML::Mark mark = node.Mark();
    return invalidArgument(
        fmt::format("{}:{}:{}: {}", source_name_, mark.line + 1, mark.column + 1, text));
  }

  Result<double> number(const YAML::Node& node, const std::string& key) const {
    double value = 0;
    if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || !std::isfinite(value)) {
      return problem(node, fmt::format("'{}' is not a number", key));
    }
    return value;
  }

  Result<std::vector<double>> numbers(const YAML::Node& node, const std::string& key) const {
    if (!node.IsSequence() || (node.size() != 1 && node.size() != 3)) {
      return problem(node, fmt::format("'{}' is not a list of 1 or 3 numbers", key));
    }
    std::vector<double> values;
    for (const YAML::Node& element : node) {
      VTA_ASSIGN_OR_RETURN(const double value, number(element, key));
      values.push_back(value);
    }
    return values;
  }

  template <typename T>
  Result<T> choice(const YAML::Node& node, const std::string& key,
                   const std::map<std::string, T>& choices) const {
    if (node.IsScalar()) {
      if (const auto found = choices.find(node.Scalar()); found != choices.end()) {
        return found->second;
      }
    }
    const auto names = namesOf(choices, [](const auto& choice) { return choice.first; });
    const std::string given = node.IsScalar() ? node.Scalar() : "";
    return problem(node, fmt::format("'{}' is not one of {}{}", key, fmt::join(names, ", "),
                                     suggestion(given, names)));
  }

 private:
  std::string source_name_;
};

Status readSize(const YamlReader& reader, const YAML::Node& node, Preprocess& out) {
  if (!node.IsSequence() || node.size() != 2) {
    return reader.problem(node, "'size' is not [height, width]");
  }
  VTA_ASSIGN_OR_RETURN(const double height, reader.number(node[0], "size"));
  VTA_ASSIGN_OR_RETURN(const double width, reader.number(node[1], "size"));
  if (height < 1 || width < 1 || height > kMaxImageExtent || width > kMaxImageExtent) {
    return reader.problem(node, fmt::format("'size' is not from 1 to {}", kMaxImageExtent));
  }
  out.size = {static_cast<int>(height), static_cast<int>(width)};
  return {};
}

Status readKey(const YamlReader& reader, const std::string& key, const YAML::Node& node,
               Preprocess& out) {
  using Color = Preprocess::Color;
  using Resize = Preprocess::Resize;
  if (key == "size") return readSize(reader, node, out);
  if (key == "color") {
    const std::map<std::string, Color> colors = {
        {"RGB", Color::kRgb}, {"BGR", Color::kBgr}, {"GRAY", Color::kGray}};
    VTA_ASSIGN_OR_RETURN(out.color, reader.choice(node, key, colors));
  } else if (key == "resize") {
    const std::map<std::string, Resize> modes = {{"stretch", Resize::kStretch},
                                                 {"center_crop", Resize::kCenterCrop}};
    VTA_ASSIGN_OR_RETURN(out.resize, reader.choice(node, key, modes));
  } else if (key == "scale") {
    VTA_ASSIGN_OR_RETURN(out.scale, reader.number(node, key));
  } else if (key == "mean") {
    VTA_ASSIGN_OR_RETURN(out.mean, reader.numbers(node, key));
  } else if (key == "std") {
    VTA_ASSIGN_OR_RETURN(out.std, reader.numbers(node, key));
    if (std::ranges::find(out.std, 0.0) != out.std.end()) {
      return reader.problem(node, "'std' holds a zero");
    }
  } else if (key == "crop_fraction") {
    VTA_ASSIGN_OR_RETURN(out.crop_fraction, reader.number(node, key));
    if (out.crop_fraction < 0.1 || out.crop_fraction > 1) {
      return reader.problem(node, "'crop_fraction' is not from 0.1 to 1");
    }
  } else {
    const std::vector<std::string> known = {"color", "size", "resize", "crop_fraction",
                                            "scale", "mean", "std"};
    return reader.problem(node, fmt::format("unknown key '{}'; known: {}{}", key,
                                            fmt::join(known, ", "), suggestion(key, known)));
  }
  return {};
}

}  // namespace

Result<Preprocess> parsePreprocess(std::string_view yaml, std::string_view source_name) {
  const YamlReader reader(source_name);
  VTA_ASSIGN_OR_RETURN(const YAML::Node root, loadYaml(yaml, source_name));
  if (!root.IsMap()) return reader.problem(root, "not a mapping of keys to values");
  Preprocess preprocess;
  std::map<std::string, bool> seen;
  for (const auto& entry : root) {
    if (!entry.first.IsScalar()) return reader.problem(entry.first, "a key is not a name");
    const std::string key = entry.first.Scalar();
    VTA_RETURN_IF_ERROR(readKey(reader, key, entry.second, preprocess));
    seen[key] = true;
  }
  for (const char* key : {"color", "resize", "scale", "mean", "std"}) {
    if (!seen.contains(key)) {
      return invalidArgument(fmt::format("{}: the key '{}' is missing", source_name, key));
    }
  }
  return preprocess;
}

}  // namespace vta::tools

// What a program that links this reader names, so that the linker keeps it (CMakeLists.txt).
extern "C" {
extern const bool vta_preprocess_files;
const bool vta_preprocess_files = vta::tools::registerPreprocessReader(vta::tools::parsePreprocess);
}
