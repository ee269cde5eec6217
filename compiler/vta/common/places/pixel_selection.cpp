#include "compiler/vta/common/places/pixel_selection.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace vta::compiler {
namespace {

using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::linalg::GenericOp;
using mlir::utils::IteratorType;
namespace arith = mlir::arith;

constexpr unsigned kRank = 6;
constexpr unsigned kRowLoop = 2, kColumnLoop = 3;

Value listConstant(mlir::OpBuilder& builder, mlir::Location loc,
                   const std::vector<int64_t>& values) {
  const auto type = RankedTensorType::get({std::ssize(values)}, builder.getI64Type());
  return builder.create<arith::ConstantOp>(
      loc, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<int64_t>(values)));
}

std::optional<std::vector<int64_t>> listOf(Value value) {
  mlir::DenseIntElementsAttr list;
  if (!mlir::matchPattern(value, mlir::m_Constant(&list)) || list.getType().getRank() != 1 ||
      !list.getElementType().isInteger(64)) {
    return std::nullopt;
  }
  const auto values = list.getValues<int64_t>();
  return std::vector<int64_t>(values.begin(), values.end());
}

/// Whether `index` is element `argument` of `op`'s operands.
bool isElement(GenericOp op, Value index, unsigned argument) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  return cast && cast.getIn() == op.getBody()->getArgument(argument);
}

bool isLoop(Value index, unsigned loop) {
  auto op = index.getDefiningOp<mlir::linalg::IndexOp>();
  return op && op.getDim() == loop;
}

}  // namespace

Value selectPixels(mlir::OpBuilder& builder, mlir::Location loc, Value image,
                   const std::vector<int64_t>& rows, const std::vector<int64_t>& columns) {
  const auto type = mlir::cast<RankedTensorType>(image.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[kRowLoop] = std::ssize(rows);
  shape[kColumnLoop] = std::ssize(columns);
  Value init = builder.create<mlir::tensor::EmptyOp>(loc, shape, type.getElementType());
  const llvm::SmallVector<Value> lists = {listConstant(builder, loc, rows),
                                          listConstant(builder, loc, columns)};
  const llvm::SmallVector<AffineMap> maps = {
      AffineMap::getMultiDimMapWithTargets(kRank, {kRowLoop}, builder.getContext()),
      AffineMap::getMultiDimMapWithTargets(kRank, {kColumnLoop}, builder.getContext()),
      builder.getMultiDimIdentityMap(kRank)};
  const llvm::SmallVector<IteratorType> iterators(kRank, IteratorType::parallel);
  return builder
      .create<GenericOp>(
          loc, init.getType(), lists, init, maps, iterators,
          [&](mlir::OpBuilder& b, mlir::Location at, mlir::ValueRange args) {
            llvm::SmallVector<Value> place;
            for (unsigned loop = 0; loop < kRank; ++loop) {
              const bool is_listed = loop == kRowLoop || loop == kColumnLoop;
              place.push_back(is_listed ? Value(b.create<arith::IndexCastOp>(at, b.getIndexType(),
                                                                             args[loop - kRowLoop]))
                                        : Value(b.create<mlir::linalg::IndexOp>(at, loop)));
            }
            Value pixel = b.create<mlir::tensor::ExtractOp>(at, image, place);
            b.create<mlir::linalg::YieldOp>(at, pixel);
          })
      .getResult(0);
}

std::optional<PixelSelection> matchPixelSelection(GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumLoops() != kRank ||
      op.getNumParallelLoops() != kRank) {
    return std::nullopt;
  }
  const auto maps = op.getIndexingMapsArray();
  mlir::MLIRContext* context = op.getContext();
  if (maps[0] != AffineMap::getMultiDimMapWithTargets(kRank, {kRowLoop}, context) ||
      maps[1] != AffineMap::getMultiDimMapWithTargets(kRank, {kColumnLoop}, context) ||
      !maps[2].isIdentity()) {
    return std::nullopt;
  }
  auto read = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<mlir::tensor::ExtractOp>();
  if (!read || read.getIndices().size() != kRank) return std::nullopt;
  for (unsigned loop = 0; loop < kRank; ++loop) {
    const bool is_listed = loop == kRowLoop || loop == kColumnLoop;
    const Value index = read.getIndices()[loop];
    if (is_listed ? !isElement(op, index, loop - kRowLoop) : !isLoop(index, loop)) {
      return std::nullopt;
    }
  }
  auto rows = listOf(op.getInputs()[0]), columns = listOf(op.getInputs()[1]);
  if (!rows || !columns) return std::nullopt;
  return PixelSelection{read.getTensor(), std::move(*rows), std::move(*columns)};
}

}  // namespace vta::compiler
