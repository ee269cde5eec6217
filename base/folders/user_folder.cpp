#include "base/folders/user_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace vta {

namespace fs = std::filesystem;

fs::path userCacheFolder() {
  const auto folder = [](const char* variable) {
    const char* value = std::getenv(variable);
    return fs::path(value != nullptr ? value : "");
  };
  if (const fs::path own = folder("VTA_CACHE_DIR"); !own.empty()) return own;
  if (const fs::path cache = folder("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "vta";
  if (const fs::path home = folder("HOME"); home.is_absolute()) return home / ".cache" / "vta";
  if (const fs::path run = folder("XDG_RUNTIME_DIR"); run.is_absolute()) return run / "vta";
  return {};
}

Status makeOwnFolder(const fs::path& path) {
  std::error_code error;
  const fs::path parent = path.parent_path();
  if (!parent.empty() && parent != path && !fs::exists(parent, error)) {
    VTA_RETURN_IF_ERROR(makeOwnFolder(parent));
  }
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return ioError(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  }
  if (!fs::is_directory(path, error)) {
    return ioError(fmt::format("{} is not a folder", path.string()));
  }
  return {};
}

}  // namespace vta
