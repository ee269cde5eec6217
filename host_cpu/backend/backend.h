// The CPU back end: functions over graph and linalg ops become native code. Free of MLIR types.
#pragma once

#include "compiler/codegen/backend.h"

namespace vta::codegen {

/// Runs every operator. Targets: docs/cpu-backend.md.
const Backend& cpuBackend();

}  // namespace vta::codegen
