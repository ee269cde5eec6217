#include "host_gpu/backend/options.h"

#include <memory>
#include <utility>

namespace vta::codegen {

GpuOptions gpuOptionsOf(const CodeOptions& options) {
  const auto found = options.of_backends.find(kGpuBackend);
  if (found == options.of_backends.end()) return {};
  return static_cast<const GpuOptions&>(*found->second);  // setGpuOptions alone knows the name
}

void setGpuOptions(CodeOptions& options, GpuOptions of_gpu) {
  options.of_backends[kGpuBackend] = std::make_shared<const GpuOptions>(std::move(of_gpu));
}

}  // namespace vta::codegen
