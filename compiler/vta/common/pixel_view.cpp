#include "compiler/vta/common/pixel_view.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace vta::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

/// Columns, batch and lanes together are a row of bytes.
llvm::SmallVector<mlir::ReassociationIndices> rows() { return {{0}, {1}, {2}, {3, 4, 5}}; }

}  // namespace

Value spreadPixels(mlir::OpBuilder& builder, mlir::Location location, Value image, int64_t elems) {
  const auto type = mlir::cast<RankedTensorType>(image.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  const llvm::SmallVector<int64_t> flat = {shape[0], shape[1], shape[2],
                                           shape[3] * shape[4] * shape[5]};
  Value bytes = builder.create<mlir::tensor::CollapseShapeOp>(
      location, RankedTensorType::get(flat, type.getElementType()), image, rows());
  shape[3] *= elems;
  shape[5] /= elems;
  return builder.create<mlir::tensor::ExpandShapeOp>(
      location, RankedTensorType::get(shape, type.getElementType()), bytes, rows());
}

Value wholePixels(Value image) {
  auto expand = image.getDefiningOp<mlir::tensor::ExpandShapeOp>();
  if (!expand || expand.getReassociationIndices() != rows()) return image;
  auto collapse = expand.getSrc().getDefiningOp<mlir::tensor::CollapseShapeOp>();
  if (!collapse || collapse.getReassociationIndices() != rows()) return image;
  const auto batch = [](Value value) {
    return mlir::cast<RankedTensorType>(value.getType()).getDimSize(4);
  };
  return batch(image) == 1 && batch(collapse.getSrc()) == 1 ? collapse.getSrc() : image;
}

mlir::AffineMap perImageMap(mlir::MLIRContext* context) {
  constexpr unsigned kRank = 6;
  const auto dim = [&](unsigned i) { return mlir::getAffineDimExpr(i, context); };
  const mlir::AffineExpr zero = mlir::getAffineConstantExpr(0, context);
  return mlir::AffineMap::get(kRank, 0, {dim(0), dim(1), zero, zero, dim(4), dim(5)}, context);
}

}  // namespace vta::compiler
