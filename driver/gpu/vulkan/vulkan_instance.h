// The GPUs that Vulkan's loader finds.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "driver/gpu/gpu_device.h"
#include "driver/gpu/vulkan/vulkan_api.h"

namespace vta::driver::vulkan {

/// A queue of a GPU.
struct GpuQueue {
  uint32_t family = 0;
  uint32_t number = 0;  // in the family

  bool operator==(const GpuQueue&) const = default;
};

/// A GPU that can run kernels, and what a device of it is made with.
struct PhysicalGpu {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  GpuQueue work_queue;
  GpuQueue copy_queue;               // the same where there is no other one
  uint32_t timestamp_bits = 0;       // of times; 0: it has none
  double timestamp_nanoseconds = 0;  // of one step of them
  bool has_dot_product_extension = false;
  /// What the driver's caches of pipelines are for: GPU and version of the compiler.
  std::array<uint8_t, VK_UUID_SIZE> cache_identity{};
  GpuDeviceInfo info;
};

/// Move-only; its GPUs are valid as long as it.
class VulkanInstance {
 public:
  /// Errors: no loader, no driver, or one that is broken.
  static Result<std::unique_ptr<VulkanInstance>> create();
  ~VulkanInstance();
  VulkanInstance(const VulkanInstance&) = delete;
  VulkanInstance& operator=(const VulkanInstance&) = delete;

  const VulkanApi& api() const { return api_; }

  /// All GPUs with Vulkan 1.2 and a queue for kernels. Errors: kNotFound where there are only
  /// others.
  Result<std::vector<PhysicalGpu>> gpus() const;

 private:
  explicit VulkanInstance(const VulkanApi& api) : api_(api) {}

  VulkanApi api_;
  VkInstance instance_ = VK_NULL_HANDLE;
};

}  // namespace vta::driver::vulkan
