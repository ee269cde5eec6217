#include "tools/common/config_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "tools/common/closest_name.h"

namespace vta::tools {

namespace fs = std::filesystem;

std::optional<fs::path> findConfigFolder() {
  std::error_code error;
  for (fs::path start : {fs::current_path(error), fs::read_symlink("/proc/self/exe", error)}) {
    for (; !start.empty(); start = start.parent_path()) {
      fs::path folder = start / "configs" / "hw";
      if (fs::is_directory(folder, error)) return folder;
      fs::path installed = start / "share" / "vta" / "configs" / "hw";
      if (fs::is_directory(installed, error)) return installed;
      if (start == start.root_path()) break;
    }
  }
  return std::nullopt;
}

std::string resolveConfigName(std::string& text) {
  std::error_code error;
  const bool is_path = text.find('/') != std::string::npos || text.ends_with(".yaml");
  if (is_path || fs::exists(text, error)) return "";
  const auto folder = findConfigFolder();
  if (!folder) return "";  // whoever reads the file knows what to say
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder, error)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  if (std::ranges::find(names, text) != names.end()) {
    text = (*folder / (text + ".yaml")).string();
    return "";
  }
  return fmt::format("'{}' is neither a file nor a configuration of {} ({}){}", text,
                     folder->string(), fmt::join(names, ", "), suggestion(text, names));
}

}  // namespace vta::tools
