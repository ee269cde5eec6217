#include "base/folders/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace vta {
namespace {

/// A new file beside `file`, whose name goes to `name`. A negative result leaves errno.
int createBeside(const std::filesystem::path& file, mode_t mode, std::string& name) {
  for (int attempt = 0;; ++attempt) {
    name = fmt::format("{}.{}-{}.part", file.string(), getpid(), attempt);
    const int descriptor = open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
}

int writeAll(int descriptor, std::span<const std::byte> content) {
  while (!content.empty()) {
    const ssize_t written = write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return EIO;
    content = content.subspan(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace

int writeWhole(const std::filesystem::path& file, std::span<const std::byte> content, mode_t mode) {
  std::string beside;
  const int descriptor = createBeside(file, mode, beside);
  if (descriptor < 0) return errno;
  int error = writeAll(descriptor, content);
  // Some file systems report a full disk only here.
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(beside.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0) unlink(beside.c_str());
  return error;
}

}  // namespace vta
