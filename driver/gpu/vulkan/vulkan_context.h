// The connection to one GPU: what its buffers, kernels and programs share.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "base/status.h"
#include "driver/gpu/vulkan/vulkan_api.h"
#include "driver/gpu/vulkan/vulkan_instance.h"

namespace vta::driver::vulkan {

class VulkanContext;

/// An object of a device that is destroyed at the end of its scope: not while a kernel runs that
/// did not end in time, because that may use it.
template <typename Handle>
class Owned {
 public:
  using Destroy = void(VKAPI_PTR*)(VkDevice, Handle, const VkAllocationCallbacks*);

  Owned() = default;
  Owned(const VulkanContext& context, Destroy destroy) : context_(&context), destroy_(destroy) {}
  Owned(Owned&& other) noexcept { *this = std::move(other); }
  Owned& operator=(Owned&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(destroy_, other.destroy_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned();

  Handle get() const { return handle_; }
  /// Where a function of Vulkan writes the handle that it creates.
  Handle* out() { return &handle_; }

 private:
  const VulkanContext* context_ = nullptr;
  Destroy destroy_ = nullptr;
  Handle handle_ = VK_NULL_HANDLE;
};

struct VulkanOptions {
  /// Buffers lie where the host does not reach them, also on GPUs that share the host's memory.
  bool staged = false;
};

class VulkanContext {
 public:
  /// Opens a GPU of `instance`. Errors: those of the driver.
  static Result<std::shared_ptr<VulkanContext>> create(std::unique_ptr<VulkanInstance> instance,
                                                       const PhysicalGpu& gpu,
                                                       const VulkanOptions& options);
  ~VulkanContext();
  VulkanContext(const VulkanContext&) = delete;
  VulkanContext& operator=(const VulkanContext&) = delete;

  const VulkanApi& api() const { return instance_->api(); }
  VkDevice device() const { return device_; }
  const PhysicalGpu& gpu() const { return gpu_; }
  bool isStaged() const { return is_staged_; }

  /// The memory type with these properties that `allowed` (a bit for each) contains, the first
  /// choice before others. Errors: kUnsupported.
  Result<uint32_t> findMemoryType(uint32_t allowed,
                                  std::span<const VkMemoryPropertyFlags> choices) const;

  /// Runs kernels to their end. Errors: kDeadlineExceeded, after which isBusy() is true until they
  /// have ended; kDeviceFault; the driver's.
  Status submit(VkCommandBuffer commands, std::chrono::milliseconds timeout);

  /// Records copies and runs them to their end, on a queue of their own if there is one: then by
  /// any one thread, also while another one submits kernels. Errors: those of submit().
  Status copy(const std::function<void(VkCommandBuffer)>& record);
  bool hasCopyQueue() const { return gpu_.copy_queue != gpu_.work_queue; }

  /// Commands still run that did not end in time.
  bool isBusy() const;
  /// Errors: kDeadlineExceeded while isBusy(); kDeviceFault for ever after the GPU has stopped.
  Status checkIdle() const;

  /// A pool for commands of the queue for kernels.
  Result<Owned<VkCommandPool>> createCommandPool() const;
  Result<VkCommandBuffer> allocateCommands(VkCommandPool pool) const;

 private:
  VulkanContext(std::unique_ptr<VulkanInstance> instance, const PhysicalGpu& gpu,
                const VulkanOptions& options);
  /// A queue, and what tells that its commands have ended.
  struct Lane {
    VkQueue queue = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    mutable std::atomic<bool> may_be_busy = false;
  };

  Status open();
  Status createDevice();
  Status openLane(const GpuQueue& queue, Lane& lane);
  Status submit(Lane& lane, VkCommandBuffer commands, std::chrono::milliseconds timeout);
  bool isBusy(const Lane& lane) const;
  Result<VkCommandPool> createPool(uint32_t family) const;

  std::unique_ptr<VulkanInstance> instance_;
  PhysicalGpu gpu_;
  bool is_staged_;
  VkDevice device_ = VK_NULL_HANDLE;
  Lane work_, copies_;
  VkCommandPool pool_ = VK_NULL_HANDLE;  // of copies
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  std::atomic<bool> has_stopped_ = false;
};

template <typename Handle>
Owned<Handle>::~Owned() {
  if (handle_ == VK_NULL_HANDLE || context_->isBusy()) return;
  destroy_(context_->device(), handle_, nullptr);
}

}  // namespace vta::driver::vulkan
