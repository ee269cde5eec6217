#include "compiler/vta/common/replace_weights.h"

#include "compiler/vta/common/reference_functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace vta::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

/// The weights of type `original`, each by `rebuild`.
Value rebuildWeights(mlir::OpBuilder builder, Value weights, RankedTensorType original,
                     RebuildWeight rebuild) {
  const mlir::Location loc = weights.getLoc();
  Value out = builder.create<mlir::tensor::EmptyOp>(loc, original.getShape(), builder.getI8Type());
  const auto identity = builder.getMultiDimIdentityMap(6);
  const llvm::SmallVector<mlir::utils::IteratorType> parallel(6,
                                                              mlir::utils::IteratorType::parallel);
  auto generic = builder.create<mlir::linalg::GenericOp>(
      loc, original, mlir::ValueRange{}, out, llvm::ArrayRef{identity}, parallel,
      [&](mlir::OpBuilder& b, mlir::Location, mlir::ValueRange) {
        b.create<mlir::linalg::YieldOp>(loc, rebuild(b, loc, weights, original.getShape().back()));
      });
  return generic.getResult(0);
}

}  // namespace

void WeightReplacer::replace(KernelOp op, llvm::ArrayRef<int64_t> shape,
                             const std::vector<int8_t>& values, RebuildWeight rebuild) {
  mlir::OpBuilder builder(op);
  const auto type = RankedTensorType::get(shape, builder.getI8Type());
  Value constant = builder.create<mlir::arith::ConstantOp>(
      op.getLoc(), mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef(values)));
  replace(op, constant, rebuild);
}

void WeightReplacer::replace(KernelOp op, Value weights, RebuildWeight rebuild) {
  const auto type = mlir::cast<RankedTensorType>(weights.getType());
  const auto old = symbols_.lookup<mlir::func::FuncOp>(op.getReference());
  mlir::func::FuncOp& copy = references_[op.getReference().str()];
  if (!copy) {
    constexpr unsigned kWeight = 1;
    copy = copyWithArgument(
        old, suffix_, kWeight, type,
        [&](mlir::OpBuilder b, mlir::BlockArgument argument, RankedTensorType original) {
          return rebuildWeights(b, argument, original, rebuild);
        },
        symbols_);
  }
  replaceReference(op, old, copy, symbols_);
  op.getWeightMutable().assign(weights);
}

}  // namespace vta::compiler
