#include "driver/remote/protocol/secret_file.h"

#include <fmt/format.h>

#include <system_error>

#include "base/files.h"

namespace vta::remote {

Result<std::string> readSecretFile(const std::filesystem::path& path) {
  using std::filesystem::perms;
  VTA_RETURN_IF_ERROR(requireRegularFile(path));
  std::error_code error;
  const perms mode = std::filesystem::status(path, error).permissions();
  if (error) return ioError(fmt::format("{}: {}", path.string(), error.message()));
  if ((mode & (perms::group_all | perms::others_all)) != perms::none) {
    return invalidArgument(
        fmt::format("{}: other users may open it (mode {:o}), and it holds secrets; run "
                    "'chmod 600 {}'",
                    path.string(), static_cast<unsigned>(mode & perms::mask), path.string()));
  }
  constexpr uint64_t kMostBytes = 1 << 20;
  return readTextFile(path, kMostBytes);
}

}  // namespace vta::remote
