#include "driver/gpu/vulkan/vulkan_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace vta::driver::vulkan {

Result<VulkanApi> VulkanApi::load(const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return notFound(fmt::format(
        "no Vulkan: {}; install its loader (libvulkan1 on Debian) and the driver of your GPU",
        dlerror()));
  }
  VulkanApi api;
  api.find_ = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(handle, "vkGetInstanceProcAddr"));
  if (api.find_ == nullptr) return notFound(fmt::format("{} is no Vulkan loader", library));
#define VTA_VULKAN_FIND(name)                                                       \
  api.name = reinterpret_cast<PFN_vk##name>(api.find_(VK_NULL_HANDLE, "vk" #name)); \
  if (api.name == nullptr) return unsupported("Vulkan 1.2 is needed: no vk" #name);
  VTA_VULKAN_LOADER_FUNCTIONS(VTA_VULKAN_FIND)
#undef VTA_VULKAN_FIND
  return api;
}

Status VulkanApi::loadInstance(VkInstance instance) {
#define VTA_VULKAN_FIND(name)                                         \
  name = reinterpret_cast<PFN_vk##name>(find_(instance, "vk" #name)); \
  if (name == nullptr) return unsupported("Vulkan 1.2 is needed: no vk" #name);
  VTA_VULKAN_FUNCTIONS(VTA_VULKAN_FIND)
#undef VTA_VULKAN_FIND
  return {};
}

Status vulkanStatus(VkResult result, std::string_view function) {
  switch (result) {
    case VK_SUCCESS:
      return {};
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
      return {StatusCode::kResourceExhausted, fmt::format("Vulkan: {}: out of memory", function)};
    case VK_ERROR_DEVICE_LOST:
      return {StatusCode::kDeviceFault,
              fmt::format("Vulkan: {}: the GPU has stopped; a kernel is wrong or ran for longer "
                          "than its driver allows",
                          function)};
    default:
      break;
  }
  return ioError(fmt::format("Vulkan: {} failed with code {}", function, static_cast<int>(result)));
}

}  // namespace vta::driver::vulkan
