#include "driver/gpu/vulkan/vulkan_device.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "driver/gpu/gpu_registry.h"
#include "driver/gpu/placed_program.h"
#include "driver/gpu/program_fit.h"
#include "driver/gpu/vulkan/vulkan_buffer.h"
#include "driver/gpu/vulkan/vulkan_program.h"

namespace vta::driver::vulkan {

Result<std::vector<GpuDeviceInfo>> VulkanDevice::list() {
  VTA_ASSIGN_OR_RETURN(const auto instance, VulkanInstance::create());
  VTA_ASSIGN_OR_RETURN(const std::vector<PhysicalGpu> gpus, instance->gpus());
  std::vector<GpuDeviceInfo> infos;
  for (const PhysicalGpu& gpu : gpus) infos.push_back(gpu.info);
  return infos;
}

Result<std::unique_ptr<GpuDevice>> VulkanDevice::open(size_t number, const VulkanOptions& options) {
  VTA_ASSIGN_OR_RETURN(auto instance, VulkanInstance::create());
  VTA_ASSIGN_OR_RETURN(const std::vector<PhysicalGpu> gpus, instance->gpus());
  if (number >= gpus.size()) {
    return notFound(fmt::format("Vulkan has {} GPUs, there is no number {}", gpus.size(), number));
  }
  VTA_ASSIGN_OR_RETURN(auto context,
                       VulkanContext::create(std::move(instance), gpus[number], options));
  return std::unique_ptr<GpuDevice>(new VulkanDevice(std::move(context)));
}

VulkanDevice::VulkanDevice(std::shared_ptr<VulkanContext> context)
    : GpuMemory(context->gpu().info), context_(std::move(context)), kernels_(*context_) {}

Result<std::unique_ptr<GpuBuffer>> VulkanDevice::createBuffer(uint64_t size_bytes) {
  VTA_ASSIGN_OR_RETURN(auto buffer,
                       VulkanBuffer::create(context_, size_bytes, VulkanBuffer::Use::kTensors));
  return std::unique_ptr<GpuBuffer>(std::move(buffer));
}

Result<std::unique_ptr<LoadedGpuProgram>> VulkanDevice::load(const GpuProgram& program,
                                                             std::span<const uint64_t> arguments,
                                                             GpuTimes times) {
  VTA_RETURN_IF_ERROR(checkIdle());
  VTA_ASSIGN_OR_RETURN(const std::vector<const GpuCode*> codes, chooseCodes(program, info()));
  VTA_ASSIGN_OR_RETURN(PlacedProgram placed, PlacedProgram::create(program, arguments, *this));
  std::vector<std::shared_ptr<const VulkanKernel>> kernels;
  for (size_t i = 0; i < codes.size(); ++i) {
    const GpuKernel& kernel = program.kernels[i];
    auto compiled = kernels_.get(*codes[i], kernel.bindings.size());
    if (!compiled.ok()) {
      return compiled.status().withContext(fmt::format("kernel '{}'", kernel.name));
    }
    kernels.push_back(*std::move(compiled));
  }
  std::vector<VulkanDispatch> dispatches;
  for (size_t i = 0; i < program.dispatches.size(); ++i) {
    const PlacedDispatch& dispatch = placed.dispatches()[i];
    VulkanDispatch& result = dispatches.emplace_back();
    result.kernel = kernels[dispatch.kernel].get();
    result.workgroups =
        launchOf(program, program.dispatches[i], *codes[dispatch.kernel]).workgroups;
    result.waits = dispatch.waits;
    for (const PlacedRange& range : dispatch.ranges) {
      VTA_ASSIGN_OR_RETURN(const Place place, find(range.address, range.size_bytes));
      const auto* buffer = static_cast<const VulkanBuffer*>(place.buffer);
      result.ranges.push_back({buffer->handle(), place.offset_bytes, range.size_bytes});
    }
  }
  const bool has_times = times == GpuTimes::kDispatches && info().records_times;
  VTA_ASSIGN_OR_RETURN(auto loaded,
                       VulkanProgram::create(context_, std::move(placed), std::move(kernels),
                                             dispatches, has_times));
  return std::unique_ptr<LoadedGpuProgram>(std::move(loaded));
}

namespace {

Result<std::unique_ptr<GpuDevice>> openVulkanGpu(size_t number) {
  return VulkanDevice::open(number);
}

/// A folder of the user, which `variable` names, or which is below the home folder. An empty
/// variable counts as none.
std::filesystem::path userFolder(const char* variable, const char* in_home) {
  const char* own = std::getenv(variable);
  if (own != nullptr && *own != '\0') return own;
  const char* home = std::getenv("HOME");
  return home == nullptr ? std::filesystem::path() : std::filesystem::path(home) / in_home;
}

/// Where Khronos' loader looks for drivers and layers: its LoaderInterfaceArchitecture.md.
LoaderInputs vulkanLoaderInputs() {
  const std::filesystem::path bases[] = {"/etc", "/usr/local/share", "/usr/share",
                                         userFolder("XDG_CONFIG_HOME", ".config"),
                                         userFolder("XDG_DATA_HOME", ".local/share")};
  LoaderInputs inputs{.variables = {"MESA_", "VK_", "XDG_DATA_", "XDG_CONFIG_"}};
  for (const std::filesystem::path& base : bases) {
    if (base.empty()) continue;
    for (const char* part : {"icd.d", "explicit_layer.d", "implicit_layer.d"}) {
      inputs.folders.push_back(base / "vulkan" / part);
    }
  }
  return inputs;
}

}  // namespace
}  // namespace vta::driver::vulkan

// What CMakeLists.txt names, so that the linker keeps it.
extern "C" {
extern const bool vta_gpu_vulkan;
const bool vta_gpu_vulkan = vta::driver::registerGpuInterface(
    {"vulkan", 1, vta::driver::vulkan::VulkanDevice::list, vta::driver::vulkan::openVulkanGpu,
     vta::driver::vulkan::vulkanLoaderInputs});
}
