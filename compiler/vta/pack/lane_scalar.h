// An ALU operation of the user's as ops of arith on one lane.
#pragma once

#include <cstdint>

#include "isa/spec/user_operation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace vta::compiler {

/// i32 values. `y` is null for an operation on an immediate.
struct LaneOperands {
  mlir::Value x;
  mlir::Value y;
};

/// What `operation` gives, an i32, with `imm` in the instruction.
mlir::Value laneScalar(mlir::OpBuilder& builder, mlir::Location location,
                       const UserOperation& operation, const LaneOperands& operands, int32_t imm);

}  // namespace vta::compiler
