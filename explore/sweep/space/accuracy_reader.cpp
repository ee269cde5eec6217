#include "explore/sweep/space/accuracy_reader.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace vta::sweep {
namespace {

namespace fs = std::filesystem;

bool isThere(const fs::path& path) {
  std::error_code code;
  return fs::exists(path, code);
}

/// "PATH" or "NAME=PATH" with the path below `folder`. Error: there is no such file.
Result<std::string> argumentBelow(const fs::path& folder, const std::string& text) {
  if (isThere(folder / text)) return (folder / text).string();
  const size_t equals = text.find('=');
  if (equals != std::string::npos && isThere(folder / text.substr(equals + 1))) {
    return text.substr(0, equals + 1) + (folder / text.substr(equals + 1)).string();
  }
  return notFound(fmt::format("there is no file or folder '{}'", (folder / text).string()));
}

/// The value or values of `key`: files and folders.
Result<std::vector<std::string>> filesOf(YamlSection& section, const char* key,
                                         const fs::path& folder) {
  VTA_ASSIGN_OR_RETURN(const YAML::Node node, section.node(key));
  std::vector<YAML::Node> items;
  if (!node.IsSequence()) items.push_back(node);
  for (const YAML::Node& item : node) {
    if (node.IsSequence()) items.push_back(item);
  }
  std::vector<std::string> files;
  for (const YAML::Node& item : items) {
    if (!item.IsScalar()) {
      return invalidArgument(
          fmt::format("{}: {} is a file or folder, or a list of them", section.place(item), key));
    }
    auto file = argumentBelow(folder, item.Scalar());
    if (!file.ok()) return file.status().withContext(section.place(item));
    files.push_back(*std::move(file));
  }
  if (!files.empty()) return files;
  return invalidArgument(fmt::format("{}: {} is empty", section.place(node), key));
}

}  // namespace

Result<AccuracyData> readAccuracy(const YAML::Node& node, const std::string& source,
                                  const fs::path& folder) {
  YamlSection section(node, source);
  if (!node.IsMap()) {
    return invalidArgument(
        fmt::format("{}: accuracy is a map with the key samples", section.place(node)));
  }
  for (const char* key : {"samples", "calibrate", "preprocess", "labels"}) section.expect(key);
  VTA_RETURN_IF_ERROR(section.checkAllKnown());
  AccuracyData data;
  data.place = section.place();
  VTA_ASSIGN_OR_RETURN(data.samples, filesOf(section, "samples", folder));
  if (section.has("calibrate")) {
    VTA_ASSIGN_OR_RETURN(data.calibrate, filesOf(section, "calibrate", folder));
  }
  if (section.has("preprocess")) {
    VTA_ASSIGN_OR_RETURN(data.preprocess, section.text("preprocess"));
    if (isThere(folder / data.preprocess)) data.preprocess = (folder / data.preprocess).string();
  }
  if (!section.has("labels")) return data;
  VTA_ASSIGN_OR_RETURN(const std::string labels, section.text("labels"));
  data.labels = folder / labels;
  if (isThere(data.labels)) return data;
  return notFound(
      fmt::format("{}: there is no file '{}'", section.placeOf("labels"), data.labels.string()));
}

}  // namespace vta::sweep
