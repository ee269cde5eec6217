#include "compiler/module/linker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/descriptor.h"

LLD_HAS_DRIVER(elf)

namespace vta::compiler {
namespace {

/// An object in anonymous memory, with a name that lld can open.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("vta-object", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  Status write(std::span<const std::byte> data) {
    while (descriptor_ >= 0 && !data.empty()) {
      const ssize_t written = ::write(descriptor_, data.data(), data.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;
      data = data.subspan(static_cast<size_t>(written));
    }
    if (descriptor_ >= 0 && data.empty()) return {};
    return ioError(fmt::format("cannot prepare an object for linking: {}", std::strerror(errno)));
  }
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

/// A pipe that lld takes for its output. It writes a file through a mapping, which ends the process
/// when the disk is full; what is no regular file it makes in memory, and then writes it.
class OutputPipe {
 public:
  ~OutputPipe() {
    writing_.close();
    if (reader_.joinable()) reader_.join();
  }
  Status open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      return ioError(fmt::format("cannot open a pipe for linking: {}", std::strerror(errno)));
    }
    reading_ = Descriptor(ends[0]);
    writing_ = Descriptor(ends[1]);
    try {
      reader_ = std::thread([this] { readAll(); });
    } catch (const std::system_error& error) {
      return {StatusCode::kResourceExhausted,
              fmt::format("cannot start a thread for linking: {}", error.what())};
    }
    return {};
  }
  std::string path() const { return fmt::format("/proc/self/fd/{}", writing_.number()); }

  /// What has been written; once, after lld has ended.
  Result<std::vector<std::byte>> take() {
    writing_.close();
    reader_.join();
    if (is_too_large_) {
      return Status(StatusCode::kResourceExhausted, "there is not enough memory for the module");
    }
    return std::move(content_);
  }

 private:
  /// Also what finds no room is read: who writes it would wait for ever.
  void readAll() {
    constexpr size_t kPiece = size_t{1} << 16;
    std::array<std::byte, kPiece> piece;
    while (true) {
      const ssize_t count = ::read(reading_.number(), piece.data(), piece.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return;
      try {
        if (!is_too_large_) content_.insert(content_.end(), piece.data(), piece.data() + count);
      } catch (const std::bad_alloc&) {
        is_too_large_ = true;
      }
    }
  }

  Descriptor reading_, writing_;
  std::thread reader_;
  std::vector<std::byte> content_;
  bool is_too_large_ = false;
};

/// The first lines of lld's report, on one line.
std::string condense(std::string report) {
  constexpr size_t kMaxChars = 800;
  while (!report.empty() && report.back() == '\n') report.pop_back();
  for (char& c : report) {
    if (c == '\n') c = ' ';
  }
  if (report.size() > kMaxChars) report = report.substr(0, kMaxChars) + " ...";
  return report.empty() ? "no reason given" : report;
}

Status runLld(const std::vector<std::string>& arguments) {
  static std::mutex mutex;
  static bool usable = true;  // false once lld has crashed: its globals cannot be trusted then
  const std::lock_guard lock(mutex);
  if (!usable) return internalError("the linker failed earlier in this process");

  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  std::string report;
  llvm::raw_string_ostream stream(report);
  const lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode == 0) return {};
  return ioError(fmt::format("linking the module failed: {}", condense(stream.str())));
}

}  // namespace

Result<std::vector<std::byte>> linkSharedObject(std::span<const std::span<const std::byte>> objects,
                                                std::span<const std::string> options) {
  OutputPipe output;
  VTA_RETURN_IF_ERROR(output.open());
  std::vector<std::string> arguments = {
      "ld.lld",      "-shared", "--hash-style=gnu", "--build-id=none", "-z",
      "noexecstack", "-o",      output.path()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  std::vector<MemoryFile> files(objects.size());
  for (size_t i = 0; i < objects.size(); ++i) {
    VTA_RETURN_IF_ERROR(files[i].write(objects[i]));
    arguments.push_back(files[i].path());
  }
  VTA_RETURN_IF_ERROR(runLld(arguments));
  return output.take();
}

}  // namespace vta::compiler
