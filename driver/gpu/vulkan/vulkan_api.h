// The functions of Vulkan that the driver uses. Its loader, libvulkan.so.1, is opened at run time;
// only its types are needed to build.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <string_view>

#include "base/status.h"

namespace vta::driver::vulkan {

// Names without "vk": those that need no instance, and those of an instance.
#define VTA_VULKAN_LOADER_FUNCTIONS(X) \
  X(CreateInstance)                    \
  X(EnumerateInstanceVersion)

#define VTA_VULKAN_FUNCTIONS(X)             \
  X(DestroyInstance)                        \
  X(EnumeratePhysicalDevices)               \
  X(GetPhysicalDeviceProperties2)           \
  X(GetPhysicalDeviceFeatures2)             \
  X(GetPhysicalDeviceMemoryProperties)      \
  X(GetPhysicalDeviceQueueFamilyProperties) \
  X(EnumerateDeviceExtensionProperties)     \
  X(CreateDevice)                           \
  X(DestroyDevice)                          \
  X(GetDeviceQueue)                         \
  X(QueueSubmit)                            \
  X(CreateBuffer)                           \
  X(DestroyBuffer)                          \
  X(GetBufferMemoryRequirements)            \
  X(AllocateMemory)                         \
  X(FreeMemory)                             \
  X(BindBufferMemory)                       \
  X(MapMemory)                              \
  X(CreateFence)                            \
  X(DestroyFence)                           \
  X(ResetFences)                            \
  X(GetFenceStatus)                         \
  X(WaitForFences)                          \
  X(CreateQueryPool)                        \
  X(DestroyQueryPool)                       \
  X(GetQueryPoolResults)                    \
  X(CreateShaderModule)                     \
  X(DestroyShaderModule)                    \
  X(CreateComputePipelines)                 \
  X(DestroyPipeline)                        \
  X(CreatePipelineCache)                    \
  X(DestroyPipelineCache)                   \
  X(GetPipelineCacheData)                   \
  X(CreatePipelineLayout)                   \
  X(DestroyPipelineLayout)                  \
  X(CreateDescriptorSetLayout)              \
  X(DestroyDescriptorSetLayout)             \
  X(CreateDescriptorPool)                   \
  X(DestroyDescriptorPool)                  \
  X(AllocateDescriptorSets)                 \
  X(UpdateDescriptorSets)                   \
  X(CreateCommandPool)                      \
  X(DestroyCommandPool)                     \
  X(ResetCommandPool)                       \
  X(AllocateCommandBuffers)                 \
  X(BeginCommandBuffer)                     \
  X(EndCommandBuffer)                       \
  X(CmdBindPipeline)                        \
  X(CmdBindDescriptorSets)                  \
  X(CmdDispatch)                            \
  X(CmdPipelineBarrier)                     \
  X(CmdResetQueryPool)                      \
  X(CmdWriteTimestamp)                      \
  X(CmdCopyBuffer)                          \
  X(CmdFillBuffer)

class VulkanApi {
 public:
  /// Opens the loader, which stays open. Errors: kNotFound, with what to install.
  static Result<VulkanApi> load(const char* library = "libvulkan.so.1");

  /// Finds the functions of `instance`. Errors: kUnsupported with a function that is missing.
  Status loadInstance(VkInstance instance);

#define VTA_VULKAN_MEMBER(name) PFN_vk##name name = nullptr;
  VTA_VULKAN_LOADER_FUNCTIONS(VTA_VULKAN_MEMBER)
  VTA_VULKAN_FUNCTIONS(VTA_VULKAN_MEMBER)
#undef VTA_VULKAN_MEMBER

 private:
  PFN_vkGetInstanceProcAddr find_ = nullptr;
};

/// Ok for VK_SUCCESS; else an error of the right code, with the name of the function that failed.
Status vulkanStatus(VkResult result, std::string_view function);

}  // namespace vta::driver::vulkan
