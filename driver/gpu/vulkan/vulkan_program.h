// A program as one buffer of commands, recorded once.
#pragma once

#include <memory>
#include <vector>

#include "driver/gpu/placed_program.h"
#include "driver/gpu/vulkan/vulkan_context.h"
#include "driver/gpu/vulkan/vulkan_kernel.h"

namespace vta::driver::vulkan {

/// What a range of the device's memory is for Vulkan.
struct BoundRange {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};

/// One dispatch, ready to be recorded.
struct VulkanDispatch {
  const VulkanKernel* kernel = nullptr;
  std::array<uint32_t, 3> workgroups{};
  std::vector<BoundRange> ranges;
  bool waits = false;  // for all that is recorded in front of it
};

class VulkanProgram final : public LoadedGpuProgram {
 public:
  /// `kernels` are those of `dispatches`; with `times`, those of dispatches are recorded.
  /// Errors: no memory.
  static Result<std::unique_ptr<VulkanProgram>> create(
      std::shared_ptr<VulkanContext> context, PlacedProgram placed,
      std::vector<std::shared_ptr<const VulkanKernel>> kernels,
      const std::vector<VulkanDispatch>& dispatches, bool times);

  Status run(std::chrono::milliseconds timeout) override;
  std::vector<double> dispatchSeconds() const override { return seconds_; }

 private:
  VulkanProgram(std::shared_ptr<VulkanContext> context, PlacedProgram placed,
                std::vector<std::shared_ptr<const VulkanKernel>> kernels)
      : context_(std::move(context)), placed_(std::move(placed)), kernels_(std::move(kernels)) {}
  Status bind(const std::vector<VulkanDispatch>& dispatches);
  Status record(const std::vector<VulkanDispatch>& dispatches);
  Status createTimes(size_t dispatches);
  Status readTimes();

  std::shared_ptr<VulkanContext> context_;
  PlacedProgram placed_;
  std::vector<std::shared_ptr<const VulkanKernel>> kernels_;
  Owned<VkDescriptorPool> descriptor_pool_;
  std::vector<VkDescriptorSet> sets_;  // by dispatch
  Owned<VkQueryPool> times_;
  Owned<VkCommandPool> command_pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  std::vector<double> seconds_;  // by dispatch, if times are recorded
};

}  // namespace vta::driver::vulkan
