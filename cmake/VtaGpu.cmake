# The types of Vulkan, for GPUs. Its loader and drivers are opened at run time; the rest builds without.
find_path(VTA_VULKAN_INCLUDE_DIR vulkan/vulkan_core.h)
if(NOT VTA_VULKAN_INCLUDE_DIR)
  message(STATUS "No GPUs by way of Vulkan: `scripts/setup gpu` installs its headers (libvulkan-dev)")
endif()
