// One product as a GPU program of its own, for measurements. Free of MLIR types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "host_gpu/schedule/product_layer.h"
#include "module/gpu/gpu_program.h"

namespace vta::codegen {

struct ProductProgram {
  GpuProgram program;
  std::vector<DType> arguments;  // the elements of its tensors
};

/// The kernel as a network's program has it, by the same passes. Without a schedule each result is
/// computed by itself, which says what is right. `code` is ProductLayer::code.
/// Errors: the schedule breaks a rule or there is no kernel with it, or `code` is none
/// (kInvalidArgument); those of Backend::compile.
Result<ProductProgram> productProgram(const std::string& code,
                                      const std::optional<GemmSchedule>& schedule,
                                      const GpuKernelLimits& limits);

}  // namespace vta::codegen
