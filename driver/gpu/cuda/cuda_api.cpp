#include "driver/gpu/cuda/cuda_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace vta::driver::cuda {

Result<CudaApi> CudaApi::load(const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return notFound(fmt::format("no CUDA: {}; NVIDIA's driver brings it", dlerror()));
  }
  CudaApi api;
#define VTA_CUDA_FIND(name, symbol, ...)                                     \
  api.name = reinterpret_cast<Code (*)(__VA_ARGS__)>(dlsym(handle, symbol)); \
  if (api.name == nullptr) {                                                 \
    return unsupported(fmt::format("{} has no " symbol, library));           \
  }
  VTA_CUDA_FUNCTIONS(VTA_CUDA_FIND)
#undef VTA_CUDA_FIND
#define VTA_CUDA_FIND_GRAPHS(name, symbol, ...) \
  api.name = reinterpret_cast<Code (*)(__VA_ARGS__)>(dlsym(handle, symbol));
  VTA_CUDA_GRAPH_FUNCTIONS(VTA_CUDA_FIND_GRAPHS)
#undef VTA_CUDA_FIND_GRAPHS
  bool has_graphs = true;
#define VTA_CUDA_IS_THERE(name, symbol, ...) has_graphs = has_graphs && api.name != nullptr;
  VTA_CUDA_GRAPH_FUNCTIONS(VTA_CUDA_IS_THERE)
#undef VTA_CUDA_IS_THERE
  if (!has_graphs) api.graphDestroy = nullptr;
  const Status started = api.status(api.init(0), "cuInit");
  if (!started.ok()) return notFound(started.message());
  return api;
}

Status CudaApi::status(Code result, std::string_view function) const {
  if (result == kSuccess) return {};
  const char* words = nullptr;
  if (getErrorString(result, &words) != kSuccess || words == nullptr) words = "an unknown error";
  const std::string message = fmt::format("CUDA: {}: {} (code {})", function, words, result);
  switch (result) {
    case kOutOfMemory:
      return {StatusCode::kResourceExhausted, message};
    case kInvalidPtx:
    case kNoBinaryForGpu:
    case kNotFound:
      return invalidArgument(message);
    case kUnsupportedPtxVersion:
      return unsupported(message + "; NVIDIA's driver is older than the code: update it");
    case kIllegalAddress:
    case kLaunchTimeout:
    case kLaunchFailed:
      return {StatusCode::kDeviceFault, message};
    default:
      return ioError(message);
  }
}

}  // namespace vta::driver::cuda
