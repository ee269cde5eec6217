#include "driver/gpu/vulkan/vulkan_context.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "driver/gpu/vulkan/vulkan_limits.h"

namespace vta::driver::vulkan {
namespace {

/// How long the device is waited for at the end, when a kernel did not end in time.
constexpr std::chrono::seconds kLastWait{2};

uint64_t nanoseconds(std::chrono::milliseconds time) {
  return static_cast<uint64_t>(std::chrono::nanoseconds(time).count());
}

bool sharesHostMemory(GpuKind kind) {
  return kind == GpuKind::kIntegrated || kind == GpuKind::kCpu;
}

}  // namespace

VulkanContext::VulkanContext(std::unique_ptr<VulkanInstance> instance, const PhysicalGpu& gpu,
                             const VulkanOptions& options)
    : instance_(std::move(instance)),
      gpu_(gpu),
      is_staged_(options.staged || !sharesHostMemory(gpu.info.kind)) {}

Result<std::shared_ptr<VulkanContext>> VulkanContext::create(
    std::unique_ptr<VulkanInstance> instance, const PhysicalGpu& gpu,
    const VulkanOptions& options) {
  std::shared_ptr<VulkanContext> context(new VulkanContext(std::move(instance), gpu, options));
  VTA_RETURN_IF_ERROR(context->open());
  return context;
}

Status VulkanContext::createDevice() {
  constexpr std::array<float, 2> kPriorities = {1, 1};
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (const GpuQueue& wanted : {gpu_.work_queue, gpu_.copy_queue}) {
    const auto known =
        std::ranges::find(queues, wanted.family, &VkDeviceQueueCreateInfo::queueFamilyIndex);
    VkDeviceQueueCreateInfo& queue = known == queues.end() ? queues.emplace_back() : *known;
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = wanted.family;
    queue.queueCount = wanted.number + 1;
    queue.pQueuePriorities = kPriorities.data();
  }
  FeatureChain features(gpu_.has_dot_product_extension);
  enable(gpu_.info.features, features);
  const char* const extension = VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME;
  VkDeviceCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  create.pNext = &features.head;
  create.queueCreateInfoCount = static_cast<uint32_t>(queues.size());
  create.pQueueCreateInfos = queues.data();
  create.enabledExtensionCount = gpu_.has_dot_product_extension ? 1 : 0;
  create.ppEnabledExtensionNames = &extension;
  return vulkanStatus(api().CreateDevice(gpu_.handle, &create, nullptr, &device_),
                      "vkCreateDevice");
}

Status VulkanContext::openLane(const GpuQueue& queue, Lane& lane) {
  api().GetDeviceQueue(device_, queue.family, queue.number, &lane.queue);
  VkFenceCreateInfo fence = {};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  return vulkanStatus(api().CreateFence(device_, &fence, nullptr, &lane.fence), "vkCreateFence");
}

Status VulkanContext::open() {
  VTA_RETURN_IF_ERROR(createDevice());
  VTA_RETURN_IF_ERROR(openLane(gpu_.work_queue, work_));
  VTA_RETURN_IF_ERROR(openLane(gpu_.copy_queue, copies_));
  VTA_ASSIGN_OR_RETURN(pool_, createPool(gpu_.copy_queue.family));
  VTA_ASSIGN_OR_RETURN(commands_, allocateCommands(pool_));
  return {};
}

VulkanContext::~VulkanContext() {
  if (device_ == VK_NULL_HANDLE) return;
  for (const Lane* lane : {&work_, &copies_}) {
    if (!lane->may_be_busy) continue;
    (void)api().WaitForFences(device_, 1, &lane->fence, VK_TRUE, nanoseconds(kLastWait));
  }
  if (isBusy()) {
    // Kernels that never end may use what a destruction would free.
    [[maybe_unused]] const VulkanInstance* const stays = instance_.release();
    return;
  }
  if (pool_ != VK_NULL_HANDLE) api().DestroyCommandPool(device_, pool_, nullptr);
  for (const Lane* lane : {&work_, &copies_}) {
    if (lane->fence != VK_NULL_HANDLE) api().DestroyFence(device_, lane->fence, nullptr);
  }
  api().DestroyDevice(device_, nullptr);
}

Result<uint32_t> VulkanContext::findMemoryType(
    uint32_t allowed, std::span<const VkMemoryPropertyFlags> choices) const {
  VkPhysicalDeviceMemoryProperties memory = {};
  api().GetPhysicalDeviceMemoryProperties(gpu_.handle, &memory);
  for (const VkMemoryPropertyFlags wanted : choices) {
    for (uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
      const bool has_all = (memory.memoryTypes[type].propertyFlags & wanted) == wanted;
      if (has_all && ((allowed >> type) & 1U) != 0) return type;
    }
  }
  return unsupported("Vulkan: the GPU has no memory of the kind that tensors need");
}

bool VulkanContext::isBusy(const Lane& lane) const {
  if (!lane.may_be_busy) return false;
  lane.may_be_busy = api().GetFenceStatus(device_, lane.fence) == VK_NOT_READY;
  return lane.may_be_busy;
}

bool VulkanContext::isBusy() const { return isBusy(work_) || isBusy(copies_); }

Status VulkanContext::checkIdle() const {
  if (has_stopped_) {
    return {StatusCode::kDeviceFault,
            "Vulkan: the GPU has stopped in an earlier run; open it again"};
  }
  if (!isBusy()) return {};
  return {StatusCode::kDeadlineExceeded,
          "Vulkan: a kernel of an earlier run, which took too long, still runs"};
}

Status VulkanContext::submit(Lane& lane, VkCommandBuffer commands,
                             std::chrono::milliseconds timeout) {
  VTA_RETURN_IF_ERROR(checkIdle());
  VTA_RETURN_IF_ERROR(vulkanStatus(api().ResetFences(device_, 1, &lane.fence), "vkResetFences"));
  VkSubmitInfo submit = {};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  Status status =
      vulkanStatus(api().QueueSubmit(lane.queue, 1, &submit, lane.fence), "vkQueueSubmit");
  if (status.ok()) {
    const VkResult result =
        api().WaitForFences(device_, 1, &lane.fence, VK_TRUE, nanoseconds(timeout));
    if (result == VK_TIMEOUT) {
      lane.may_be_busy = true;
      return kernelsTakeTooLong(timeout);
    }
    status = vulkanStatus(result, "vkWaitForFences");
  }
  if (status.code() == StatusCode::kDeviceFault) has_stopped_ = true;
  return status;
}

Status VulkanContext::submit(VkCommandBuffer commands, std::chrono::milliseconds timeout) {
  return submit(work_, commands, timeout);
}

Status VulkanContext::copy(const std::function<void(VkCommandBuffer)>& record) {
  VTA_RETURN_IF_ERROR(checkIdle());
  VTA_RETURN_IF_ERROR(
      vulkanStatus(api().ResetCommandPool(device_, pool_, 0), "vkResetCommandPool"));
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  VTA_RETURN_IF_ERROR(
      vulkanStatus(api().BeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer"));
  record(commands_);
  VTA_RETURN_IF_ERROR(vulkanStatus(api().EndCommandBuffer(commands_), "vkEndCommandBuffer"));
  constexpr std::chrono::minutes kLongest{1};
  return submit(copies_, commands_, kLongest);
}

Result<VkCommandPool> VulkanContext::createPool(uint32_t family) const {
  VkCommandPoolCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  create.queueFamilyIndex = family;
  VkCommandPool pool = VK_NULL_HANDLE;
  VTA_RETURN_IF_ERROR(vulkanStatus(api().CreateCommandPool(device_, &create, nullptr, &pool),
                                   "vkCreateCommandPool"));
  return pool;
}

Result<Owned<VkCommandPool>> VulkanContext::createCommandPool() const {
  Owned<VkCommandPool> pool(*this, api().DestroyCommandPool);
  VTA_ASSIGN_OR_RETURN(*pool.out(), createPool(gpu_.work_queue.family));
  return pool;
}

Result<VkCommandBuffer> VulkanContext::allocateCommands(VkCommandPool pool) const {
  VkCommandBufferAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VTA_RETURN_IF_ERROR(vulkanStatus(api().AllocateCommandBuffers(device_, &allocate, &commands),
                                   "vkAllocateCommandBuffers"));
  return commands;
}

}  // namespace vta::driver::vulkan
