// Heads of attention: what the operators of ONNX and of com.microsoft have in common.
#pragma once

#include "compiler/frontend/onnx/compose.h"

namespace vta::compiler {

/// [batch, length, heads * size] as [batch, heads, length, size]; four dimensions stay. `attribute`
/// is what messages call `heads`.
mlir::Value byHeads(Composer& c, mlir::Value value, int64_t heads, const char* attribute);

/// [batch, heads, length, size] as [batch, length, heads * size].
mlir::Value withoutHeads(Composer& c, mlir::Value value);

/// `value` [batch, heads, length, size] with each head `count` times, one after the other.
mlir::Value repeatedHeads(Composer& c, mlir::Value value, int64_t count);

/// What is added to the scores so that query `i` sees key `j` only if `j <= i + past`: 0, or minus
/// infinity.
mlir::Value causalMask(Composer& c, int64_t queries, int64_t keys, int64_t past);

}  // namespace vta::compiler
