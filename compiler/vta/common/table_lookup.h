// LUT steps as linalg: the body of an element-wise operation that looks accumulators up in a table.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace vta::compiler {

/// A constant with the results for -128, -127, ..., 127.
mlir::Value tableConstant(mlir::OpBuilder& builder, mlir::Location loc,
                          const std::vector<int8_t>& table);

/// In the body of an operation: the result that `table`, of tableConstant, has for the low byte of
/// the 32-bit `x`, as 32 bits.
mlir::Value lookUp(mlir::OpBuilder& builder, mlir::Location loc, mlir::Value x, mlir::Value table);

/// The table of an operation of one input whose body is what lookUp builds; none for others.
std::optional<std::vector<int8_t>> matchLookup(mlir::linalg::GenericOp op);

}  // namespace vta::compiler
