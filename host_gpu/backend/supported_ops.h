// Which operators have kernels for GPUs.
#pragma once

#include "base/status.h"
#include "mlir/IR/Operation.h"

namespace vta::codegen {

/// As Backend::canRun.
Status checkGpuOp(mlir::Operation* op);

}  // namespace vta::codegen
