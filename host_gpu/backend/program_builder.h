// The GPU program of a function on buffers.
#pragma once

#include <vector>

#include "base/status.h"
#include "compiler/codegen/backend.h"
#include "compiler/codegen/llvm/object_cache.h"
#include "host_gpu/backend/options.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "module/gpu/gpu_program.h"

namespace vta::codegen {

struct BuiltGpuProgram {
  GpuProgram program;
  /// Whether a kernel needs more than every device has (GpuKernelLimits' defaults).
  bool needs_more = false;
  size_t tuned_products = 0;         // those that have the schedule of GpuOptions::find_schedule
  uint64_t largest_range_bytes = 0;  // of all that dispatches bind
  std::vector<LayerNote> notes;      // where the schedules of products are from
};

/// One dispatch for each linalg op of `function`, which is what buildBufferPipeline leaves:
/// (context, inputs, constants, results), one allocation, and views of buffers with static shapes.
/// Kernels of the same code are one. Larger buffers than `range_bytes`, a multiple of
/// kGpuAlignmentBytes, are bound as several ranges. The function stays as it is. What LLVM makes is
/// taken from `cache` or kept there. Errors: an op without a kernel, with its name and location.
Result<BuiltGpuProgram> buildGpuProgram(mlir::func::FuncOp function, const GpuOptions& options,
                                        int64_t range_bytes,
                                        const ObjectCache& cache = ObjectCache({}));

}  // namespace vta::codegen
