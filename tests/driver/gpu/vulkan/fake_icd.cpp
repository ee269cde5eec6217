// A driver of Vulkan that stands in front of another one and spoils what FAKE_VULKAN names:
// old: the GPU has Vulkan 1.1. full: there is no memory. lost: the GPU stops when it is to work.
// hang: what it works on does not end.
// FAKE_VULKAN_DRIVER: the library of the other one.
#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <vulkan/vulkan_core.h>

#include <cstdlib>
#include <cstring>

namespace {

bool spoils(const char* what) {
  const char* named = std::getenv("FAKE_VULKAN");
  return named != nullptr && std::strcmp(named, what) == 0;
}

void* other(const char* symbol) {
  static void* const library = dlopen(std::getenv("FAKE_VULKAN_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : dlsym(library, symbol);
}

PFN_vkVoidFunction otherFunction(VkInstance instance, const char* name) {
  static const auto find =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(other("vk_icdGetInstanceProcAddr"));
  return find == nullptr ? nullptr : find(instance, name);
}

VkInstance the_instance = VK_NULL_HANDLE;

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo* info,
                                              const VkAllocationCallbacks* callbacks,
                                              VkInstance* instance) {
  const auto create =
      reinterpret_cast<PFN_vkCreateInstance>(otherFunction(VK_NULL_HANDLE, "vkCreateInstance"));
  const VkResult result = create(info, callbacks, instance);
  the_instance = *instance;
  return result;
}

VKAPI_ATTR void VKAPI_CALL getProperties(VkPhysicalDevice gpu,
                                         VkPhysicalDeviceProperties* properties) {
  reinterpret_cast<PFN_vkGetPhysicalDeviceProperties>(
      otherFunction(the_instance, "vkGetPhysicalDeviceProperties"))(gpu, properties);
  if (spoils("old")) properties->apiVersion = VK_API_VERSION_1_1;
}
VKAPI_ATTR void VKAPI_CALL getProperties2(VkPhysicalDevice gpu,
                                          VkPhysicalDeviceProperties2* properties) {
  reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(
      otherFunction(the_instance, "vkGetPhysicalDeviceProperties2"))(gpu, properties);
  if (spoils("old")) properties->properties.apiVersion = VK_API_VERSION_1_1;
}

VKAPI_ATTR VkResult VKAPI_CALL noMemory(VkDevice, const VkMemoryAllocateInfo*,
                                        const VkAllocationCallbacks*, VkDeviceMemory*) {
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}
VKAPI_ATTR VkResult VKAPI_CALL loseDevice(VkQueue, uint32_t, const VkSubmitInfo*, VkFence) {
  return VK_ERROR_DEVICE_LOST;
}
VKAPI_ATTR VkResult VKAPI_CALL waitInVain(VkDevice, uint32_t, const VkFence*, VkBool32, uint64_t) {
  return VK_TIMEOUT;
}
VKAPI_ATTR VkResult VKAPI_CALL isNotReady(VkDevice, VkFence) { return VK_NOT_READY; }

template <typename Function>
PFN_vkVoidFunction asVoid(Function function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceFunction(VkDevice device, const char* name) {
  const auto is = [&](const char* other_name) { return std::strcmp(name, other_name) == 0; };
  if (is("vkGetDeviceProcAddr")) return asVoid(getDeviceFunction);
  if (spoils("full") && is("vkAllocateMemory")) return asVoid(noMemory);
  if (spoils("lost") && is("vkQueueSubmit")) return asVoid(loseDevice);
  if (spoils("hang") && is("vkWaitForFences")) return asVoid(waitInVain);
  if (spoils("hang") && is("vkGetFenceStatus")) return asVoid(isNotReady);
  const auto find =
      reinterpret_cast<PFN_vkGetDeviceProcAddr>(otherFunction(the_instance, "vkGetDeviceProcAddr"));
  return find(device, name);
}

}  // namespace

extern "C" {

VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
  const auto negotiate = reinterpret_cast<VkResult(VKAPI_PTR*)(uint32_t*)>(
      other("vk_icdNegotiateLoaderICDInterfaceVersion"));
  return negotiate == nullptr ? VK_ERROR_INCOMPATIBLE_DRIVER : negotiate(version);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                   const char* name) {
  const auto is = [&](const char* other_name) { return std::strcmp(name, other_name) == 0; };
  if (is("vkCreateInstance")) return asVoid(createInstance);
  if (is("vkGetPhysicalDeviceProperties")) return asVoid(getProperties);
  if (is("vkGetPhysicalDeviceProperties2")) return asVoid(getProperties2);
  if (is("vkGetPhysicalDeviceProperties2KHR")) return asVoid(getProperties2);
  if (is("vkGetDeviceProcAddr")) return asVoid(getDeviceFunction);
  return otherFunction(instance, name);
}

}  // extern "C"
