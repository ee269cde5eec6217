#include "driver/gpu/gpu_device.h"

#include <fmt/format.h>

namespace vta::driver {

std::string_view gpuKindName(GpuKind kind) {
  switch (kind) {
    case GpuKind::kDiscrete:
      return "discrete GPU";
    case GpuKind::kIntegrated:
      return "integrated GPU";
    case GpuKind::kVirtual:
      return "virtual GPU";
    case GpuKind::kCpu:
      return "CPU";
    case GpuKind::kOther:
      break;
  }
  return "other device";
}

Status kernelsTakeTooLong(std::chrono::milliseconds timeout) {
  const std::chrono::duration<double> seconds = timeout;
  return {StatusCode::kDeadlineExceeded,
          fmt::format("the kernels did not end within {:.6g} seconds", seconds.count())};
}

}  // namespace vta::driver
