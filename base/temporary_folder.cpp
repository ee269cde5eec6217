#include "base/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace vta {

Result<TemporaryFolder> TemporaryFolder::create(std::string_view prefix,
                                                const std::filesystem::path& where) {
  std::string name = (where / fmt::format("{}-XXXXXX", prefix)).string();
  if (mkdtemp(name.data()) != nullptr) return TemporaryFolder(name);
  return ioError(fmt::format("{}: cannot make a folder: {}", where.string(), std::strerror(errno)));
}

Result<TemporaryFolder> TemporaryFolder::create(std::string_view prefix) {
  std::error_code error;
  const std::filesystem::path where = std::filesystem::temp_directory_path(error);
  return create(prefix, error ? "/tmp" : where);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(other.release()) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryFolder::release() { return std::exchange(path_, {}); }

}  // namespace vta
