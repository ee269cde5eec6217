#include "driver/gpu/vulkan/vulkan_buffer.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace vta::driver::vulkan {
namespace {

constexpr uint64_t kCopyBytes = uint64_t{4} << 20;  // that go by way of the shared buffer at once

constexpr VkMemoryPropertyFlags kReached =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr std::array<VkMemoryPropertyFlags, 4> kSharedMemory = {
    kReached | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
    kReached | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, kReached | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    kReached};
constexpr std::array<VkMemoryPropertyFlags, 2> kCopyMemory = {
    kReached | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, kReached};
constexpr std::array<VkMemoryPropertyFlags, 1> kLocalMemory = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};

std::span<const VkMemoryPropertyFlags> memoryFor(VulkanBuffer::Use use, bool is_staged) {
  if (use == VulkanBuffer::Use::kCopies) return kCopyMemory;
  if (is_staged) return kLocalMemory;
  return kSharedMemory;
}

}  // namespace

Result<std::unique_ptr<VulkanBuffer>> VulkanBuffer::create(std::shared_ptr<VulkanContext> context,
                                                           uint64_t size_bytes, Use use) {
  std::unique_ptr<VulkanBuffer> buffer(new VulkanBuffer(std::move(context)));
  VTA_RETURN_IF_ERROR(buffer->allocate(size_bytes, use));
  if (use == Use::kTensors) VTA_RETURN_IF_ERROR(buffer->clear(size_bytes));
  return buffer;
}

Status VulkanBuffer::allocate(uint64_t size_bytes, Use use) {
  const VulkanApi& api = context_->api();
  VkBufferCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  create.size = size_bytes;
  create.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const GpuQueue& work = context_->gpu().work_queue;
  const GpuQueue& copies = context_->gpu().copy_queue;
  const std::array<uint32_t, 2> families = {work.family, copies.family};
  if (work.family != copies.family) {
    create.sharingMode = VK_SHARING_MODE_CONCURRENT;
    create.queueFamilyIndexCount = families.size();
    create.pQueueFamilyIndices = families.data();
  }
  buffer_ = Owned<VkBuffer>(*context_, api.DestroyBuffer);
  VTA_RETURN_IF_ERROR(vulkanStatus(
      api.CreateBuffer(context_->device(), &create, nullptr, buffer_.out()), "vkCreateBuffer"));
  VkMemoryRequirements needed = {};
  api.GetBufferMemoryRequirements(context_->device(), buffer_.get(), &needed);
  VkMemoryAllocateInfo allocation = {};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.allocationSize = needed.size;
  VTA_ASSIGN_OR_RETURN(
      allocation.memoryTypeIndex,
      context_->findMemoryType(needed.memoryTypeBits, memoryFor(use, context_->isStaged())));
  memory_ = Owned<VkDeviceMemory>(*context_, api.FreeMemory);
  VTA_RETURN_IF_ERROR(
      vulkanStatus(api.AllocateMemory(context_->device(), &allocation, nullptr, memory_.out()),
                   "vkAllocateMemory"));
  VTA_RETURN_IF_ERROR(
      vulkanStatus(api.BindBufferMemory(context_->device(), buffer_.get(), memory_.get(), 0),
                   "vkBindBufferMemory"));
  if (use == Use::kTensors && context_->isStaged()) return {};
  void* view = nullptr;
  VTA_RETURN_IF_ERROR(vulkanStatus(
      api.MapMemory(context_->device(), memory_.get(), 0, VK_WHOLE_SIZE, 0, &view), "vkMapMemory"));
  view_ = static_cast<std::byte*>(view);
  return {};
}

Status VulkanBuffer::clear(uint64_t size_bytes) {
  if (view_ != nullptr) {
    std::memset(view_, 0, size_bytes);
    return {};
  }
  return context_->copy([&](VkCommandBuffer commands) {
    context_->api().CmdFillBuffer(commands, buffer_.get(), 0, VK_WHOLE_SIZE, 0);
  });
}

Status VulkanBuffer::write(uint64_t offset_bytes, std::span<const std::byte> data) {
  if (view_ != nullptr) {
    std::ranges::copy(data, view_ + offset_bytes);
    return {};
  }
  VTA_ASSIGN_OR_RETURN(const auto shared,
                       create(context_, std::min<uint64_t>(kCopyBytes, data.size()), Use::kCopies));
  for (uint64_t done = 0; done < data.size(); done += kCopyBytes) {
    const auto part = data.subspan(done, std::min<uint64_t>(kCopyBytes, data.size() - done));
    std::ranges::copy(part, shared->view());
    VTA_RETURN_IF_ERROR(context_->copy([&](VkCommandBuffer commands) {
      const VkBufferCopy copy = {0, offset_bytes + done, part.size()};
      context_->api().CmdCopyBuffer(commands, shared->handle(), buffer_.get(), 1, &copy);
    }));
  }
  return {};
}

Status VulkanBuffer::read(uint64_t offset_bytes, std::span<std::byte> data) {
  if (view_ != nullptr) {
    std::copy_n(view_ + offset_bytes, data.size(), data.begin());
    return {};
  }
  VTA_ASSIGN_OR_RETURN(const auto shared,
                       create(context_, std::min<uint64_t>(kCopyBytes, data.size()), Use::kCopies));
  for (uint64_t done = 0; done < data.size(); done += kCopyBytes) {
    const auto part = data.subspan(done, std::min<uint64_t>(kCopyBytes, data.size() - done));
    VTA_RETURN_IF_ERROR(context_->copy([&](VkCommandBuffer commands) {
      const auto add_barrier = [&](VkPipelineStageFlags from, VkAccessFlags written,
                                   VkPipelineStageFlags to, VkAccessFlags read) {
        VkMemoryBarrier barrier = {};
        barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
        barrier.srcAccessMask = written;
        barrier.dstAccessMask = read;
        context_->api().CmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, nullptr, 0,
                                           nullptr);
      };
      // What another queue has written, which has ended.
      add_barrier(VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, VK_PIPELINE_STAGE_TRANSFER_BIT,
                  VK_ACCESS_TRANSFER_READ_BIT);
      const VkBufferCopy copy = {offset_bytes + done, 0, part.size()};
      context_->api().CmdCopyBuffer(commands, buffer_.get(), shared->handle(), 1, &copy);
      add_barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                  VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    }));
    std::copy_n(shared->view(), part.size(), part.begin());
  }
  return {};
}

}  // namespace vta::driver::vulkan
