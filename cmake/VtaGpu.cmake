# The types of Vulkan, for GPUs. Its loader and drivers are opened at run time; the rest builds without.
if(VTA_SYSROOT)
  find_path(VTA_VULKAN_INCLUDE_DIR vulkan/vulkan_core.h PATHS ${VTA_SYSROOT}/usr/include NO_DEFAULT_PATH)
else()
  find_path(VTA_VULKAN_INCLUDE_DIR vulkan/vulkan_core.h)
endif()
if(NOT VTA_VULKAN_INCLUDE_DIR)
  message(STATUS "No GPUs by way of Vulkan: `scripts/setup gpu` installs its headers (libvulkan-dev)")
endif()
