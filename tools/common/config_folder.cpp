#include "tools/common/config_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "base/closest_name.h"

namespace vta::tools {

namespace fs = std::filesystem;

std::optional<fs::path> findConfigFolder() {
  std::error_code error;
  fs::path start = fs::read_symlink("/proc/self/exe", error);
  for (; !start.empty(); start = start.parent_path()) {
    for (const char* configs : {"configs/hw", "share/vta/configs/hw"}) {
      if (fs::is_directory(start / configs, error)) return start / configs;
    }
    if (start == start.root_path()) break;
  }
  return std::nullopt;
}

std::vector<std::string> configNames() {
  std::vector<std::string> names;
  const auto folder = findConfigFolder();
  if (!folder) return names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder, error)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string resolveConfigName(std::string& text) {
  const bool is_path = text.find('/') != std::string::npos || text.ends_with(".yaml");
  if (is_path) return "";
  const auto folder = findConfigFolder();
  if (!folder) return "";  // whoever reads the file knows what to say
  const std::vector<std::string> names = configNames();
  if (std::ranges::find(names, text) != names.end()) {
    text = (*folder / (text + ".yaml")).string();
    return "";
  }
  std::error_code error;
  if (fs::exists(text, error)) return "";
  return fmt::format("'{}' is neither a file nor a configuration of {} ({}){}", text,
                     folder->string(), fmt::join(names, ", "), suggestion(text, names));
}

}  // namespace vta::tools
