#include "compiler/module/linker.h"

#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Signals.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

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

/// A file that is removed when this goes out of scope, or when a signal ends the process.
class TemporaryFile {
 public:
  ~TemporaryFile() {
    if (path_.empty()) return;
    // If it stays: the system cleans its folder for temporary files.
    [[maybe_unused]] const std::error_code stays = llvm::sys::fs::remove(path_);
    llvm::sys::DontRemoveFileOnSignal(path_);
  }
  Status create() {
    if (const std::error_code error =
            llvm::sys::fs::createTemporaryFile("vta-module", "so", path_)) {
      return ioError(fmt::format("cannot create a temporary file: {}", error.message()));
    }
    llvm::sys::RemoveFileOnSignal(path_);
    return {};
  }
  const char* path() { return path_.c_str(); }

 private:
  llvm::SmallString<128> path_;
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

Result<std::vector<std::byte>> linkSharedObject(
    std::span<const std::span<const std::byte>> objects) {
  TemporaryFile output;
  VTA_RETURN_IF_ERROR(output.create());
  std::vector<std::string> arguments = {
      "ld.lld",      "-shared", "--hash-style=gnu", "--build-id=none", "-z",
      "noexecstack", "-o",      output.path()};
  std::vector<MemoryFile> files(objects.size());
  for (size_t i = 0; i < objects.size(); ++i) {
    VTA_RETURN_IF_ERROR(files[i].write(objects[i]));
    arguments.push_back(files[i].path());
  }
  VTA_RETURN_IF_ERROR(runLld(arguments));

  const auto linked = llvm::MemoryBuffer::getFile(output.path(), /*IsText=*/false,
                                                  /*RequiresNullTerminator=*/false);
  if (!linked) {
    return ioError(fmt::format("cannot read the linked module: {}", linked.getError().message()));
  }
  const auto* begin = reinterpret_cast<const std::byte*>((*linked)->getBufferStart());
  return std::vector<std::byte>(begin, begin + (*linked)->getBufferSize());
}

}  // namespace vta::compiler
