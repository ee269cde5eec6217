#include "driver/runtime/loaded_module.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "module/module_file.h"

namespace vta::driver {
namespace {

/// A file descriptor, closed when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// A whole file mapped for reading.
class MappedFile {
 public:
  ~MappedFile() {
    if (data_ != nullptr) munmap(data_, size_bytes_);
  }
  Status map(const std::filesystem::path& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status = {};
    if (file.number() < 0 || fstat(file.number(), &status) != 0) {
      const auto code = errno == ENOENT ? StatusCode::kNotFound : StatusCode::kIoError;
      return {code, fmt::format("cannot read it: {}", std::strerror(errno))};
    }
    if (!S_ISREG(status.st_mode)) return invalidArgument("not a file");
    if (status.st_size == 0) return invalidArgument("the file is empty");
    size_bytes_ = static_cast<size_t>(status.st_size);
    void* data = mmap(nullptr, size_bytes_, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (data == MAP_FAILED) {
      return ioError(fmt::format("cannot map it: {}", std::strerror(errno)));
    }
    data_ = data;
    return {};
  }
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(data_), size_bytes_};
  }

 private:
  void* data_ = nullptr;
  size_t size_bytes_ = 0;
};

Status writeAll(int descriptor, std::span<const std::byte> data) {
  while (!data.empty()) {
    const ssize_t written = ::write(descriptor, data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return ioError(fmt::format("cannot hold module: {}", std::strerror(errno)));
    data = data.subspan(static_cast<size_t>(written));
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const LoadedModule>> LoadedModule::load(const std::filesystem::path& path) {
  const std::string context = fmt::format("'{}'", path.string());
  MappedFile file;
  VTA_RETURN_IF_ERROR(file.map(path).withContext(context));
  // dlopen searches for names without a slash.
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  std::shared_ptr<LoadedModule> module(new LoadedModule());
  VTA_RETURN_IF_ERROR(
      module->open(file.bytes(), error ? path.string() : absolute.string()).withContext(context));
  return std::shared_ptr<const LoadedModule>(std::move(module));
}

Result<std::shared_ptr<const LoadedModule>> LoadedModule::fromMemory(
    std::span<const std::byte> elf) {
  std::shared_ptr<LoadedModule> module(new LoadedModule());
  module->descriptor_ = memfd_create("vta-module", MFD_CLOEXEC);
  if (module->descriptor_ < 0) {
    return ioError(fmt::format("cannot hold module: {}", std::strerror(errno)));
  }
  VTA_RETURN_IF_ERROR(writeAll(module->descriptor_, elf));
  VTA_RETURN_IF_ERROR(module->open(elf, fmt::format("/proc/self/fd/{}", module->descriptor_)));
  return std::shared_ptr<const LoadedModule>(std::move(module));
}

Status LoadedModule::open(std::span<const std::byte> elf, const std::string& path) {
  VTA_ASSIGN_OR_RETURN(ModuleView view, viewModule(elf));
  if (view.elf_machine != nativeElfMachine()) {
    return invalidArgument(fmt::format("the module was built for {}, this machine is {}",
                                       elfMachineName(view.elf_machine),
                                       elfMachineName(nativeElfMachine())));
  }
  if (!view.info.hw_yaml.empty()) {
    VTA_ASSIGN_OR_RETURN(hw_, parseHwConfig(view.info.hw_yaml, "module configuration"));
  }
  info_ = std::move(view.info);
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    return invalidArgument(fmt::format("cannot load the module: {}", dlerror()));
  }
  return resolve();
}

Status LoadedModule::resolve() {
  const auto* base = static_cast<const std::byte*>(dlsym(handle_, kModuleHeaderSymbol));
  if (base == nullptr) return invalidArgument("the module exports no header");
  ModuleHeader header;
  std::memcpy(&header, base, sizeof(header));
  constants_ = {base + header.constants_offset, header.constants_bytes};
  programs_ = {base + header.programs_offset, header.programs_bytes};
  for (const StepInfo& step : info_.steps) {
    if (step.symbol.empty()) continue;
    auto* function = reinterpret_cast<VtaHostFunction>(dlsym(handle_, step.symbol.c_str()));
    if (function == nullptr) {
      return invalidArgument(fmt::format("the module lacks the function '{}' of layer '{}'",
                                         step.symbol, info_.layers[step.layer].name));
    }
    functions_[step.symbol] = function;
  }
  return {};
}

LoadedModule::~LoadedModule() {
  if (handle_ != nullptr) dlclose(handle_);
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace vta::driver
