// What of a function in integers kernels take over, known before any of it is emitted.
#pragma once

#include "host_cpu/blocked/integers/tree.h"
#include "host_cpu/blocked/kernels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vta::codegen::blocked {

class IntegerPlan {
 public:
  explicit IntegerPlan(mlir::func::FuncOp function);

  /// The tree that ends in `op`; null: none does.
  const IntegerTree* tree(mlir::Operation* op) const;
  /// Whether `op` is part of trees, and has no reader outside of them.
  bool isInside(mlir::Operation* op) const;
  /// Whether `op` is a pool or concatenation that stays blocked.
  bool isBlockedMovement(mlir::Operation* op) const { return movements_.contains(op); }

  /// The layout that `image` has, as its readers want it.
  Layout layoutOf(mlir::Value image) const;
  /// The layout to pack it to: few channels that only convolutions read need no whole block.
  Layout packedLayoutOf(mlir::Value image) const;
  /// The int8 that convolutions want around `image`.
  static int64_t haloValue(mlir::Value image);

 private:
  void take(graph::CastOp root);
  bool staysBlocked(graph::MaxPoolOp pool) const;
  bool staysBlocked(graph::ConcatOp concat) const;

  llvm::DenseMap<mlir::Operation*, IntegerTree> trees_;
  llvm::DenseSet<mlir::Operation*> inside_, movements_;
  llvm::DenseSet<mlir::Value> followed_;  // values that are blocked
};

}  // namespace vta::codegen::blocked
