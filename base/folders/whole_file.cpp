#include "base/folders/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace vta {

int createBeside(const std::filesystem::path& file, mode_t mode, std::string& name) {
  for (int attempt = 0;; ++attempt) {
    name = fmt::format("{}.{}-{}.part", file.string(), getpid(), attempt);
    const int descriptor = open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
}

int writeAndClose(int descriptor, std::span<const std::byte> content) {
  int error = 0;
  while (error == 0 && !content.empty()) {
    const ssize_t written = write(descriptor, content.data(), content.size());
    if (written > 0) {
      content = content.subspan(static_cast<size_t>(written));
    } else if (written == 0) {
      error = EIO;
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  // Some file systems report a full disk only here.
  if (close(descriptor) != 0 && error == 0) error = errno;
  return error;
}

int writeWhole(const std::filesystem::path& file, std::span<const std::byte> content, mode_t mode) {
  std::string beside;
  const int descriptor = createBeside(file, mode, beside);
  if (descriptor < 0) return errno;
  int error = writeAndClose(descriptor, content);
  if (error == 0 && std::rename(beside.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0) unlink(beside.c_str());
  return error;
}

}  // namespace vta
