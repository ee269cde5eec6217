#include "tools/vta_dataset/dataset_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "explore/tune/database/database.h"
#include "explore/tune/dataset/columns.h"
#include "explore/tune/dataset/part.h"
#include "tools/common/files.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "vta-dataset 1";
constexpr const char* kDescription = "data-set.json";

Json columnsJson() {
  Json json = Json::array();
  for (const tune::Column& column : tune::dataSetColumns()) {
    json.push_back(
        {{"name", column.name}, {"type", column.is_wide ? "<i8" : "<i4"}, {"doc", column.doc}});
  }
  return json;
}

int64_t partsOf(int64_t points) { return (points + tune::kPointsOfPart - 1) / tune::kPointsOfPart; }

}  // namespace

int64_t DatasetFolder::parts() const { return partsOf(points_); }

int64_t DatasetFolder::pointsOf(int64_t part) const {
  return std::min(tune::kPointsOfPart, points_ - part * tune::kPointsOfPart);
}

std::filesystem::path DatasetFolder::fileOf(int64_t part) const {
  return folder_ / fmt::format("points-{:05}.npz", part);
}

std::vector<int64_t> DatasetFolder::missing() const {
  std::vector<int64_t> found;
  for (int64_t part = 0; part < parts(); ++part) {
    std::error_code error;
    if (!std::filesystem::exists(fileOf(part), error)) found.push_back(part);
  }
  return found;
}

Status DatasetFolder::writePart(int64_t part, const std::string& file) const {
  std::error_code error;
  // A part that is missing is no file yet: such a link was put there to have something written.
  if (std::filesystem::is_symlink(fileOf(part), error)) {
    return invalidArgument(fmt::format("'{}' is a link to a file that is not there: remove it",
                                       fileOf(part).string()));
  }
  return writeFile(fileOf(part), file);
}

Status DatasetFolder::writeDescription(uint64_t seed) const {
  const Json json = {
      {"format", kFormat}, {"compiler", tune::kCompilerVersion},    {"seed", seed},
      {"points", points_}, {"points_of_part", tune::kPointsOfPart}, {"columns", columnsJson()}};
  return writeFile(folder_ / kDescription, json.dump(1) + "\n");
}

Status DatasetFolder::takeOver(uint64_t seed) const {
  const std::filesystem::path description = folder_ / kDescription;
  VTA_ASSIGN_OR_RETURN(const std::string text, readTextFile(description));
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto isEqual = [&json](const char* key, const Json& value) {
    return json.is_object() && json.contains(key) && json[key] == value;
  };
  if (!isEqual("format", kFormat) || !json.contains("points") ||
      !json["points"].is_number_unsigned()) {
    return invalidArgument(fmt::format("'{}' does not describe a data set", description.string()));
  }
  if (!isEqual("seed", seed)) {
    return invalidArgument(fmt::format(
        "'{}' has points of the seed {}: give --seed {}, or another folder", folder_.string(),
        json.value("seed", Json()).dump(), json.value("seed", Json()).dump()));
  }
  if (!isEqual("compiler", tune::kCompilerVersion) || !isEqual("columns", columnsJson()) ||
      !isEqual("points_of_part", tune::kPointsOfPart)) {
    return invalidArgument(
        fmt::format("'{}' has points of another version of this program: take "
                    "another folder",
                    folder_.string()));
  }
  const auto before = json["points"].get<int64_t>();
  if (before > points_) {
    return invalidArgument(
        fmt::format("'{}' is a data set of {} points already: give --points {} or "
                    "more, or another folder",
                    folder_.string(), before, before));
  }
  if (before == points_ || before % tune::kPointsOfPart == 0) return {};
  // Its last part has fewer points than it is to have now.
  std::error_code error;
  std::filesystem::remove(fileOf(partsOf(before) - 1), error);
  return error ? ioError(fmt::format("cannot remove '{}': {}", fileOf(partsOf(before) - 1).string(),
                                     error.message()))
               : Status();
}

Result<DatasetFolder> DatasetFolder::open(const std::filesystem::path& path, int64_t points,
                                          uint64_t seed) {
  DatasetFolder folder(path, points);
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    return ioError(fmt::format("cannot make the folder '{}': {}", path.string(), error.message()));
  }
  if (std::filesystem::exists(path / kDescription, error)) {
    VTA_RETURN_IF_ERROR(folder.takeOver(seed));
  } else if (!std::filesystem::is_empty(path, error)) {
    return invalidArgument(
        fmt::format("the folder '{}' is not empty and holds no data set: give "
                    "another one",
                    path.string()));
  }
  VTA_RETURN_IF_ERROR(folder.writeDescription(seed));
  return folder;
}

}  // namespace vta::tools
