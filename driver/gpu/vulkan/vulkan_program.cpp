#include "driver/gpu/vulkan/vulkan_program.h"

#include <algorithm>
#include <utility>

namespace vta::driver::vulkan {
namespace {

void addBarrier(const VulkanApi& api, VkCommandBuffer commands, VkPipelineStageFlags from,
                VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags used) {
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = written;
  barrier.dstAccessMask = used;
  api.CmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

constexpr VkPipelineStageFlags kKernels = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkAccessFlags kUses = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;

/// Time stamps count up to a power of two.
uint64_t ticksBetween(uint64_t begin, uint64_t end, uint32_t bits) {
  const uint64_t difference = end - begin;
  return bits >= 64 ? difference : difference & ((uint64_t{1} << bits) - 1);
}

}  // namespace

Result<std::unique_ptr<VulkanProgram>> VulkanProgram::create(
    std::shared_ptr<VulkanContext> context, PlacedProgram placed,
    std::vector<std::shared_ptr<const VulkanKernel>> kernels,
    const std::vector<VulkanDispatch>& dispatches, bool times) {
  std::unique_ptr<VulkanProgram> program(
      new VulkanProgram(std::move(context), std::move(placed), std::move(kernels)));
  if (dispatches.empty()) return program;
  VTA_RETURN_IF_ERROR(program->bind(dispatches));
  if (times) VTA_RETURN_IF_ERROR(program->createTimes(dispatches.size()));
  VTA_RETURN_IF_ERROR(program->record(dispatches));
  return program;
}

/// A set of descriptors for each dispatch.
Status VulkanProgram::bind(const std::vector<VulkanDispatch>& dispatches) {
  const VulkanApi& api = context_->api();
  uint32_t ranges = 0;
  for (const VulkanDispatch& dispatch : dispatches) {
    ranges += static_cast<uint32_t>(dispatch.ranges.size());
  }
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, std::max(ranges, 1U)};
  VkDescriptorPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = static_cast<uint32_t>(dispatches.size());
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  descriptor_pool_ = Owned<VkDescriptorPool>(*context_, api.DestroyDescriptorPool);
  VTA_RETURN_IF_ERROR(vulkanStatus(
      api.CreateDescriptorPool(context_->device(), &pool, nullptr, descriptor_pool_.out()),
      "vkCreateDescriptorPool"));
  for (const VulkanDispatch& dispatch : dispatches) {
    const VkDescriptorSetLayout layout = dispatch.kernel->set_layout.get();
    VkDescriptorSetAllocateInfo allocate = {};
    allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocate.descriptorPool = descriptor_pool_.get();
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    VTA_RETURN_IF_ERROR(
        vulkanStatus(api.AllocateDescriptorSets(context_->device(), &allocate, &set),
                     "vkAllocateDescriptorSets"));
    sets_.push_back(set);
    for (size_t i = 0; i < dispatch.ranges.size(); ++i) {
      const BoundRange& range = dispatch.ranges[i];
      const VkDescriptorBufferInfo buffer = {range.buffer, range.offset_bytes, range.size_bytes};
      VkWriteDescriptorSet write = {};
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = set;
      write.dstBinding = static_cast<uint32_t>(i);
      write.descriptorCount = 1;
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = &buffer;
      api.UpdateDescriptorSets(context_->device(), 1, &write, 0, nullptr);
    }
  }
  return {};
}

/// A time in front of the first dispatch, and one behind each.
Status VulkanProgram::createTimes(size_t dispatches) {
  VkQueryPoolCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  create.queryType = VK_QUERY_TYPE_TIMESTAMP;
  create.queryCount = static_cast<uint32_t>(dispatches + 1);
  times_ = Owned<VkQueryPool>(*context_, context_->api().DestroyQueryPool);
  VTA_RETURN_IF_ERROR(vulkanStatus(
      context_->api().CreateQueryPool(context_->device(), &create, nullptr, times_.out()),
      "vkCreateQueryPool"));
  seconds_.resize(dispatches);
  return {};
}

Status VulkanProgram::record(const std::vector<VulkanDispatch>& dispatches) {
  const VulkanApi& api = context_->api();
  VTA_ASSIGN_OR_RETURN(command_pool_, context_->createCommandPool());
  VTA_ASSIGN_OR_RETURN(commands_, context_->allocateCommands(command_pool_.get()));
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  VTA_RETURN_IF_ERROR(
      vulkanStatus(api.BeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer"));
  const bool has_times = !seconds_.empty();
  // What earlier programs and copies have written.
  addBarrier(api, commands_, kKernels | VK_PIPELINE_STAGE_TRANSFER_BIT,
             VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, kKernels, kUses);
  if (has_times) {
    const auto count = static_cast<uint32_t>(seconds_.size() + 1);
    api.CmdResetQueryPool(commands_, times_.get(), 0, count);
    api.CmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, times_.get(), 0);
  }
  for (size_t i = 0; i < dispatches.size(); ++i) {
    const VulkanDispatch& dispatch = dispatches[i];
    if (dispatch.waits) {
      addBarrier(api, commands_, kKernels, VK_ACCESS_SHADER_WRITE_BIT, kKernels, kUses);
    }
    api.CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, dispatch.kernel->pipeline.get());
    api.CmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE,
                              dispatch.kernel->layout.get(), 0, 1, &sets_[i], 0, nullptr);
    api.CmdDispatch(commands_, dispatch.workgroups[0], dispatch.workgroups[1],
                    dispatch.workgroups[2]);
    if (has_times) {
      api.CmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, times_.get(),
                            static_cast<uint32_t>(i + 1));
    }
  }
  addBarrier(api, commands_, kKernels, VK_ACCESS_SHADER_WRITE_BIT,
             VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
             VK_ACCESS_HOST_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT);
  return vulkanStatus(api.EndCommandBuffer(commands_), "vkEndCommandBuffer");
}

Status VulkanProgram::run(std::chrono::milliseconds timeout) {
  if (commands_ == VK_NULL_HANDLE) return context_->checkIdle();
  VTA_RETURN_IF_ERROR(context_->submit(commands_, timeout));
  return seconds_.empty() ? Status() : readTimes();
}

Status VulkanProgram::readTimes() {
  std::vector<uint64_t> ticks(seconds_.size() + 1);
  VTA_RETURN_IF_ERROR(
      vulkanStatus(context_->api().GetQueryPoolResults(
                       context_->device(), times_.get(), 0, static_cast<uint32_t>(ticks.size()),
                       ticks.size() * sizeof(uint64_t), ticks.data(), sizeof(uint64_t),
                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                   "vkGetQueryPoolResults"));
  const PhysicalGpu& gpu = context_->gpu();
  for (size_t i = 0; i < seconds_.size(); ++i) {
    const uint64_t between = ticksBetween(ticks[i], ticks[i + 1], gpu.timestamp_bits);
    seconds_[i] = static_cast<double>(between) * gpu.timestamp_nanoseconds * 1e-9;
  }
  return {};
}

}  // namespace vta::driver::vulkan
