// Compiled kernels.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "driver/gpu/code_cache.h"
#include "driver/gpu/vulkan/vulkan_context.h"
#include "module/gpu/gpu_program.h"

namespace vta::driver::vulkan {

struct VulkanKernel {
  Owned<VkDescriptorSetLayout> set_layout;
  Owned<VkPipelineLayout> layout;
  Owned<VkPipeline> pipeline;
};

/// All kernels that a device has compiled, by their code.
class KernelCache {
 public:
  explicit KernelCache(const VulkanContext& context);

  /// The kernel of `code` with so many bindings, compiled if it is new. It lives as long as the
  /// cache or the result. Errors: kInvalidArgument for code that the driver refuses; no memory.
  Result<std::shared_ptr<const VulkanKernel>> get(const GpuCode& code, size_t bindings);

  /// Those of what is kept between runs of programs.
  std::vector<std::string> takeNotes() { return kept_.takeNotes(); }

 private:
  struct Key {
    std::vector<std::byte> code;
    std::string entry_point;
    size_t bindings = 0;
    auto operator<=>(const Key&) const = default;
  };

  Result<std::shared_ptr<const VulkanKernel>> compile(const GpuCode& code, size_t bindings);
  /// With what was kept of `code`; `is_new` is then false. None if the driver makes none.
  Owned<VkPipelineCache> pipelineCacheFor(const GpuCode& code, bool& is_new);

  const VulkanContext& context_;
  GpuCodeCache kept_;
  std::map<Key, std::shared_ptr<const VulkanKernel>> kernels_;
};

}  // namespace vta::driver::vulkan
