#include "driver/gpu/vulkan/vulkan_limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace vta::driver::vulkan {
namespace {

/// A feature, and the switch of Vulkan that stands for it.
struct Switch {
  GpuFeature feature;
  VkBool32& (*in)(FeatureChain& chain);
};

constexpr Switch kSwitches[] = {
    {GpuFeature::kInt8, [](FeatureChain& c) -> VkBool32& { return c.vulkan12.shaderInt8; }},
    {GpuFeature::kInt16, [](FeatureChain& c) -> VkBool32& { return c.head.features.shaderInt16; }},
    {GpuFeature::kInt64, [](FeatureChain& c) -> VkBool32& { return c.head.features.shaderInt64; }},
    {GpuFeature::kFloat16, [](FeatureChain& c) -> VkBool32& { return c.vulkan12.shaderFloat16; }},
    {GpuFeature::kFloat64,
     [](FeatureChain& c) -> VkBool32& { return c.head.features.shaderFloat64; }},
    {GpuFeature::kStorage8,
     [](FeatureChain& c) -> VkBool32& { return c.vulkan12.storageBuffer8BitAccess; }},
    {GpuFeature::kStorage16,
     [](FeatureChain& c) -> VkBool32& { return c.vulkan11.storageBuffer16BitAccess; }},
    {GpuFeature::kIntegerDotProduct,
     [](FeatureChain& c) -> VkBool32& { return c.dot_product.shaderIntegerDotProduct; }},
};

GpuKind kindOf(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return GpuKind::kDiscrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return GpuKind::kIntegrated;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return GpuKind::kVirtual;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return GpuKind::kCpu;
    default:
      return GpuKind::kOther;
  }
}

uint64_t localMemoryBytes(const VulkanApi& api, VkPhysicalDevice gpu) {
  VkPhysicalDeviceMemoryProperties memory = {};
  api.GetPhysicalDeviceMemoryProperties(gpu, &memory);
  uint64_t total_bytes = 0;
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    const bool is_local = (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
    if (is_local) total_bytes += memory.memoryHeaps[i].size;
  }
  return total_bytes;
}

GpuLimits limitsOf(const VkPhysicalDeviceLimits& limits,
                   const VkPhysicalDeviceVulkan11Properties& properties) {
  GpuLimits result;
  result.max_buffer_bytes = properties.maxMemoryAllocationSize;
  result.max_range_bytes = limits.maxStorageBufferRange;
  result.shared_bytes = limits.maxComputeSharedMemorySize;
  result.max_invocations = limits.maxComputeWorkGroupInvocations;
  std::copy_n(limits.maxComputeWorkGroupSize, 3, result.max_workgroup_size.begin());
  std::copy_n(limits.maxComputeWorkGroupCount, 3, result.max_workgroups.begin());
  result.max_bindings =
      std::min({limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers,
                limits.maxPerStageResources});
  result.subgroup_size = properties.subgroupSize;
  return result;
}

GpuFeatures featuresOf(const VulkanApi& api, VkPhysicalDevice gpu, bool has_dot_product) {
  FeatureChain chain(has_dot_product);
  api.GetPhysicalDeviceFeatures2(gpu, &chain.head);
  GpuFeatures features;
  for (const Switch& entry : kSwitches) {
    if (entry.in(chain) == VK_TRUE) features.add(entry.feature);
  }
  return features;
}

bool hasSubgroupArithmetic(const VkPhysicalDeviceVulkan11Properties& properties) {
  return (properties.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 &&
         (properties.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0;
}

}  // namespace

FeatureChain::FeatureChain(bool has_dot_product) {
  head.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  vulkan11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  dot_product.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
  head.pNext = &vulkan11;
  vulkan11.pNext = &vulkan12;
  if (has_dot_product) vulkan12.pNext = &dot_product;
}

void enable(const GpuFeatures& features, FeatureChain& chain) {
  for (const Switch& entry : kSwitches) {
    if (features.has(entry.feature)) entry.in(chain) = VK_TRUE;
  }
}

GpuDeviceInfo readInfo(const VulkanApi& api, VkPhysicalDevice gpu, bool has_dot_product_extension) {
  VkPhysicalDeviceVulkan12Properties vulkan12 = {};
  vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  VkPhysicalDeviceVulkan11Properties vulkan11 = {};
  vulkan11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  vulkan11.pNext = &vulkan12;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &vulkan11;
  api.GetPhysicalDeviceProperties2(gpu, &properties);
  GpuDeviceInfo info;
  info.interface = "vulkan";
  info.name = properties.properties.deviceName;
  info.driver = fmt::format("{} {}", vulkan12.driverName, vulkan12.driverInfo);
  info.kind = kindOf(properties.properties.deviceType);
  info.memory_bytes = localMemoryBytes(api, gpu);
  info.form = GpuCodeForm::kSpirv;
  info.features = featuresOf(api, gpu, has_dot_product_extension);
  if (hasSubgroupArithmetic(vulkan11)) info.features.add(GpuFeature::kSubgroupArithmetic);
  info.limits = limitsOf(properties.properties.limits, vulkan11);
  return info;
}

}  // namespace vta::driver::vulkan
