// What all kernels of a product have in common.
#pragma once

#include "host_gpu/kernels/gemm/gemm_tile.h"
#include "host_gpu/kernels/gemm/product.h"
#include "host_gpu/kernels/kernel_ir.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace vta::codegen {

/// A function with the product's buffers, where its sums begin, and what becomes of them.
class ProductFrame {
 public:
  /// `b` and `product` outlive it.
  ProductFrame(mlir::ImplicitLocOpBuilder& b, const Product& product);

  /// What a kernel's sums are made of. In words, the kernel's argument is a row of words of four
  /// bytes each.
  struct Input {
    const LinearOperand& operand;
    bool in_words = false;
  };

  /// Creates the function with its arguments: those of two kernels of one product and the same
  /// inputs are the same. Ops that are created next are its body.
  void createFunction(mlir::ArrayRef<Input> inputs);

  /// The kernel's argument for a buffer.
  mlir::Value argument(const LinearOperand& operand) {
    return function_.getArgument(arguments_.at(operand.buffer));
  }

  /// What the sums of the tile begin with, row by row. Those of a row share what does not depend on
  /// columns. Zeros where `inside` is false; null: it is true.
  mlir::SmallVector<mlir::Value> firstSums(GemmTile& tile, mlir::Value inside = {});

  /// Computes what is behind the sums, and writes the results.
  void finish(mlir::ArrayRef<mlir::Value> sums, GemmTile& tile);

  KernelIr& kernel() { return kernel_; }

 private:
  mlir::Value zero();
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

}  // namespace vta::codegen
