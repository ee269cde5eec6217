// Large tables of floats whose rows are chosen by number, such as the embedding of a language
// model.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::compiler {

/// Smaller tables stay as they are: they hardly make a module smaller.
inline constexpr int64_t kLeastTableBytes = int64_t{1} << 20;

/// Rows of tables of `least_bytes` or more become integers of 8 bits, which a factor for each row
/// makes floats of again: the largest element of a row is 127 times the factor. What a layer of
/// `float_layers` chooses from stays float, and so does a table with an element that is not finite.
/// Returns how many tables changed.
int64_t narrowTables(mlir::func::FuncOp function, const std::set<std::string>& float_layers,
                     int64_t least_bytes = kLeastTableBytes);

}  // namespace vta::compiler
