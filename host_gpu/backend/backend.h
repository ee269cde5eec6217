// The GPU back end: functions over graph ops become GPU programs. Free of MLIR types.
#pragma once

#include "compiler/codegen/backend.h"

namespace vta::codegen {

/// Backend::name of it.
inline constexpr const char* kGpuBackend = "gpu";

/// Runs the operators that backend/supported_ops.h says. Its programs run on every device with
/// Vulkan 1.1.
const Backend& gpuBackend();

}  // namespace vta::codegen
