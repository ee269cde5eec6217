// Packed activations whose pixels are several elements of INP: outputs have larger blocks than
// inputs, and a kernel's input is seen as an image that is so many times as wide.
#pragma once

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace vta::compiler {

/// `image`, [n, c, y, x, 1, block], as [n, c, y, x * elems, 1, block / elems]: the same bytes.
mlir::Value spreadPixels(mlir::OpBuilder& builder, mlir::Location location, mlir::Value image,
                         int64_t elems);

/// What spreadPixels was given when it made `image`; `image` itself if it is no such view.
mlir::Value wholePixels(mlir::Value image);

/// The map by which all pixels of a packed activation read the one pixel that another has for each
/// image: (n, c, y, x, b, lane) to (n, c, 0, 0, b, lane).
mlir::AffineMap perImageMap(mlir::MLIRContext* context);

}  // namespace vta::compiler
