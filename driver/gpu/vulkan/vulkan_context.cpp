#include "driver/gpu/vulkan/vulkan_context.h"

#include <algorithm>
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

Status VulkanContext::open() {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = gpu_.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  FeatureChain features(gpu_.has_dot_product_extension);
  enable(gpu_.info.features, features);
  const char* const extension = VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME;
  VkDeviceCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  create.pNext = &features.head;
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  create.enabledExtensionCount = gpu_.has_dot_product_extension ? 1 : 0;
  create.ppEnabledExtensionNames = &extension;
  VTA_RETURN_IF_ERROR(
      vulkanStatus(api().CreateDevice(gpu_.handle, &create, nullptr, &device_), "vkCreateDevice"));
  api().GetDeviceQueue(device_, gpu_.queue_family, 0, &queue_);
  VkFenceCreateInfo fence = {};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VTA_RETURN_IF_ERROR(
      vulkanStatus(api().CreateFence(device_, &fence, nullptr, &fence_), "vkCreateFence"));
  VkCommandPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = gpu_.queue_family;
  VTA_RETURN_IF_ERROR(vulkanStatus(api().CreateCommandPool(device_, &pool, nullptr, &pool_),
                                   "vkCreateCommandPool"));
  VTA_ASSIGN_OR_RETURN(commands_, allocateCommands(pool_));
  return {};
}

VulkanContext::~VulkanContext() {
  if (device_ == VK_NULL_HANDLE) return;
  if (may_be_busy_) (void)api().WaitForFences(device_, 1, &fence_, VK_TRUE, nanoseconds(kLastWait));
  if (isBusy()) {
    // Kernels that never end may use what a destruction would free.
    (void)instance_.release();
    return;
  }
  if (pool_ != VK_NULL_HANDLE) api().DestroyCommandPool(device_, pool_, nullptr);
  if (fence_ != VK_NULL_HANDLE) api().DestroyFence(device_, fence_, nullptr);
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

bool VulkanContext::isBusy() const {
  if (!may_be_busy_) return false;
  may_be_busy_ = api().GetFenceStatus(device_, fence_) == VK_NOT_READY;
  return may_be_busy_;
}

Status VulkanContext::checkIdle() const {
  if (has_stopped_) {
    return {StatusCode::kDeviceFault,
            "Vulkan: the GPU has stopped in an earlier run; open it again"};
  }
  if (!isBusy()) return {};
  return {StatusCode::kDeadlineExceeded,
          "Vulkan: a kernel of an earlier run, which took too long, still runs"};
}

Status VulkanContext::submit(VkCommandBuffer commands, std::chrono::milliseconds timeout) {
  VTA_RETURN_IF_ERROR(checkIdle());
  VTA_RETURN_IF_ERROR(vulkanStatus(api().ResetFences(device_, 1, &fence_), "vkResetFences"));
  VkSubmitInfo submit = {};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  Status status = vulkanStatus(api().QueueSubmit(queue_, 1, &submit, fence_), "vkQueueSubmit");
  if (status.ok()) {
    const VkResult result = api().WaitForFences(device_, 1, &fence_, VK_TRUE, nanoseconds(timeout));
    if (result == VK_TIMEOUT) {
      may_be_busy_ = true;
      return kernelsTakeTooLong(timeout);
    }
    status = vulkanStatus(result, "vkWaitForFences");
  }
  has_stopped_ = status.code() == StatusCode::kDeviceFault;
  return status;
}

Status VulkanContext::runOnce(const std::function<void(VkCommandBuffer)>& record) {
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
  return submit(commands_, kLongest);
}

Result<Owned<VkCommandPool>> VulkanContext::createCommandPool() const {
  Owned<VkCommandPool> pool(*this, api().DestroyCommandPool);
  VkCommandPoolCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  create.queueFamilyIndex = gpu_.queue_family;
  VTA_RETURN_IF_ERROR(vulkanStatus(api().CreateCommandPool(device_, &create, nullptr, pool.out()),
                                   "vkCreateCommandPool"));
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
