#include "driver/gpu/opencl/opencl_device.h"

#include <fmt/format.h>

#include <chrono>
#include <span>
#include <utility>

#include "driver/gpu/gpu_registry.h"
#include "driver/gpu/opencl/opencl_build.h"
#include "driver/gpu/opencl/opencl_program.h"
#include "driver/gpu/placed_program.h"
#include "driver/gpu/program_fit.h"

namespace vta::driver::opencl {
namespace {

class OpenClBuffer final : public GpuBuffer {
 public:
  OpenClBuffer(std::shared_ptr<OpenClContext> context, Owned<Memory> memory)
      : context_(std::move(context)), memory_(std::move(memory)) {}

  Status write(uint64_t offset_bytes, std::span<const std::byte> data) override {
    return openClStatus(
        context_->api().EnqueueWriteBuffer(context_->copies(), memory_.get(), kTrue, offset_bytes,
                                           data.size(), data.data(), 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
  }
  Status read(uint64_t offset_bytes, std::span<std::byte> data) override {
    return openClStatus(
        context_->api().EnqueueReadBuffer(context_->copies(), memory_.get(), kTrue, offset_bytes,
                                          data.size(), data.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  }
  Memory handle() const { return memory_.get(); }

 private:
  std::shared_ptr<OpenClContext> context_;
  Owned<Memory> memory_;
};

Result<std::vector<PhysicalDevice>> listDevices(OpenClApi& api) {
  VTA_ASSIGN_OR_RETURN(api, OpenClApi::load());
  return findDevices(api);
}

}  // namespace

Result<std::vector<GpuDeviceInfo>> OpenClDevice::list() {
  OpenClApi api;
  VTA_ASSIGN_OR_RETURN(const std::vector<PhysicalDevice> devices, listDevices(api));
  std::vector<GpuDeviceInfo> infos;
  for (const PhysicalDevice& device : devices) infos.push_back(device.info);
  return infos;
}

Result<std::unique_ptr<GpuDevice>> OpenClDevice::open(size_t number) {
  OpenClApi api;
  VTA_ASSIGN_OR_RETURN(const std::vector<PhysicalDevice> devices, listDevices(api));
  if (number >= devices.size()) {
    return notFound(
        fmt::format("OpenCL has {} devices, there is no number {}", devices.size(), number));
  }
  VTA_ASSIGN_OR_RETURN(auto context, OpenClContext::create(api, devices[number]));
  return std::unique_ptr<GpuDevice>(new OpenClDevice(std::move(context)));
}

OpenClDevice::OpenClDevice(std::shared_ptr<OpenClContext> context)
    : GpuMemory(context->device().info),
      context_(std::move(context)),
      cache_(info(), buildOptions(*context_)) {}

Result<std::unique_ptr<GpuBuffer>> OpenClDevice::createBuffer(uint64_t size_bytes) {
  const OpenClApi& api = context_->api();
  Int result = kSuccess;
  Owned<Memory> memory(
      api.CreateBuffer(context_->get(), kMemReadWrite, size_bytes, nullptr, &result),
      api.ReleaseMemObject);
  VTA_RETURN_IF_ERROR(openClStatus(result, "clCreateBuffer"));
  const uint32_t zero = 0;
  VTA_RETURN_IF_ERROR(
      openClStatus(api.EnqueueFillBuffer(context_->copies(), memory.get(), &zero, sizeof(zero), 0,
                                         size_bytes, 0, nullptr, nullptr),
                   "clEnqueueFillBuffer"));
  VTA_RETURN_IF_ERROR(openClStatus(api.Finish(context_->copies()), "clFinish"));
  return std::unique_ptr<GpuBuffer>(new OpenClBuffer(context_, std::move(memory)));
}

Result<Owned<Program>> OpenClDevice::buildOrTakeKept(const std::string& source) {
  const auto text = std::as_bytes(std::span(source));
  if (const auto kept = cache_.find(text)) {
    auto program = programOfBinary(*context_, *kept);
    if (program.ok()) return program;
    cache_.refuse(program.status());
  }
  const auto start = std::chrono::steady_clock::now();
  VTA_ASSIGN_OR_RETURN(Owned<Program> program, programOfSource(*context_, source));
  const std::vector<std::byte> binary = binaryOf(*context_, program.get());
  cache_.add(text, binary, std::chrono::steady_clock::now() - start);
  return program;
}

Result<Program> OpenClDevice::build(const std::string& source) {
  const auto found = programs_.find(source);
  if (found != programs_.end()) return found->second.get();
  VTA_ASSIGN_OR_RETURN(Owned<Program> program, buildOrTakeKept(source));
  return (programs_[source] = std::move(program)).get();
}

Result<Owned<Memory>> OpenClDevice::memoryOf(uint64_t address, uint64_t size_bytes) const {
  VTA_ASSIGN_OR_RETURN(const Place place, find(address, size_bytes));
  const Memory whole = static_cast<const OpenClBuffer*>(place.buffer)->handle();
  const BufferRegion region = {static_cast<size_t>(place.offset_bytes),
                               static_cast<size_t>(size_bytes)};
  Int result = kSuccess;
  const OpenClApi& api = context_->api();
  Owned<Memory> part(
      api.CreateSubBuffer(whole, kMemReadWrite, kBufferCreateTypeRegion, &region, &result),
      api.ReleaseMemObject);
  VTA_RETURN_IF_ERROR(openClStatus(result, "clCreateSubBuffer"));
  return part;
}

Result<std::unique_ptr<LoadedGpuProgram>> OpenClDevice::load(const GpuProgram& program,
                                                             std::span<const uint64_t> arguments,
                                                             GpuTimes times) {
  VTA_RETURN_IF_ERROR(checkIdle());
  VTA_ASSIGN_OR_RETURN(const std::vector<const GpuCode*> codes, chooseCodes(program, info()));
  VTA_ASSIGN_OR_RETURN(PlacedProgram placed, PlacedProgram::create(program, arguments, *this));
  const OpenClApi& api = context_->api();
  std::vector<OpenClDispatch> dispatches;
  for (size_t i = 0; i < program.dispatches.size(); ++i) {
    const PlacedDispatch& from = placed.dispatches()[i];
    const GpuKernel& kernel = program.kernels[from.kernel];
    const GpuCode& code = *codes[from.kernel];
    const std::string what = fmt::format("kernel '{}'", kernel.name);
    auto built = build(code.text());
    if (!built.ok()) return built.status().withContext(what);
    OpenClDispatch& to = dispatches.emplace_back();
    Int result = kSuccess;
    to.kernel = {api.CreateKernel(*built, code.entry_point.c_str(), &result), api.ReleaseKernel};
    VTA_RETURN_IF_ERROR(openClStatus(result, "clCreateKernel").withContext(what));
    for (size_t k = 0; k < from.ranges.size(); ++k) {
      VTA_ASSIGN_OR_RETURN(Owned<Memory> range,
                           memoryOf(from.ranges[k].address, from.ranges[k].size_bytes));
      const Memory handle = range.get();
      to.ranges.push_back(std::move(range));
      VTA_RETURN_IF_ERROR(
          openClStatus(api.SetKernelArg(to.kernel.get(), static_cast<Uint>(k), sizeof(Memory),
                                        static_cast<const void*>(&handle)),
                       "clSetKernelArg")
              .withContext(what));
    }
    const GpuLaunch launch = launchOf(program, program.dispatches[i], code);
    for (size_t d = 0; d < 3; ++d) {
      to.workgroup_size[d] = launch.workgroup_size[d];
      to.invocations[d] = size_t{1} * launch.workgroup_size[d] * launch.workgroups[d];
    }
  }
  return std::unique_ptr<LoadedGpuProgram>(
      new OpenClProgram(context_, std::move(placed), std::move(dispatches), times));
}

}  // namespace vta::driver::opencl

// What CMakeLists.txt names, so that the linker keeps it.
extern "C" {
extern const bool vta_gpu_opencl;
const bool vta_gpu_opencl = vta::driver::registerGpuInterface(
    {"opencl", 2, vta::driver::opencl::OpenClDevice::list, vta::driver::opencl::OpenClDevice::open,
     [] {
       return vta::driver::LoaderInputs{
           .variables = {"MESA_", "OCL_", "OPENCL_", "POCL_", "RUSTICL_"},
           .folders = {"/etc/OpenCL/vendors"}};
     }});
}
