// Buffers of a GPU that Vulkan drives.
#pragma once

#include <memory>

#include "driver/gpu/gpu_memory.h"
#include "driver/gpu/vulkan/vulkan_context.h"

namespace vta::driver::vulkan {

/// Memory of its own for each. Of GPUs that share the host's memory the host has a view; to others
/// it copies by way of a buffer that both reach.
class VulkanBuffer final : public GpuBuffer {
 public:
  enum class Use : uint8_t { kTensors, kCopies };

  /// Of kTensors it holds zeros. Errors: kResourceExhausted; the driver's.
  static Result<std::unique_ptr<VulkanBuffer>> create(std::shared_ptr<VulkanContext> context,
                                                      uint64_t size_bytes, Use use);

  Status write(uint64_t offset_bytes, std::span<const std::byte> data) override;
  Status read(uint64_t offset_bytes, std::span<std::byte> data) override;
  std::byte* view() override { return view_; }

  VkBuffer handle() const { return buffer_.get(); }

 private:
  explicit VulkanBuffer(std::shared_ptr<VulkanContext> context) : context_(std::move(context)) {}
  Status allocate(uint64_t size_bytes, Use use);
  Status clear(uint64_t size_bytes);

  std::shared_ptr<VulkanContext> context_;
  Owned<VkDeviceMemory> memory_;
  Owned<VkBuffer> buffer_;
  std::byte* view_ = nullptr;
};

}  // namespace vta::driver::vulkan
