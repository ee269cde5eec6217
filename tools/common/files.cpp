#include "tools/common/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace vta::tools {
namespace {

// The file being written, for the signal handler: one at a time, since tools write one at a time.
char pending_path[4096];
std::atomic<bool> has_pending_path = false;

void removePendingFile(int signal_number) {
  if (has_pending_path.load()) unlink(pending_path);
  // The default action was restored by SA_RESETHAND: the exit status shows the signal.
  raise(signal_number);
}

/// While alive, a signal that ends the process removes `path` first.
class RemoveOnSignal {
 public:
  explicit RemoveOnSignal(const std::string& path) {
    if (path.size() >= sizeof(pending_path)) return;
    std::memcpy(pending_path, path.c_str(), path.size() + 1);
    has_pending_path = true;
    struct sigaction action = {};
    action.sa_handler = removePendingFile;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &previous_[i]);
  }
  ~RemoveOnSignal() {
    if (!has_pending_path) return;
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &previous_[i], nullptr);
    has_pending_path = false;
  }
  RemoveOnSignal(const RemoveOnSignal&) = delete;
  RemoveOnSignal& operator=(const RemoveOnSignal&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> previous_ = {};
};

Status failure(const std::filesystem::path& path, const char* action, int error) {
  const auto code = error == ENOENT                      ? StatusCode::kNotFound
                    : error == ENOSPC || error == EDQUOT ? StatusCode::kResourceExhausted
                                                         : StatusCode::kIoError;
  return {code, fmt::format("cannot {} '{}': {}", action, path.string(), std::strerror(error))};
}

/// Writes everything and closes the descriptor; 0 or errno.
int writeAndClose(int descriptor, std::span<const std::byte> data) {
  int error = 0;
  while (error == 0 && !data.empty()) {
    const ssize_t written = write(descriptor, data.data(), data.size());
    if (written >= 0) {
      data = data.subspan(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (close(descriptor) != 0 && error == 0) error = errno;
  return error;
}

bool isSpecial(const std::filesystem::path& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

Status writeDirectly(const std::filesystem::path& path, std::span<const std::byte> data) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const int error = descriptor < 0 ? errno : writeAndClose(descriptor, data);
  return error == 0 ? Status() : failure(path, "write", error);
}

}  // namespace

Result<std::vector<std::byte>> readFile(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failure(path, "read", errno);
  struct stat status = {};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    close(descriptor);
    return invalidArgument(fmt::format("'{}' is a directory", path.string()));
  }
  std::vector<std::byte> data;
  constexpr size_t kChunkBytes = size_t{1} << 20;
  ssize_t count = 0;
  do {
    const size_t start = data.size();
    data.resize(start + kChunkBytes);
    count = read(descriptor, data.data() + start, kChunkBytes);
    data.resize(start + static_cast<size_t>(count < 0 ? 0 : count));
  } while (count > 0 || (count < 0 && errno == EINTR));
  const int error = errno;
  close(descriptor);
  if (count < 0) return failure(path, "read", error);
  return data;
}

Status writeFile(const std::filesystem::path& path, std::span<const std::byte> data) {
  if (isSpecial(path)) return writeDirectly(path, data);
  std::string beside = path.string() + ".XXXXXX";
  const int descriptor = mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) return failure(path, "write", errno);
  const RemoveOnSignal remove_on_signal(beside);
  fchmod(descriptor, 0644);
  int error = writeAndClose(descriptor, data);
  if (error == 0 && rename(beside.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  unlink(beside.c_str());
  return failure(path, "write", error);
}

Status writeFile(const std::filesystem::path& path, std::string_view text) {
  return writeFile(path, std::as_bytes(std::span(text)));
}

}  // namespace vta::tools
