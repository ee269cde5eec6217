#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/descriptor.h"

namespace vta {
namespace {

Status failure(const std::filesystem::path& path, int error) {
  const auto code = error == ENOENT ? StatusCode::kNotFound : StatusCode::kIoError;
  return {code, fmt::format("cannot read '{}': {}", path.string(), std::strerror(error))};
}

/// Nothing for a regular file, else what a user calls it.
const char* specialKind(mode_t mode) {
  if (S_ISREG(mode)) return nullptr;
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

Status requireRegular(const std::filesystem::path& path, const struct stat& status) {
  const char* kind = specialKind(status.st_mode);
  if (kind == nullptr) return {};
  return invalidArgument(fmt::format("'{}' is {}, not a file", path.string(), kind));
}

// Without waiting: a pipe that nobody writes to would be waited for.
Descriptor openForReading(const std::filesystem::path& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

/// Bytes is a vector of bytes or a string.
template <typename Bytes>
Result<Bytes> readAll(const std::filesystem::path& path, uint64_t max_bytes) {
  VTA_RETURN_IF_ERROR(requireRegularFile(path));  // opening a device may already do something
  const Descriptor file = openForReading(path);
  struct stat status = {};
  if (!file.isOpen() || fstat(file.number(), &status) != 0) return failure(path, errno);
  VTA_RETURN_IF_ERROR(requireRegular(path, status));
  const auto tooLarge = [&] {
    return invalidArgument(fmt::format("'{}' is larger than {} bytes, the most that is read",
                                       path.string(), max_bytes));
  };
  const auto told_bytes = static_cast<uint64_t>(status.st_size);
  if (told_bytes > max_bytes) return tooLarge();
  Bytes data;
  // Files below /proc tell no size, and any file may grow meanwhile.
  uint64_t chunk_bytes = std::max<uint64_t>(told_bytes + 1, 1 << 16);
  while (true) {
    const size_t start = data.size();
    data.resize(start + chunk_bytes);
    const ssize_t count = read(file.number(), data.data() + start, chunk_bytes);
    data.resize(start + static_cast<size_t>(std::max<ssize_t>(0, count)));
    if (count < 0 && errno != EINTR) return failure(path, errno);
    if (count == 0) return data;
    if (data.size() > max_bytes) return tooLarge();
    chunk_bytes = 1 << 16;
  }
}

}  // namespace

Status requireRegularFile(const std::filesystem::path& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return failure(path, errno);
  return requireRegular(path, status);
}

Result<std::vector<std::byte>> readFile(const std::filesystem::path& path, uint64_t max_bytes) {
  return readAll<std::vector<std::byte>>(path, max_bytes);
}

Result<std::string> readTextFile(const std::filesystem::path& path, uint64_t max_bytes) {
  return readAll<std::string>(path, max_bytes);
}

}  // namespace vta
