#include "driver/gpu/vulkan/vulkan_kernel.h"

#include <fmt/format.h>

#include <cstring>

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

}  // namespace

Result<std::shared_ptr<const VulkanKernel>> KernelCache::get(const GpuCode& code, size_t bindings) {
  Key key = {code.code, code.entry_point, bindings};
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found->second;
  VTA_ASSIGN_OR_RETURN(auto kernel, compile(code, bindings));
  kernels_[std::move(key)] = kernel;
  return kernel;
}

Result<std::shared_ptr<const VulkanKernel>> KernelCache::compile(const GpuCode& code,
                                                                 size_t bindings) const {
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
  VTA_RETURN_IF_ERROR(
      vulkanStatus(api.CreateComputePipelines(context_.device(), VK_NULL_HANDLE, 1, &create,
                                              nullptr, kernel->pipeline.out()),
                   "vkCreateComputePipelines"));
  return std::shared_ptr<const VulkanKernel>(std::move(kernel));
}

}  // namespace vta::driver::vulkan
