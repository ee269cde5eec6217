#include "driver/gpu/cuda/cuda_device.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "driver/gpu/cuda/cuda_program.h"
#include "driver/gpu/gpu_registry.h"
#include "driver/gpu/placed_program.h"
#include "driver/gpu/program_fit.h"

namespace vta::driver::cuda {
namespace {

class CudaBuffer final : public GpuBuffer {
 public:
  static Result<std::unique_ptr<CudaBuffer>> create(std::shared_ptr<CudaContext> context,
                                                    uint64_t size_bytes) {
    const CudaApi& api = context->api();
    std::unique_ptr<CudaBuffer> buffer(new CudaBuffer(std::move(context)));
    VTA_RETURN_IF_ERROR(api.status(api.memAlloc(&buffer->pointer_, size_bytes), "cuMemAlloc"));
    VTA_RETURN_IF_ERROR(buffer->context_->clear(buffer->pointer_, size_bytes));
    return buffer;
  }
  ~CudaBuffer() override {
    if (pointer_ != 0 && context_->checkIdle().ok()) (void)context_->api().memFree(pointer_);
  }
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;

  Status write(uint64_t offset_bytes, std::span<const std::byte> data) override {
    return context_->copyToGpu(pointer_ + offset_bytes, data);
  }
  Status read(uint64_t offset_bytes, std::span<std::byte> data) override {
    return context_->copyFromGpu(data, pointer_ + offset_bytes);
  }
  DevicePointer pointer() const { return pointer_; }

 private:
  explicit CudaBuffer(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}
  std::shared_ptr<CudaContext> context_;
  DevicePointer pointer_ = 0;
};

}  // namespace

Result<std::vector<std::byte>> compilePtx(const CudaContext& context, const std::string& text) {
  const CudaApi& api = context.api();
  std::array<char, 2048> log = {};
  std::array<int, 2> options = {kJitErrorLogBuffer, kJitErrorLogBufferSizeBytes};
  // The interface takes numbers as pointers.
  void* const log_bytes =
      reinterpret_cast<void*>(log.size() - 1);  // NOLINT(performance-no-int-to-ptr)
  std::array<void*, 2> values = {log.data(), log_bytes};
  Linker linker = nullptr;
  VTA_RETURN_IF_ERROR(api.status(
      api.linkCreate(options.size(), options.data(), values.data(), &linker), "cuLinkCreate"));
  const std::unique_ptr<LinkerTag, Code (*)(Linker)> owned(linker, api.linkDestroy);
  std::string copy = text;  // the interface does not say that it leaves it as it is
  Status status = api.status(api.linkAddData(linker, kJitInputPtx, copy.data(), copy.size() + 1,
                                             "kernel", 0, nullptr, nullptr),
                             "cuLinkAddData");
  void* code = nullptr;
  size_t size_bytes = 0;
  if (status.ok())
    status = api.status(api.linkComplete(linker, &code, &size_bytes), "cuLinkComplete");
  if (!status.ok() && log[0] != '\0') {
    return Status(status.code(), fmt::format("{}\n{}", status.message(), log.data()));
  }
  VTA_RETURN_IF_ERROR(status);
  const auto* bytes = static_cast<const std::byte*>(code);
  return std::vector<std::byte>(bytes, bytes + size_bytes);
}

Result<std::shared_ptr<const LoadedPtx>> LoadedPtx::load(std::shared_ptr<CudaContext> context,
                                                         std::span<const std::byte> code) {
  std::shared_ptr<LoadedPtx> loaded(new LoadedPtx(std::move(context)));
  const CudaApi& api = loaded->context_->api();
  VTA_RETURN_IF_ERROR(
      api.status(api.moduleLoadDataEx(&loaded->module_, code.data(), 0, nullptr, nullptr),
                 "cuModuleLoadDataEx"));
  return std::shared_ptr<const LoadedPtx>(std::move(loaded));
}

LoadedPtx::~LoadedPtx() {
  if (module_ != nullptr && context_->checkIdle().ok()) (void)context_->api().moduleUnload(module_);
}

Result<Function> LoadedPtx::function(const std::string& name) const {
  Function function = nullptr;
  const CudaApi& api = context_->api();
  VTA_RETURN_IF_ERROR(
      api.status(api.moduleGetFunction(&function, module_, name.c_str()), "cuModuleGetFunction"));
  return function;
}

Result<std::vector<GpuDeviceInfo>> CudaDevice::list(const char* library) {
  VTA_ASSIGN_OR_RETURN(const CudaApi api, CudaApi::load(library));
  return describeGpus(api);
}

Result<std::unique_ptr<GpuDevice>> CudaDevice::open(size_t number, const char* library) {
  VTA_ASSIGN_OR_RETURN(const CudaApi api, CudaApi::load(library));
  VTA_ASSIGN_OR_RETURN(const std::vector<GpuDeviceInfo> gpus, describeGpus(api));
  if (number >= gpus.size()) {
    return notFound(fmt::format("CUDA has {} GPUs, there is no number {}", gpus.size(), number));
  }
  VTA_ASSIGN_OR_RETURN(auto context, CudaContext::create(api, number, gpus[number]));
  return std::unique_ptr<GpuDevice>(new CudaDevice(std::move(context)));
}

CudaDevice::CudaDevice(std::shared_ptr<CudaContext> context)
    : GpuMemory(context->info()), context_(std::move(context)), cache_(info()) {}

Result<std::unique_ptr<GpuBuffer>> CudaDevice::createBuffer(uint64_t size_bytes) {
  VTA_ASSIGN_OR_RETURN(auto buffer, CudaBuffer::create(context_, size_bytes));
  return std::unique_ptr<GpuBuffer>(std::move(buffer));
}

Result<std::shared_ptr<const LoadedPtx>> CudaDevice::compiled(const std::string& text) {
  const auto found = modules_.find(text);
  if (found != modules_.end()) return found->second;
  const auto text_bytes = std::as_bytes(std::span(text));
  if (const auto kept = cache_.find(text_bytes)) {
    auto loaded = LoadedPtx::load(context_, *kept);
    if (loaded.ok()) return modules_[text] = *loaded;
    cache_.refuse(loaded.status());
  }
  const auto start = std::chrono::steady_clock::now();
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> code, compilePtx(*context_, text));
  VTA_ASSIGN_OR_RETURN(auto loaded, LoadedPtx::load(context_, code));
  cache_.add(text_bytes, code, std::chrono::steady_clock::now() - start);
  return modules_[text] = loaded;
}

