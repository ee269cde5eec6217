// Rows and columns of a packed activation chosen by constant lists, some of them several times, for
// those who write the reference and those who read it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace vta::compiler {

/// The pixels in these rows and columns of `image`, a packed activation [N/b][C/blk][H][W][b][blk].
mlir::Value selectPixels(mlir::OpBuilder& builder, mlir::Location loc, mlir::Value image,
                         const std::vector<int64_t>& rows, const std::vector<int64_t>& columns);

/// What selectPixels was given.
struct PixelSelection {
  mlir::Value image;
  std::vector<int64_t> rows, columns;
};

/// Reads what selectPixels has built; nothing if `op` is anything else.
std::optional<PixelSelection> matchPixelSelection(mlir::linalg::GenericOp op);

}  // namespace vta::compiler
