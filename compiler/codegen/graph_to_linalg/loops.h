// Code whose course depends on data: loops on buffers, and a heap. Private to this folder.
#pragma once

#include "compiler/codegen/graph_to_linalg/patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace vta::compiler::graph_to_linalg {

inline mlir::Value index(Builder& b, int64_t value) {
  return b.create<mlir::arith::ConstantIndexOp>(value);
}
mlir::Value add(Builder& b, mlir::Value x, mlir::Value y);
mlir::Value sub(Builder& b, mlir::Value x, mlir::Value y);
mlir::Value isLess(Builder& b, mlir::Value x, mlir::Value y);  // of indices
mlir::Value both(Builder& b, mlir::Value x, mlir::Value y);
mlir::Value load(Builder& b, mlir::Value buffer, mlir::ValueRange indices);
void store(Builder& b, mlir::Value value, mlir::Value buffer, mlir::ValueRange indices);

/// The buffer of a tensor, to read; a new buffer; the tensor of a buffer that nothing writes any
/// more.
mlir::Value readBuffer(Builder& b, mlir::Value tensor);
mlir::Value newBuffer(Builder& b, llvm::ArrayRef<int64_t> shape, mlir::Type element_type);
mlir::Value asTensor(Builder& b, mlir::Value buffer);

/// A tensor with the same bits and other elements: signless ones, as buffers have them, and back.
mlir::Value recast(Builder& b, mlir::Value value, mlir::Type element_type);
mlir::Value signlessValue(Builder& b, mlir::Value value);

/// for (i = begin; i < end; ++i)
void forEach(Builder& b, mlir::Value begin, mlir::Value end,
             llvm::function_ref<void(Builder&, mlir::Value)> body);
/// The same with an index that the body passes on; its last value.
mlir::Value forEach(Builder& b, mlir::Value begin, mlir::Value end, mlir::Value carried,
                    llvm::function_ref<mlir::Value(Builder&, mlir::Value, mlir::Value)> body);

/// while (condition(values)) values = body(values); their last values.
using Condition = llvm::function_ref<mlir::Value(Builder&, mlir::ValueRange)>;
using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(Builder&, mlir::ValueRange)>;
llvm::SmallVector<mlir::Value> whileTrue(Builder& b, mlir::ValueRange values, Condition condition,
                                         Body body);

/// A heap of numbers of elements in a buffer of i32, of which the best one is in front.
class Heap {
 public:
  /// Whether the element of the first number comes in front of the second one's: a total order.
  using IsBetter = llvm::function_ref<mlir::Value(Builder&, mlir::Value, mlir::Value)>;

  Heap(mlir::Value buffer, IsBetter is_better) : buffer_(buffer), is_better_(is_better) {}

  /// Makes a heap of the first `size` numbers.
  void build(Builder& b, mlir::Value size);
  /// Takes the best number out of a heap of `size`, which has one less then.
  mlir::Value pop(Builder& b, mlir::Value size);

  mlir::Value at(Builder& b, mlir::Value position);
  void set(Builder& b, mlir::Value position, mlir::Value number);

 private:
  void sink(Builder& b, mlir::Value position, mlir::Value size);

  mlir::Value buffer_;
  IsBetter is_better_;
};

/// Whether `x` comes in front of `y`, numbers of elements with values `vx` and `vy`: by value, NaN
/// last, then by number.
mlir::Value comesFirst(Builder& b, mlir::Value x, mlir::Value vx, mlir::Value y, mlir::Value vy,
                       bool largest, bool is_unsigned);

}  // namespace vta::compiler::graph_to_linalg
