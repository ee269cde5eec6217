#include "driver/flash/board/system.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "base/files.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every libc declares it

namespace vta::flash {
namespace {

constexpr size_t kMaxAttributeBytes = 64 * 1024;

/// Closes a descriptor at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

/// All that comes until the end of the file.
std::string readAll(int descriptor, size_t max_bytes) {
  std::string text;
  std::array<char, 4096> block{};
  while (text.size() < max_bytes) {
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(block.data(), static_cast<size_t>(count));
  }
  return text;
}

Status writeOnce(const std::filesystem::path& path, int flags, std::span<const std::byte> data) {
  const Descriptor file(::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0644));
  if (file.number() < 0) return accessError("write", path, errno);
  size_t done = 0;
  while (done < data.size()) {
    const ssize_t count = ::write(file.number(), data.data() + done, data.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return accessError("write", path, errno);
    done += static_cast<size_t>(count);
  }
  return {};
}

bool hasContent(const std::filesystem::path& path, std::span<const std::byte> data) {
  const auto found = readFile(path);
  return found.ok() && std::ranges::equal(*found, data);
}

/// The last lines of what a command printed.
std::string endOf(const std::string& output) {
  constexpr size_t kMost = 600;
  std::string end = output.size() > kMost ? output.substr(output.size() - kMost) : output;
  while (!end.empty() && end.back() == '\n') end.pop_back();
  return end.empty() ? "it printed nothing" : end;
}

}  // namespace

Status accessError(std::string_view action, const std::filesystem::path& file, int error) {
  const bool is_denied = error == EACCES || error == EPERM || error == EROFS;
  const std::string text =
      fmt::format("cannot {} '{}': {}", action, file.string(), std::strerror(error));
  if (error == ENOENT) return notFound(text);
  if (!is_denied) return ioError(text);
  return ioError(
      text +
      "; become a member of the group that scripts/board/setup made (docs/board-setup.md, "
      "'Permissions'), or run this as root");
}

std::filesystem::path System::at(std::string_view absolute) const {
  return root_ / std::filesystem::path(absolute).relative_path();
}

bool System::exists(std::string_view absolute) const {
  std::error_code error;
  return std::filesystem::exists(at(absolute), error);
}

std::vector<std::string> System::list(std::string_view folder) const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(at(folder), error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

Result<std::string> System::readAttribute(std::string_view file) const {
  const std::filesystem::path path = at(file);
  const Descriptor attribute(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (attribute.number() < 0) return accessError("read", path, errno);
  std::string text = readAll(attribute.number(), kMaxAttributeBytes);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
  return text;
}

Status System::writeAttribute(std::string_view file, std::span<const std::byte> data) const {
  return writeOnce(at(file), O_TRUNC, data);
}

Status System::writeAttribute(std::string_view file, std::string_view text) const {
  return writeAttribute(file, std::as_bytes(std::span(text.data(), text.size())));
}

Status System::install(std::string_view file, std::span<const std::byte> data) const {
  const std::filesystem::path path = at(file);
  if (hasContent(path, data)) return {};
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) return accessError("make the folder of", path, error.value());
  const std::filesystem::path partial = path.string() + fmt::format(".{}", ::getpid());
  Status status = writeOnce(partial, O_CREAT | O_TRUNC, data);
  if (status.ok()) {
    std::filesystem::rename(partial, path, error);
    if (error) status = accessError("write", path, error.value());
  }
  if (!status.ok()) std::filesystem::remove(partial, error);
  return status;
}

Status System::install(std::string_view file, std::string_view text) const {
  return install(file, std::as_bytes(std::span(text.data(), text.size())));
}

std::string System::findCommand(const std::string& name) const {
  std::vector<std::filesystem::path> folders;
  if (root_ == "/") {
    const char* path = std::getenv("PATH");
    std::istringstream list(path != nullptr ? path : "");
    for (std::string folder; std::getline(list, folder, ':');) folders.emplace_back(folder);
    folders.emplace_back("/usr/sbin");  // an ordinary user's PATH lacks it
  } else {
    folders.push_back(at("/usr/bin"));
  }
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path file = folder / name;
    if (::access(file.c_str(), X_OK) == 0) return file.string();
  }
  return "";
}

Result<std::string> System::run(const std::vector<std::string>& command) const {
  const std::string program = findCommand(command.front());
  if (program.empty()) {
    return notFound(fmt::format("no command '{}' on this machine; install it", command.front()));
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return ioError("cannot make a pipe");
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, to.number(), STDERR_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return accessError("run", program, error);
  to.close();
  std::string output = readAll(from.number(), SIZE_MAX);
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return output;
  return ioError(fmt::format("'{}' failed: {}", fmt::join(command, " "), endOf(output)));
}

}  // namespace vta::flash
