#include "base/process/find_program.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <system_error>

namespace vta {

namespace fs = std::filesystem;

std::vector<fs::path> programFolders() {
  const char* path = std::getenv("PATH");
  std::istringstream list(path != nullptr ? path : "/usr/bin:/bin");
  std::vector<fs::path> folders;
  for (std::string folder; std::getline(list, folder, ':');) {
    folders.emplace_back(folder.empty() ? "." : folder);
  }
  return folders;
}

fs::path findProgram(std::string_view name, std::span<const fs::path> folders) {
  for (const fs::path& folder : folders) {
    const fs::path file = folder / name;
    std::error_code error;
    if (access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, error)) return file;
  }
  return {};
}

fs::path findProgram(std::string_view name) { return findProgram(name, programFolders()); }

}  // namespace vta
