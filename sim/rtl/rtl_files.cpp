#include "sim/rtl/rtl_files.h"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace vta::sim {

Result<std::vector<std::filesystem::path>> rtlFiles(const std::filesystem::path& directory) {
  std::ifstream list(directory / "files.f");
  if (!list.is_open()) {
    return notFound(
        fmt::format("the RTL's sources are not in {}; set VTA_RTL_DIR to the folder with files.f",
                    directory.string()));
  }
  std::vector<std::filesystem::path> files;
  for (std::string line; std::getline(list, line);) {
    const bool is_file = !line.empty() && line[0] != '#' && !line.starts_with("//");
    if (is_file) files.push_back(directory / line);
  }
  return files;
}

}  // namespace vta::sim
