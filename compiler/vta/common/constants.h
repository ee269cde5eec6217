// Reading integer constants out of a graph.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mlir/IR/Value.h"

namespace vta::compiler {

/// Elements of a constant i8 or i32 tensor in row-major order, splats expanded; none when `value`
/// is not an `arith.constant` of such a type.
std::optional<std::vector<int32_t>> readIntegers(mlir::Value value);

/// As readIntegers, for i8 tensors, without widening.
std::optional<std::vector<int8_t>> readBytes(mlir::Value value);

/// True when `value` is an `arith.constant`.
bool isConstant(mlir::Value value);

}  // namespace vta::compiler
