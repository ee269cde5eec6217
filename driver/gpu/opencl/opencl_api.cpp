#include "driver/gpu/opencl/opencl_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace vta::driver::opencl {

Result<OpenClApi> OpenClApi::load(const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return notFound(fmt::format(
        "no OpenCL: {}; install its loader (ocl-icd-libopencl1 on Debian) and the driver of your "
        "GPU",
        dlerror()));
  }
  OpenClApi api;
#define VTA_OPENCL_FIND(result, name, ...)                                                   \
  api.name = reinterpret_cast<result (*)(__VA_ARGS__)>(dlsym(handle, "cl" #name));           \
  if (api.name == nullptr) {                                                                 \
    return unsupported(fmt::format("{} has no cl" #name "; OpenCL 1.2 is needed", library)); \
  }
  VTA_OPENCL_FUNCTIONS(VTA_OPENCL_FIND)
#undef VTA_OPENCL_FIND
  return api;
}

Status openClStatus(Int result, std::string_view function) {
  switch (result) {
    case kSuccess:
      return {};
    case kMemObjectAllocationFailure:
    case kOutOfResources:
    case kOutOfHostMemory:
      return {StatusCode::kResourceExhausted, fmt::format("OpenCL: {}: out of memory", function)};
    default:
      break;
  }
  return ioError(fmt::format("OpenCL: {} failed with code {}", function, result));
}

}  // namespace vta::driver::opencl
