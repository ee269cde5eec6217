// A packed group as linalg on tensors: the meaning that the kernel has to have, executable on the
// host and compared with the intrinsics.
#pragma once

#include <string>

#include "compiler/vta/partition/pack_plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {

/// Packed operand types of a plan, in the order of vta.kernel; null if absent. `computed` is the
/// output before it is interleaved.
struct PackedTypes {
  mlir::RankedTensorType input, weight, param, residual, computed, output;
};
PackedTypes packedTypes(const PackPlan& plan, const HwConfig& hw, mlir::MLIRContext* context);

/// Builds the private function `name` marked `vta.reference`; the caller inserts it into a module.
mlir::func::FuncOp buildReference(const std::string& name, mlir::Location location,
                                  const PackPlan& plan, const HwConfig& hw);

}  // namespace vta::compiler
