#include "driver/gpu/vulkan/vulkan_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>

namespace vta::driver::vulkan {
namespace {

Status createLayouts(const VulkanContext& context, size_t bindings, VulkanKernel& kernel) {
  std::vector<VkDescriptorSetLayoutBinding> list(bindings);
  for (size_t i = 0; i < bindings; ++i) {
    list[i] = {static_cast<uint32_t>(i), VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
               VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  }
  VkDescriptorSetLayoutCreateInfo set = {};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = static_cast<uint32_t>(bindings);
  set.pBindings = list.data();
  const VulkanApi& api = context.api();
  kernel.set_layout = Owned<VkDescriptorSetLayout>(context, api.DestroyDescriptorSetLayout);
  VTA_RETURN_IF_ERROR(vulkanStatus(
      api.CreateDescriptorSetLayout(context.device(), &set, nullptr, kernel.set_layout.out()),
      "vkCreateDescriptorSetLayout"));
  VkPipelineLayoutCreateInfo layout = {};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  const VkDescriptorSetLayout set_layout = kernel.set_layout.get();
  layout.pSetLayouts = &set_layout;
  kernel.layout = Owned<VkPipelineLayout>(context, api.DestroyPipelineLayout);
  return vulkanStatus(
      api.CreatePipelineLayout(context.device(), &layout, nullptr, kernel.layout.out()),
      "vkCreatePipelineLayout");
}

Result<Owned<VkShaderModule>> createShader(const VulkanContext& context, const GpuCode& code) {
  std::vector<uint32_t> words(code.code.size() / sizeof(uint32_t));
  std::memcpy(words.data(), code.code.data(), code.code.size());
  VkShaderModuleCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  create.codeSize = code.code.size();
  create.pCode = words.data();
  Owned<VkShaderModule> shader(context, context.api().DestroyShaderModule);
  VTA_RETURN_IF_ERROR(vulkanStatus(
      context.api().CreateShaderModule(context.device(), &create, nullptr, shader.out()),
      "vkCreateShaderModule"));
  return shader;
}

/// Numbers and identity at the beginning of a pipeline cache's data.
constexpr size_t kHeaderBytes = 4 * sizeof(uint32_t) + VK_UUID_SIZE;

/// A driver may take anything for its own, so it gets only what begins as what it has made.
bool hasHeaderOf(std::span<const std::byte> data, const PhysicalGpu& gpu) {
  if (data.size() < kHeaderBytes) return false;
  const auto identity = std::as_bytes(std::span(gpu.cache_identity));
  return std::ranges::equal(data.subspan(4 * sizeof(uint32_t), VK_UUID_SIZE), identity);
}

Owned<VkPipelineCache> createPipelineCache(const VulkanContext& context,
                                           std::span<const std::byte> data) {
  VkPipelineCacheCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  create.initialDataSize = data.size();
  create.pInitialData = data.empty() ? nullptr : data.data();
  Owned<VkPipelineCache> cache(context, context.api().DestroyPipelineCache);
  if (context.api().CreatePipelineCache(context.device(), &create, nullptr, cache.out()) !=
      VK_SUCCESS) {
    *cache.out() = VK_NULL_HANDLE;
  }
  return cache;
}

/// Empty where the driver keeps nothing in it.
std::vector<std::byte> dataOf(const VulkanContext& context, VkPipelineCache cache) {
  size_t size = 0;
  const auto& api = context.api();
  if (cache == VK_NULL_HANDLE ||
      api.GetPipelineCacheData(context.device(), cache, &size, nullptr) != VK_SUCCESS) {
    return {};
  }
  std::vector<std::byte> data(size);
  if (size <= kHeaderBytes ||
      api.GetPipelineCacheData(context.device(), cache, &size, data.data()) != VK_SUCCESS) {
    return {};
  }
  return data;
}

}  // namespace

KernelCache::KernelCache(const VulkanContext& context)
    : context_(context),
      kept_(context.gpu().info,
            fmt::format("{:02x}", fmt::join(context.gpu().cache_identity, ""))) {}

Owned<VkPipelineCache> KernelCache::pipelineCacheFor(const GpuCode& code, bool& is_new) {
  const std::optional<std::vector<std::byte>> found = kept_.find(code.code);
  is_new = !found;
  if (!found) return createPipelineCache(context_, {});
  if (hasHeaderOf(*found, context_.gpu())) {
    Owned<VkPipelineCache> cache = createPipelineCache(context_, *found);
    if (cache.get() != VK_NULL_HANDLE) return cache;
  }
  kept_.refuse(ioError("it is not of this GPU and driver"));
  is_new = true;
  return createPipelineCache(context_, {});
}

Result<std::shared_ptr<const VulkanKernel>> KernelCache::get(const GpuCode& code, size_t bindings) {
  Key key = {code.code, code.entry_point, bindings};
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found->second;
  VTA_ASSIGN_OR_RETURN(auto kernel, compile(code, bindings));
  kernels_[std::move(key)] = kernel;
  return kernel;
}

Result<std::shared_ptr<const VulkanKernel>> KernelCache::compile(const GpuCode& code,
                                                                 size_t bindings) {
  const VulkanApi& api = context_.api();
  auto kernel = std::make_shared<VulkanKernel>();
  VTA_RETURN_IF_ERROR(createLayouts(context_, bindings, *kernel));
  VTA_ASSIGN_OR_RETURN(const Owned<VkShaderModule> shader, createShader(context_, code));
  VkComputePipelineCreateInfo create = {};
  create.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  create.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  create.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  create.stage.module = shader.get();
  create.stage.pName = code.entry_point.c_str();
  create.layout = kernel->layout.get();
  kernel->pipeline = Owned<VkPipeline>(context_, api.DestroyPipeline);
  bool is_new = true;
  const Owned<VkPipelineCache> cache = pipelineCacheFor(code, is_new);
  const auto start = std::chrono::steady_clock::now();
  VTA_RETURN_IF_ERROR(
      vulkanStatus(api.CreateComputePipelines(context_.device(), cache.get(), 1, &create, nullptr,
                                              kernel->pipeline.out()),
                   "vkCreateComputePipelines"));
  const auto took = std::chrono::steady_clock::now() - start;
  if (is_new) kept_.add(code.code, dataOf(context_, cache.get()), took);
  return std::shared_ptr<const VulkanKernel>(std::move(kernel));
}

}  // namespace vta::driver::vulkan
