// GPUs by way of Vulkan.
#pragma once

#include <memory>
#include <vector>

#include "driver/gpu/gpu_memory.h"
#include "driver/gpu/vulkan/vulkan_context.h"
#include "driver/gpu/vulkan/vulkan_kernel.h"

namespace vta::driver::vulkan {

class VulkanDevice final : public GpuMemory {
 public:
  /// What Vulkan finds. Errors: no loader, no driver.
  static Result<std::vector<GpuDeviceInfo>> list();

  /// The GPU of this number in the list. Errors: those of the list; kNotFound for another number.
  static Result<std::unique_ptr<GpuDevice>> open(size_t number, const VulkanOptions& options = {});

  Result<std::unique_ptr<LoadedGpuProgram>> load(const GpuProgram& program,
                                                 std::span<const uint64_t> arguments,
                                                 GpuTimes times) override;
  /// What the host has a view of needs no queue.
  bool copiesBesideWork() const override {
    return !context_->isStaged() || context_->hasCopyQueue();
  }

 protected:
  Result<std::unique_ptr<GpuBuffer>> createBuffer(uint64_t size_bytes) override;
  std::vector<std::string> takeKernelNotes() override { return kernels_.takeNotes(); }
  Status checkIdle() override { return context_->checkIdle(); }

 private:
  explicit VulkanDevice(std::shared_ptr<VulkanContext> context);

  std::shared_ptr<VulkanContext> context_;
  KernelCache kernels_;
};

}  // namespace vta::driver::vulkan
