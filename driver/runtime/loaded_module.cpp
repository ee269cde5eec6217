#include "driver/runtime/loaded_module.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/cpu_features.h"
#include "base/descriptor.h"
#include "module/module_file.h"
#include "module/operators/operator_libraries.h"

namespace vta::driver {
namespace {

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

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Status checkMachine(const ModuleView& view) {
  if (view.elf_machine != nativeElfMachine()) {
    return invalidArgument(fmt::format("the module was built for {}, this machine is {}",
                                       elfMachineName(view.elf_machine),
                                       elfMachineName(nativeElfMachine())));
  }
  std::vector<std::string> features = view.info.hostFeatures();
  const std::vector<std::string> operators = missingOperators(features);
  if (!operators.empty()) {
    return unsupported(
        fmt::format("the module calls {}, which no library of operators has that is loaded; name "
                    "the library that it was compiled with by --operators, or load it with "
                    "vta_operators_load",
                    joined(operators)));
  }
  std::erase_if(features, isOperatorFeature);
  const std::vector<std::string> missing = missingCpuFeatures(features);
  if (missing.empty()) return {};
  return unsupported(fmt::format(
      "the module was built for {} with {}; this machine lacks {}; compile the model on this "
      "machine, or with --target {} for any such CPU",
      elfMachineName(view.elf_machine), joined(features), joined(missing),
      view.info.target_triple));
}

Status missingFunction(const ModuleInfo& info, size_t index) {
  const auto user = std::ranges::find_if(info.steps, [&](const StepInfo& step) {
    return info.callsFunction(step) ? step.entry == index
                                    : step.reference == static_cast<int64_t>(index);
  });
  return invalidArgument(
      fmt::format("the module lacks the function '{}' of layer '{}'", info.functions[index],
                  user == info.steps.end() ? std::string() : info.layers[user->layer].name));
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
  VTA_RETURN_IF_ERROR(checkMachine(view));
  if (!view.info.sizes.empty()) {
    return unsupported(
        fmt::format("the model's size '{}' is left open, and this runtime runs fixed sizes only; "
                    "compile it with --shape {}=<size>",
                    view.info.sizes.front().name, view.info.sizes.front().name));
  }
  info_ = std::move(view.info);
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    return invalidArgument(fmt::format("cannot load the module: {}", dlerror()));
  }
  return resolve(view.header);
}

Status LoadedModule::resolve(const ModuleHeader& header) {
  const auto* base = static_cast<const std::byte*>(dlsym(handle_, kModuleHeaderSymbol));
  // Another header than the one that was checked: the file has been replaced since.
  if (base == nullptr || std::memcmp(base, &header, sizeof(header)) != 0) {
    return invalidArgument("the module changed while it was loaded");
  }
  constants_ =
      std::span(base + header.constants_offset, static_cast<size_t>(header.constants_bytes));
  programs_ = std::span(base + header.programs_offset, static_cast<size_t>(header.programs_bytes));
  for (const std::string& symbol : info_.functions) {
    auto* function = reinterpret_cast<VtaHostFunction>(dlsym(handle_, symbol.c_str()));
    if (function == nullptr) return missingFunction(info_, functions_.size());
    functions_.push_back(function);
  }
  addBuckets();
  return {};
}

/// They use the code and the sections of this one.
void LoadedModule::addBuckets() {
  for (size_t i = 0; i < info_.buckets.size(); ++i) {
    std::unique_ptr<LoadedModule> bucket(new LoadedModule());
    bucket->info_ = info_.bucketOf(i);
    bucket->constants_ = constants_;
    bucket->programs_ = programs_;
    bucket->functions_ = functions_;
    buckets_.push_back(std::move(bucket));
  }
}

VtaHostFunction LoadedModule::function(const std::string& symbol) const {
  const auto found = std::ranges::find(info_.functions, symbol);
  return found == info_.functions.end() ? nullptr : functions_[found - info_.functions.begin()];
}

LoadedModule::~LoadedModule() {
  if (handle_ != nullptr) dlclose(handle_);
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace vta::driver
