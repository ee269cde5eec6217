// Constants as plain arrays: what the evaluation of graph ops computes on.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/dialects/graph/shapes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::graph {

/// Row-major elements; i1 takes one byte here. Supports f32, f64, f16, bf16, i1 and integers of 8
/// to 64 bits.
class ConstantTensor {
 public:
  /// Zeros. `type` must be supported.
  explicit ConstantTensor(mlir::RankedTensorType type);
  explicit ConstantTensor(mlir::DenseElementsAttr attribute);

  static bool supports(mlir::Type element_type);

  mlir::RankedTensorType type() const { return type_; }
  llvm::ArrayRef<int64_t> shape() const { return type_.getShape(); }
  int64_t elementCount() const { return type_.getNumElements(); }
  size_t elementBytes() const { return element_bytes_; }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(type_.getElementType()); }
  char* data() { return data_.data(); }
  const char* data() const { return data_.data(); }

  mlir::DenseElementsAttr toAttribute() const;

  /// Elements converted; integers by their signedness (i1 and unsigned types by zero).
  std::vector<double> asDoubles() const;
  /// Rounded once, where double would round integers of 64 bits before.
  std::vector<float> asFloats() const;
  std::vector<int64_t> asIntegers() const;
  /// Stores converted elements: rounded to f32, or the low bits of integers.
  void setDoubles(llvm::ArrayRef<double> values);
  void setIntegers(llvm::ArrayRef<int64_t> values);

 private:
  mlir::RankedTensorType type_;
  size_t element_bytes_;
  std::vector<char> data_;
};

/// A view of elements: element (i0, i1, ...) is at offset + i0 * strides[0] + i1 * strides[1] ...,
/// in elements.
struct StridedView {
  int64_t offset = 0;
  Shape strides;
};

/// The view of all of a row-major tensor.
StridedView rowMajor(ShapeRef shape);

/// Copies `shape` elements between two views.
void copyStrided(const ConstantTensor& source, const StridedView& from, ConstantTensor& target,
                 const StridedView& to, ShapeRef shape);

/// `tensor` broadcast to `type`'s shape.
ConstantTensor broadcastTo(const ConstantTensor& tensor, mlir::RankedTensorType type);

}  // namespace vta::graph
