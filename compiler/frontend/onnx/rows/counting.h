// Tensors of which a part is valid (RowCount): how counts are made, compared and used.
#pragma once

#include "compiler/frontend/onnx/compose.h"

namespace vta::compiler {

/// Whether two values are the same number in every run: the same computation on the same inputs.
bool isSameCount(mlir::Value a, mlir::Value b);

/// A 0-D i64 constant.
mlir::Value countOf(Composer& c, int64_t value);
/// How many elements of a mask, [N] of i1, are true: a count of at most N.
mlir::Value countTrue(Composer& c, mlir::Value mask);
/// Element `index` of a list of integers, or a scalar, as a count.
mlir::Value countAt(Composer& c, mlir::Value list, int64_t index);
/// `count` in [0, most].
mlir::Value clampedCount(Composer& c, mlir::Value count, int64_t most);

/// The mask of the positions of `rows.axis` that are valid: it has extent 1 along all others.
mlir::Value validMask(Composer& c, mlir::Value value, const RowCount& rows);
/// `value` with `filler` in place of what is not valid.
mlir::Value withFiller(Composer& c, mlir::Value value, const RowCount& rows, mlir::Value filler);
/// The least number that sorts behind (in front of, for `largest` false) every other one, for
/// withFiller: NaN for floats.
mlir::Value lastFiller(Composer& c, mlir::Value value, bool largest);

/// Stores `value` as output `index`, of which `rows` are valid; a part if the count is a constant.
Status finishCounted(Composer& c, mlir::Value value, const RowCount& rows, size_t index = 0);

/// "the number of entries along dimension 0 of input 'x' depends on data"
std::string dependsOnData(size_t index, const RowCount& rows);

}  // namespace vta::compiler
