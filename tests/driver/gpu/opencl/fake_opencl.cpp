// A driver of OpenCL that stands in front of another one, FAKE_OPENCL_DRIVER, and spoils what
// FAKE_OPENCL names:
// crash: the process ends when the library is loaded. mute: it does not answer when it is asked for
// devices. empty: there are none. broken: asking for them fails. lies: they claim half floats.
// full: there is no memory. stop: kernels end with an error. hang: they do not end.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using Int = int32_t;
using Uint = uint32_t;
using Bits = uint64_t;
using GetPlatforms = Int (*)(Uint, void**, Uint*);
using GetDevices = Int (*)(void*, Bits, Uint, void**, Uint*);
using GetInfo = Int (*)(void*, Uint, size_t, void*, size_t*);
using CreateBuffer = void* (*)(void*, Bits, size_t, void*, Int*);

bool spoils(const char* what) {
  const char* named = std::getenv("FAKE_OPENCL");
  return named != nullptr && std::strcmp(named, what) == 0;
}

[[gnu::constructor]] void load() {
  if (spoils("crash")) std::abort();
}

void* other(const char* symbol) {
  static void* const library =
      dlopen(std::getenv("FAKE_OPENCL_DRIVER"), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  return library == nullptr ? nullptr : dlsym(library, symbol);
}

// The other driver's functions, which its table of functions has lost.
GetDevices get_devices = nullptr;
GetInfo get_device_info = nullptr;
CreateBuffer create_buffer = nullptr;
GetInfo get_event_info = nullptr;

Int fakeGetDevices(void* platform, Bits type, Uint count, void** devices, Uint* found) {
  constexpr Int kDeviceNotFound = -1, kOutOfHostMemory = -6;
  if (spoils("empty")) return kDeviceNotFound;
  if (spoils("broken")) return kOutOfHostMemory;
  while (spoils("mute")) pause();
  return get_devices(platform, type, count, devices, found);
}

Int fakeGetDeviceInfo(void* device, Uint name, size_t size, void* value, size_t* needed) {
  constexpr Uint kExtensions = 0x1030;
  if (name != kExtensions || !spoils("lies")) {
    return get_device_info(device, name, size, value, needed);
  }
  const std::string text = "cl_khr_fp16";
  if (needed != nullptr) *needed = text.size() + 1;
  if (value != nullptr) std::memcpy(value, text.c_str(), text.size() + 1);
  return 0;
}

void* fakeCreateBuffer(void* context, Bits flags, size_t size, void* host, Int* result) {
  constexpr Int kNoMemory = -4;
  if (!spoils("full")) return create_buffer(context, flags, size, host, result);
  *result = kNoMemory;
  return nullptr;
}

Int fakeGetEventInfo(void* event, Uint name, size_t size, void* value, size_t* needed) {
  constexpr Uint kStatus = 0x11d3;
  constexpr Int kRunning = 1, kOutOfResources = -5;
  const Int result = get_event_info(event, name, size, value, needed);
  if (name != kStatus) return result;
  if (spoils("hang")) *static_cast<Int*>(value) = kRunning;
  if (spoils("stop")) *static_cast<Int*>(value) = kOutOfResources;
  return result;
}

/// Puts `fake` in the place of a function of a table; the function that was there.
template <typename Function>
Function replace(void** table, size_t number, Function fake) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(&table[number]) / page * page;
  mprotect(reinterpret_cast<void*>(begin), 2 * page, PROT_READ | PROT_WRITE);
  auto function = reinterpret_cast<Function>(table[number]);
  table[number] = reinterpret_cast<void*>(fake);
  return function;
}

/// The platforms of the other driver, which then calls these functions. All that OpenCL hands out
/// begins with a pointer to the functions of its driver, in the order of the specification's list.
Int getPlatforms(Uint count, void** platforms, Uint* found) {
  const auto get = reinterpret_cast<GetPlatforms (*)(const char*)>(
      other("clGetExtensionFunctionAddress"))("clIcdGetPlatformIDsKHR");
  const Int result = get(count, platforms, found);
  if (result != 0 || platforms == nullptr || get_devices != nullptr) return result;
  void** const table = *static_cast<void***>(platforms[0]);
  constexpr size_t kGetDevices = 2, kGetDeviceInfo = 3, kCreateBuffer = 14, kGetEventInfo = 42;
  get_device_info = replace(table, kGetDeviceInfo, GetInfo(fakeGetDeviceInfo));
  create_buffer = replace(table, kCreateBuffer, CreateBuffer(fakeCreateBuffer));
  get_event_info = replace(table, kGetEventInfo, GetInfo(fakeGetEventInfo));
  get_devices = replace(table, kGetDevices, GetDevices(fakeGetDevices));
  return result;
}

}  // namespace

extern "C" {

Int clIcdGetPlatformIDsKHR(Uint count, void** platforms, Uint* found) {
  return getPlatforms(count, platforms, found);
}

void* clGetExtensionFunctionAddress(const char* name) {
  if (std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0) {
    return reinterpret_cast<void*>(clIcdGetPlatformIDsKHR);
  }
  return reinterpret_cast<void* (*)(const char*)>(other("clGetExtensionFunctionAddress"))(name);
}

Int clGetPlatformInfo(void* platform, Uint name, size_t size, void* value, size_t* needed) {
  return reinterpret_cast<GetInfo>(other("clGetPlatformInfo"))(platform, name, size, value, needed);
}

}  // extern "C"
