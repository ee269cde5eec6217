#include "driver/gpu/vulkan/vulkan_instance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "driver/gpu/vulkan/vulkan_limits.h"

namespace vta::driver::vulkan {
namespace {

constexpr uint32_t kNeededVersion = VK_API_VERSION_1_2;

/// The first queue family that runs kernels.
std::optional<uint32_t> findComputeFamily(const std::vector<VkQueueFamilyProperties>& families) {
  const auto found = std::ranges::find_if(families, [](const VkQueueFamilyProperties& family) {
    return family.queueCount > 0 && (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
  });
  if (found == families.end()) return std::nullopt;
  return static_cast<uint32_t>(found - families.begin());
}

/// One that copies while another one works: of a family that does nothing else, which hardware has
/// for this, or a second one of the kernels' family; else that of the kernels.
GpuQueue copyQueueBeside(GpuQueue work, const std::vector<VkQueueFamilyProperties>& families) {
  constexpr VkQueueFlags kOthers = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  for (uint32_t i = 0; i < families.size(); ++i) {
    const VkQueueFlags flags = families[i].queueFlags;
    const bool is_for_copies = (flags & VK_QUEUE_TRANSFER_BIT) != 0 && (flags & kOthers) == 0;
    if (is_for_copies && families[i].queueCount > 0) return {i, 0};
  }
  if (families[work.family].queueCount > 1) return {work.family, work.number + 1};
  return work;
}

bool hasExtension(const VulkanApi& api, VkPhysicalDevice gpu, const char* name) {
  uint32_t count = 0;
  if (api.EnumerateDeviceExtensionProperties(gpu, nullptr, &count, nullptr) != VK_SUCCESS) {
    return false;
  }
  std::vector<VkExtensionProperties> extensions(count);
  (void)api.EnumerateDeviceExtensionProperties(gpu, nullptr, &count, extensions.data());
  return std::ranges::any_of(extensions, [&](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

VkPhysicalDeviceProperties2 propertiesOf(const VulkanApi& api, VkPhysicalDevice handle) {
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  api.GetPhysicalDeviceProperties2(handle, &properties);
  return properties;
}

/// What a GPU that cannot run our kernels has.
std::string lackOf(const VulkanApi& api, VkPhysicalDevice handle) {
  const VkPhysicalDeviceProperties properties = propertiesOf(api, handle).properties;
  return fmt::format("'{}' has Vulkan {}.{}", properties.deviceName,
                     VK_API_VERSION_MAJOR(properties.apiVersion),
                     VK_API_VERSION_MINOR(properties.apiVersion));
}

/// Nothing for a GPU that cannot run our kernels.
std::optional<PhysicalGpu> describe(const VulkanApi& api, VkPhysicalDevice handle) {
  const VkPhysicalDeviceProperties2 properties = propertiesOf(api, handle);
  if (properties.properties.apiVersion < kNeededVersion) return std::nullopt;
  uint32_t count = 0;
  api.GetPhysicalDeviceQueueFamilyProperties(handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  api.GetPhysicalDeviceQueueFamilyProperties(handle, &count, families.data());
  const std::optional<uint32_t> family = findComputeFamily(families);
  if (!family) return std::nullopt;
  PhysicalGpu gpu;
  gpu.handle = handle;
  gpu.work_queue = {*family, 0};
  gpu.copy_queue = copyQueueBeside(gpu.work_queue, families);
  gpu.timestamp_bits = families[*family].timestampValidBits;
  gpu.timestamp_nanoseconds = properties.properties.limits.timestampPeriod;
  gpu.has_dot_product_extension =
      hasExtension(api, handle, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
  std::ranges::copy(properties.properties.pipelineCacheUUID, gpu.cache_identity.begin());
  gpu.info = readInfo(api, handle, gpu.has_dot_product_extension);
  gpu.info.records_times = gpu.timestamp_bits > 0;
  return gpu;
}

}  // namespace

Result<std::unique_ptr<VulkanInstance>> VulkanInstance::create() {
  VTA_ASSIGN_OR_RETURN(const VulkanApi api, VulkanApi::load());
  std::unique_ptr<VulkanInstance> instance(new VulkanInstance(api));
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = kNeededVersion;
  VkInstanceCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  create.pApplicationInfo = &application;
  const VkResult result = api.CreateInstance(&create, nullptr, &instance->instance_);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
    return notFound(
        "Vulkan finds no driver; install that of your GPU, or Mesa's (mesa-vulkan-drivers on "
        "Debian), and look at what VK_ICD_FILENAMES names, if it is set");
  }
  if (result == VK_ERROR_LAYER_NOT_PRESENT) {
    return notFound(
        "Vulkan: a layer is missing or broken; look at what VK_INSTANCE_LAYERS, VK_LAYER_PATH and "
        "the "
        "files of implicit_layer.d name");
  }
  VTA_RETURN_IF_ERROR(vulkanStatus(result, "vkCreateInstance"));
  VTA_RETURN_IF_ERROR(instance->api_.loadInstance(instance->instance_));
  return instance;
}

VulkanInstance::~VulkanInstance() {
  if (api_.DestroyInstance != nullptr && instance_ != VK_NULL_HANDLE) {
    api_.DestroyInstance(instance_, nullptr);
  }
}

Result<std::vector<PhysicalGpu>> VulkanInstance::gpus() const {
  constexpr const char* kFunction = "vkEnumeratePhysicalDevices";
  uint32_t count = 0;
  VTA_RETURN_IF_ERROR(
      vulkanStatus(api_.EnumeratePhysicalDevices(instance_, &count, nullptr), kFunction));
  std::vector<VkPhysicalDevice> handles(count);
  VTA_RETURN_IF_ERROR(
      vulkanStatus(api_.EnumeratePhysicalDevices(instance_, &count, handles.data()), kFunction));
  std::vector<PhysicalGpu> gpus;
  std::vector<std::string> others;
  for (const VkPhysicalDevice handle : handles) {
    std::optional<PhysicalGpu> gpu = describe(api_, handle);
    if (gpu) {
      gpus.push_back(*std::move(gpu));
    } else {
      others.push_back(lackOf(api_, handle));
    }
  }
  if (gpus.empty() && !others.empty()) {
    return notFound(fmt::format("{}; 1.2 is needed, and a queue for kernels: update the driver",
                                fmt::join(others, ", ")));
  }
  return gpus;
}

}  // namespace vta::driver::vulkan
