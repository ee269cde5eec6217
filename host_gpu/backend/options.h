// What the GPU's back end alone understands of CodeOptions. Free of MLIR types.
#pragma once

#include <string>
#include <vector>

#include "compiler/codegen/options.h"
#include "host_gpu/schedule/product_layer.h"

namespace vta::codegen {

/// Backend::name of it.
inline constexpr const char* kGpuBackend = "gpu";

/// What floats are in a GPU's memory. They are computed with in 32 bits.
enum class GpuPrecision : uint8_t {
  kFloat32,
  kFloat16,  // weights and activations; inputs and results of a GPU's steps stay float32
};

struct GpuOptions : BackendOptions {
  GpuPrecision precision = GpuPrecision::kFloat32;
  /// Codes that kernels get beside SPIR-V, OpenCL C and PTX, which all programs have: "wgsl", or
  /// architectures of AMD's GPUs, "gfx90a". They stand behind the others, in this order.
  std::vector<std::string> codes{};
  /// What schedules keep to. Beyond the defaults, programs have a second form that keeps to those,
  /// for other devices.
  GpuKernelLimits limits{};
  /// Asked for the schedule of every product; empty: the default everywhere.
  FindGemmSchedule find_schedule{};
  /// False: each element of a product is computed by itself, which is slow and simple.
  bool has_blocks = true;
};

/// Those among `options`, or the defaults.
GpuOptions gpuOptionsOf(const CodeOptions& options);

/// Gives them to `options`.
void setGpuOptions(CodeOptions& options, GpuOptions of_gpu);

}  // namespace vta::codegen
