// What a GPU tells Vulkan about itself, in our words.
#pragma once

#include "driver/gpu/gpu_device.h"
#include "driver/gpu/vulkan/vulkan_api.h"

namespace vta::driver::vulkan {

GpuDeviceInfo readInfo(const VulkanApi& api, VkPhysicalDevice gpu, bool has_dot_product_extension);

/// The features of Vulkan that our features stand for, as a chain that begins at `head`.
struct FeatureChain {
  /// All are off. The dot product is in the chain if the GPU knows it.
  explicit FeatureChain(bool has_dot_product);
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;

  VkPhysicalDeviceFeatures2 head = {};
  VkPhysicalDeviceVulkan11Features vulkan11 = {};
  VkPhysicalDeviceVulkan12Features vulkan12 = {};
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product = {};
};

/// Turns on what stands for `features`.
void enable(const GpuFeatures& features, FeatureChain& chain);

}  // namespace vta::driver::vulkan
