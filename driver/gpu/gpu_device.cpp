#include "driver/gpu/gpu_device.h"

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

}  // namespace vta::driver
