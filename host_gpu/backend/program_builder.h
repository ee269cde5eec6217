// The GPU program of a function on buffers.
#pragma once

#include "base/status.h"
#include "host_gpu/backend/options.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "module/gpu/gpu_program.h"

namespace vta::codegen {

/// One dispatch for each linalg op of `function`, which is what buildBufferPipeline leaves:
/// (context, inputs, constants, results), one allocation, and views of buffers with static shapes.
/// Kernels of the same code are one. Errors: an op without a kernel, with its name and location.
Result<GpuProgram> buildGpuProgram(mlir::func::FuncOp function, const GpuOptions& options);

}  // namespace vta::codegen
