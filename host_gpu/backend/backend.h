// The GPU back end: functions over graph ops become GPU programs. Free of MLIR types.
#pragma once

#include "compiler/codegen/backend.h"
#include "host_gpu/backend/options.h"

namespace vta::codegen {

/// Runs the operators that backend/supported_ops.h says. Its programs run on every device with
/// Vulkan 1.1.
const Backend& gpuBackend();

}  // namespace vta::codegen
