// Files of HwConfig. Alone, so that programs without a file system have the rest.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "base/files.h"
#include "isa/config/extension_folder.h"
#include "isa/config/hw_config.h"

namespace vta {

Result<HwConfig> loadHwConfig(const std::filesystem::path& path) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) {
    return notFound(fmt::format("{}: no such hardware configuration file", path.string()));
  }
  if (std::filesystem::is_directory(path, ec)) {
    return invalidArgument(
        fmt::format("{} is a directory; give a hardware configuration file", path.string()));
  }
  VTA_ASSIGN_OR_RETURN(const std::string text, readTextFile(path));
  return parseHwConfig(text, path.string(), [&](std::string_view name) {
    return loadExtension(path.parent_path() / name);
  });
}

}  // namespace vta