Result<std::unique_ptr<LoadedGpuProgram>> CudaDevice::load(const GpuProgram& program,
                                                           std::span<const uint64_t> arguments,
                                                           GpuTimes times) {
  VTA_RETURN_IF_ERROR(checkIdle());
  VTA_ASSIGN_OR_RETURN(const std::vector<const GpuCode*> codes, chooseCodes(program, info()));
  VTA_ASSIGN_OR_RETURN(PlacedProgram placed, PlacedProgram::create(program, arguments, *this));
  std::vector<CudaDispatch> dispatches;
  for (size_t i = 0; i < program.dispatches.size(); ++i) {
    const PlacedDispatch& from = placed.dispatches()[i];
    const GpuKernel& kernel = program.kernels[from.kernel];
    const std::string what = fmt::format("kernel '{}'", kernel.name);
    CudaDispatch& to = dispatches.emplace_back();
    auto module = compiled(codes[from.kernel]->text());
    if (!module.ok()) return module.status().withContext(what);
    to.module = *std::move(module);
    auto function = to.module->function(codes[from.kernel]->entry_point);
    if (!function.ok()) return function.status().withContext(what);
    to.function = *function;
    const GpuLaunch launch = launchOf(program, program.dispatches[i], *codes[from.kernel]);
    to.workgroups = launch.workgroups;
    to.workgroup_size = launch.workgroup_size;
    for (const PlacedRange& range : from.ranges) {
      VTA_ASSIGN_OR_RETURN(const Place place, find(range.address, range.size_bytes));
      to.pointers.push_back(static_cast<const CudaBuffer*>(place.buffer)->pointer() +
                            place.offset_bytes);
    }
  }
  VTA_ASSIGN_OR_RETURN(
      auto loaded, CudaProgram::create(context_, std::move(placed), std::move(dispatches), times));
  return std::unique_ptr<LoadedGpuProgram>(std::move(loaded));
}

namespace {

Result<std::vector<GpuDeviceInfo>> listCudaGpus() { return CudaDevice::list(); }
Result<std::unique_ptr<GpuDevice>> openCudaGpu(size_t number) { return CudaDevice::open(number); }

}  // namespace
}  // namespace vta::driver::cuda

// What CMakeLists.txt names, so that the linker keeps it.
extern "C" {
extern const bool vta_gpu_cuda;
const bool vta_gpu_cuda = vta::driver::registerGpuInterface(
    {"cuda", 0, vta::driver::cuda::listCudaGpus, vta::driver::cuda::openCudaGpu,
     [] { return vta::driver::LoaderInputs{.variables = {"CUDA_"}}; }});
}
