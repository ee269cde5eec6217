#include "driver/flash/board/system.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/folders/whole_file.h"
#include "base/process/find_program.h"
#include "base/process/run_command.h"

namespace vta::flash {
namespace {

constexpr size_t kMaxAttributeBytes = 64 * 1024;

/// All that comes until the end of the file.
std::string readAll(const Descriptor& file, size_t max_bytes) {
  std::string text;
  std::array<char, 4096> block{};
  while (text.size() < max_bytes) {
    const ssize_t count = ::read(file.number(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(block.data(), static_cast<size_t>(count));
  }
  return text;
}

Status writeAll(const Descriptor& file, const std::filesystem::path& path,
                std::span<const std::byte> data) {
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
  if (!attribute.isOpen()) return accessError("read", path, errno);
  std::string text = readAll(attribute, kMaxAttributeBytes);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
  return text;
}

Status System::writeAttribute(std::string_view file, std::span<const std::byte> data) const {
  const std::filesystem::path path = at(file);
  const Descriptor attribute(::open(path.c_str(), O_TRUNC | O_WRONLY | O_CLOEXEC));
  if (!attribute.isOpen()) return accessError("write", path, errno);
  announceChange();
  return writeAll(attribute, path, data);
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
  constexpr mode_t kForAll = 0644;
  const int failed = writeWhole(path, data, kForAll);
  return failed == 0 ? Status() : accessError("write", path, failed);
}

Status System::install(std::string_view file, std::string_view text) const {
  return install(file, std::as_bytes(std::span(text.data(), text.size())));
}

std::filesystem::path System::findCommand(const std::string& name) const {
  if (root_ != "/") return findProgram(name, std::vector{at("/usr/bin")});
  std::vector<std::filesystem::path> folders = programFolders();
  folders.emplace_back("/usr/sbin");  // an ordinary user's PATH lacks it
  return findProgram(name, folders);
}

Result<std::string> System::run(const std::vector<std::string>& command) const {
  const std::filesystem::path program = findCommand(command.front());
  if (program.empty()) {
    return notFound(fmt::format("no command '{}' on this machine; install it", command.front()));
  }
  std::vector<std::string> argv = command;
  argv.front() = program.string();
  VTA_ASSIGN_OR_RETURN(CommandResult result,
                       runCommand(argv, {.limit = std::nullopt, .merge_errors = true}));
  if (result.end.ok()) return std::move(result.output);
  return ioError(describeFailure(fmt::format("{}", fmt::join(command, " ")), result));
}

}  // namespace vta::flash
