// Sums of products among linalg ops on buffers: matrix products and convolutions alike.
#pragma once

#include <optional>

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace vta::codegen {

/// A buffer of static strides whose elements lie at sums of multiples of the loops' numbers.
struct LinearOperand {
  mlir::Value buffer;
  int64_t offset = 0;                         // in elements, as all
  mlir::SmallVector<int64_t> coefficients{};  // by loop
  mlir::Operation* extension = nullptr;       // what widens its elements for the product; or null
};

/// out[batch][row][column] += left[batch][row][depth] * right[batch][depth][column], each of which
/// stands for any number of loops. A convolution's rows are its filters, and its columns pixels.
struct Contraction {
  mlir::SmallVector<int64_t> extents;  // by loop
  mlir::SmallVector<unsigned> batch, rows, columns, depth;
  LinearOperand left, right, out;
  mlir::Type sum;  // f32 or i32

  int64_t count(mlir::ArrayRef<unsigned> loops) const {
    int64_t product = 1;
    for (const unsigned loop : loops) product *= extents[loop];
    return product;
  }
};

/// None if `op` is something else, or its loops are not of these four kinds.
std::optional<Contraction> matchContraction(mlir::linalg::LinalgOp op);

/// The operand of `type` and `map`, if it is linear.
std::optional<LinearOperand> linearOperand(mlir::Value buffer, mlir::AffineMap map);

/// Where the sums begin: at the elements of an operand, by the contraction's loops; none: at zero.
using InitialSums = std::optional<LinearOperand>;

/// Where the sums of `contraction` begin if `start`, the op in front of it, does nothing but fill
/// the contraction's result with zeros or with copies of an operand. None: it does something else.
std::optional<InitialSums> initialSums(mlir::linalg::LinalgOp start,
                                       mlir::linalg::LinalgOp contraction);

}  // namespace vta::codegen
