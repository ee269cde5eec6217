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
#include <optional>
#include <string>

#include "base/folders/whole_file.h"

namespace vta::tools {
namespace {

// The file being written, for the signal handler: one at a time, since tools write one at a time.
char pending_path[4096];
std::atomic<bool> has_pending_path = false;

/// What ends a process in the middle of its work.
constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

/// While alive, these signals wait: between the making of a file and the handler that knows of it,
/// one would leave the file.
class HoldSignals {
 public:
  HoldSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal_number : kEndingSignals) sigaddset(&held, signal_number);
    pthread_sigmask(SIG_BLOCK, &held, &previous_);
  }
  ~HoldSignals() { pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

 private:
  sigset_t previous_ = {};
};

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
    for (size_t i = 0; i < kEndingSignals.size(); ++i) {
      sigaction(kEndingSignals[i], &action, &previous_[i]);
    }
  }
  ~RemoveOnSignal() {
    if (!has_pending_path) return;
    for (size_t i = 0; i < kEndingSignals.size(); ++i) {
      sigaction(kEndingSignals[i], &previous_[i], nullptr);
    }
    has_pending_path = false;
  }
  RemoveOnSignal(const RemoveOnSignal&) = delete;
  RemoveOnSignal& operator=(const RemoveOnSignal&) = delete;

 private:
  std::array<struct sigaction, kEndingSignals.size()> previous_ = {};
};

Status failure(const std::filesystem::path& path, int error) {
  const auto code = error == ENOENT                      ? StatusCode::kNotFound
                    : error == ENOSPC || error == EDQUOT ? StatusCode::kResourceExhausted
                                                         : StatusCode::kIoError;
  return {code, fmt::format("cannot write '{}': {}", path.string(), std::strerror(error))};
}

bool isSpecial(const std::filesystem::path& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

/// What `path` stands for: a link stays, the file that it points to is written, existing or not.
std::filesystem::path followLinks(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as the kernel
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / next;
  }
  return path;
}

/// Gives the file the permissions of `target`, if that exists.
void keepPermissions(int descriptor, const std::filesystem::path& target) {
  struct stat existing = {};
  if (stat(target.c_str(), &existing) == 0) fchmod(descriptor, existing.st_mode & 0777);
}

Status writeDirectly(const std::filesystem::path& path, std::span<const std::byte> data) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const int error = descriptor < 0 ? errno : writeAndClose(descriptor, data);
  return error == 0 ? Status() : failure(path, error);
}

}  // namespace

Status writeFile(const std::filesystem::path& path, std::span<const std::byte> data) {
  if (isSpecial(path)) return writeDirectly(path, data);
  const std::filesystem::path target = followLinks(path);
  if (std::error_code ignored; std::filesystem::is_symlink(target, ignored)) {
    return failure(path, ELOOP);
  }
  std::string beside;
  int descriptor = -1;
  std::optional<RemoveOnSignal> remove_on_signal;
  {
    const HoldSignals hold;
    descriptor = createBeside(target, 0666, beside);
    if (descriptor < 0) return failure(path, errno);
    remove_on_signal.emplace(beside);
  }
  keepPermissions(descriptor, target);
  int error = writeAndClose(descriptor, data);
  if (error == 0 && rename(beside.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return {};
  unlink(beside.c_str());
  return failure(path, error);
}

Status writeFile(const std::filesystem::path& path, std::string_view text) {
  return writeFile(path, std::as_bytes(std::span(text)));
}

}  // namespace vta::tools
