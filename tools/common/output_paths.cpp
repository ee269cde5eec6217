#include "tools/common/output_paths.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <tuple>

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

/// What a path stands for: an existing file by its device and number, and a file that is yet to be
/// made by its folder's and its own name.
using Identity = std::tuple<dev_t, ino_t, std::string>;

fs::path folderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// None for a device, which may be named twice, and for what has no folder.
std::optional<Identity> identify(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return std::nullopt;
    return Identity(status.st_dev, status.st_ino, "");
  }
  const fs::path normal = fs::path(path).lexically_normal();
  if (stat(folderOf(normal).c_str(), &status) != 0) return std::nullopt;
  return Identity(status.st_dev, status.st_ino, normal.filename().string());
}

Status checkFolder(const NamedPath& named, const fs::path& folder) {
  struct stat status = {};
  const auto problem = [&](const char* text) {
    return ioError(fmt::format("{}: cannot write '{}': {}", named.option, named.path, text));
  };
  if (stat(folder.c_str(), &status) != 0) return problem(std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) {
    return problem(fmt::format("'{}' is not a folder", folder.string()).c_str());
  }
  return access(folder.c_str(), W_OK | X_OK) == 0 ? Status() : problem(std::strerror(errno));
}

Status checkOutput(const NamedPath& output) {
  struct stat status = {};
  if (stat(output.path.c_str(), &status) != 0) return checkFolder(output, folderOf(output.path));
  if (S_ISDIR(status.st_mode)) {
    return invalidArgument(
        fmt::format("{}: '{}' is a folder; give a file's name", output.option, output.path));
  }
  if (S_ISREG(status.st_mode)) return checkFolder(output, folderOf(output.path));
  if (access(output.path.c_str(), W_OK) == 0) return {};
  return ioError(
      fmt::format("{}: cannot write '{}': {}", output.option, output.path, std::strerror(errno)));
}

/// The folder, or where it is missing the nearest one above it that exists.
Status checkOutputFolder(const NamedPath& output) {
  std::error_code error;
  fs::path folder = fs::path(output.path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // it ended in a slash
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folderOf(folder);
  return checkFolder(output, folder);
}

Status checkDistinct(const NamedPath& output, const NamedPath& other, bool other_is_read) {
  const auto identity = identify(output.path);
  if (!identity || identity != identify(other.path)) return {};
  const bool is_same_text = output.path == other.path;
  return invalidArgument(
      fmt::format("{}: '{}' is also {} {}{}; choose another name", output.option, output.path,
                  other_is_read ? "read as" : "written by", other.option,
                  is_same_text ? std::string() : fmt::format(", under the name '{}'", other.path)));
}

}  // namespace

Status checkPaths(const PathUse& use) {
  std::vector<NamedPath> outputs;
  for (const NamedPath& output : use.outputs) {
    if (output.path.empty()) continue;
    VTA_RETURN_IF_ERROR(checkOutput(output));
    outputs.push_back(output);
  }
  for (const NamedPath& folder : use.output_folders) {
    if (folder.path.empty()) continue;
    VTA_RETURN_IF_ERROR(checkOutputFolder(folder));
    outputs.push_back(folder);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (const NamedPath& input : use.inputs) {
      if (input.path.empty()) continue;
      VTA_RETURN_IF_ERROR(checkDistinct(outputs[i], input, /*other_is_read=*/true));
    }
    for (size_t j = 0; j < i; ++j) {
      VTA_RETURN_IF_ERROR(checkDistinct(outputs[i], outputs[j], /*other_is_read=*/false));
    }
  }
  return {};
}

std::string pathOf(const std::string& argument) {
  const size_t equals = argument.find('=');
  std::error_code error;
  if (equals == std::string::npos || fs::exists(argument, error)) return argument;
  return argument.substr(equals + 1);
}

}  // namespace vta::tools
