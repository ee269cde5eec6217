// What one invocation computes of linalg ops: a few elements of their results.
#pragma once

#include "host_gpu/kernels/op_group.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {

/// An element that an invocation computes of each result.
struct Point {
  mlir::SmallVector<mlir::Value> numbers{};  // of the parallel loops
  mlir::Value place{};  // in the row of all elements, the last loop's numbers next to each other
};

/// Emits scalar code. Loops over what a sum has few terms of are written out.
class PointEmitter {
 public:
  /// `outside` has what the kernel has in place of buffers and constants. Buffers in `flat` are
  /// rows of elements, in the order of places.
  PointEmitter(mlir::ImplicitLocOpBuilder& b, const mlir::IRMapping& outside,
               const llvm::DenseSet<mlir::Value>& flat, mlir::ArrayRef<Point> points)
      : b_(b), outside_(outside), flat_(flat), points_(points) {}

  /// Computes the points of `op`, whose results stay in registers.
  void emit(mlir::linalg::LinalgOp op);

  /// Writes to memory what is not local to the group.
  void store();

 private:
  using Values = mlir::SmallVector<mlir::Value>;

  /// The elements of an op's results, those of a point next to each other.
  Values emitSums(mlir::linalg::LinalgOp op, mlir::ArrayRef<unsigned> sums, bool writes_out,
                  Values numbers, Values results);
  Values emitBody(mlir::linalg::LinalgOp op, mlir::ArrayRef<mlir::Value> sums,
                  mlir::ArrayRef<mlir::Value> results);
  Values firstResults(mlir::linalg::LinalgOp op);
  Values loopNumbers(mlir::linalg::LinalgOp op, size_t point, mlir::ArrayRef<mlir::Value> sums);
  Values placeOf(mlir::OpOperand& operand, size_t point, mlir::ArrayRef<mlir::Value> numbers);
  mlir::Value read(mlir::OpOperand& operand, size_t point, mlir::ArrayRef<mlir::Value> numbers);
  mlir::Value index(int64_t value);

  struct Written {
    mlir::OpOperand* result;
    Values elements{};  // by point
  };

  mlir::ImplicitLocOpBuilder& b_;
  const mlir::IRMapping& outside_;
  const llvm::DenseSet<mlir::Value>& flat_;
  mlir::ArrayRef<Point> points_;
  llvm::MapVector<mlir::Value, Written> written_{};  // by buffer
};

/// Whether the loops that sum of `op` are written out, so that neighbours share what they read.
bool writesOutSums(mlir::linalg::LinalgOp op);

}  // namespace vta::codegen
