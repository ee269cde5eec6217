#include "tests/driver/gpu/test_gpus.h"

#include <cstdlib>
#include <filesystem>

#include "driver/gpu/cuda/cuda_device.h"
#include "driver/gpu/opencl/opencl_device.h"
#include "driver/gpu/probes/probe.h"
#include "driver/gpu/vulkan/vulkan_device.h"

namespace vta::driver::test {
namespace {

constexpr const char* kLlvmpipe = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
constexpr const char* kSwiftShader = "/usr/lib/chromium/vk_swiftshader_icd.json";

}  // namespace

bool TestGpu::isThere() const {
  if (is_cuda) return true;
  if (!is_opencl) return std::filesystem::exists(icd);
  const auto devices = opencl::OpenClDevice::list();
  return devices.ok() && !devices->empty();
}

Result<std::unique_ptr<GpuDevice>> TestGpu::open() const {
  if (is_cuda) return cuda::CudaDevice::open(0, VTA_FAKE_CUDA);
  if (is_opencl) return opencl::OpenClDevice::open(0);
  const ScopedVariable driver("VK_ICD_FILENAMES", icd);
  return vulkan::VulkanDevice::open(0, {.staged = staged});
}

std::vector<TestGpu> testGpus() {
  return {{.name = "llvmpipe", .icd = kLlvmpipe},
          {.name = "llvmpipe_staged", .icd = kLlvmpipe, .staged = true},
          {.name = "swiftshader", .icd = kSwiftShader},
          {.name = "opencl", .icd = "", .staged = true, .is_opencl = true},
          {.name = "fake_cuda", .icd = "", .staged = true, .is_cuda = true}};
}

Status runProbe(GpuDevice& gpu, std::vector<OwnedDeviceBuffer>& buffers) {
  constexpr uint64_t kBytes = kProbeWords * sizeof(uint32_t);
  GpuProgram program;
  program.argument_bytes = {kBytes, kBytes, kBytes};
  program.kernels = {probeKernel(allProbes().front())};
  program.dispatches.resize(1);
  std::vector<uint64_t> addresses;
  for (uint32_t i = 0; i < 3; ++i) {
    program.dispatches[0].bindings.push_back({GpuBinding::Source::kArgument, i, 0, kBytes});
    VTA_ASSIGN_OR_RETURN(const DeviceBuffer buffer, gpu.allocate(kBytes, gpu.alignmentBytes()));
    buffers.emplace_back(&gpu, buffer);
    addresses.push_back(buffer.address);
  }
  VTA_ASSIGN_OR_RETURN(const auto loaded, gpu.load(program, addresses, GpuTimes::kOff));
  return loaded->run(std::chrono::seconds(1));
}

ScopedVariable::ScopedVariable(const char* name, const std::string& value) : name_(name) {
  const char* old = std::getenv(name);
  was_set_ = old != nullptr;
  if (was_set_) old_value_ = old;
  setenv(name, value.c_str(), 1);
}

ScopedVariable::~ScopedVariable() {
  if (was_set_) {
    setenv(name_, old_value_.c_str(), 1);
  } else {
    unsetenv(name_);
  }
}

}  // namespace vta::driver::test
