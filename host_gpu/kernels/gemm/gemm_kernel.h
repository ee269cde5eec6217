// The kernel of a sum of products, in blocks through memory that a workgroup shares.
#pragma once

#include "host_gpu/kernels/gemm/gemm_tile.h"
#include "host_gpu/kernels/gemm/product.h"
#include "host_gpu/kernels/kernel_ir.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace vta::codegen {

/// What all kernels of a product have: a function with its buffers, and where its sums begin.
class ProductFrame {
 public:
  /// `b` and `product` outlive it.
  ProductFrame(mlir::ImplicitLocOpBuilder& b, const Product& product);

  /// Creates the function with its arguments: those of two kernels of one product are the same. Ops
  /// that are created next are its body. Factors in words are rows of words of four bytes each.
  void createFunction(bool left_in_words = false, bool right_in_words = false);

  /// The kernel's argument for a buffer.
  mlir::Value argument(const LinearOperand& operand) {
    return function_.getArgument(arguments_.at(operand.buffer));
  }

  /// Whether `number` is one of `count`; null if each of the blocks' is.
  mlir::Value guard(mlir::Value number, int64_t count, int64_t block) {
    return count % block == 0 ? mlir::Value() : indices_.isBelow(number, count);
  }
  mlir::Value both(mlir::Value x, mlir::Value y) { return indices_.both(x, y); }

  /// What the sums of the tile begin with, row by row. Those of a row share what does not depend on
  /// columns. Zeros where `inside` is false; null: it is true.
  mlir::SmallVector<mlir::Value> firstSums(GemmTile& tile, mlir::Value inside = {});

  KernelIr& kernel() { return kernel_; }
  const mlir::IRMapping& constants() const { return constants_; }

 private:
  mlir::Value zero();
  /// An element of `buffer`, or zero where `inside` is false; null: it is true.
  mlir::Value guardedLoad(mlir::Value buffer, mlir::Value place, mlir::Value inside);
  void addBuffer(const LinearOperand& operand, GpuAccess access, bool in_words = false);

  mlir::ImplicitLocOpBuilder& b_;
  const Product& product_;
  const Contraction& contraction_;
  Indices indices_;
  KernelIr kernel_;
  mlir::func::FuncOp function_;
  llvm::DenseMap<mlir::Value, unsigned> arguments_;  // numbers, by buffer
  mlir::IRMapping constants_;
};

/// The kernel of `product`, whose schedule breaks no rule. No matrix of windows is ever made: an
/// element's place is the sum of what its row, its depth and its batch add to it.
KernelIr buildGemmKernel(mlir::Location location, const Product& product,
                         const GemmSchedule& schedule);

}  // namespace vta::codegen
