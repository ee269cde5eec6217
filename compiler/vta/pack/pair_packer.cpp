#include "compiler/vta/pack/pair_packer.h"

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::compiler {

using mlir::RankedTensorType;
using mlir::Value;
using Extents = llvm::SmallVector<int64_t>;

namespace {

RankedTensorType withShape(Value value, llvm::ArrayRef<int64_t> shape) {
  return mlir::cast<RankedTensorType>(value.getType()).clone(shape);
}

}  // namespace

Value PairPacker::reshape(Value value, llvm::ArrayRef<int64_t> shape) const {
  if (shapeOf(value) == shape) return value;
  return builder_.create<graph::ReshapeOp>(loc_, withShape(value, shape), value);
}

Value PairPacker::transpose(Value value, llvm::ArrayRef<int64_t> permutation) const {
  Extents shape;
  for (const int64_t d : permutation) shape.push_back(shapeOf(value)[static_cast<size_t>(d)]);
  return builder_.create<graph::TransposeOp>(loc_, withShape(value, shape), value, permutation);
}

Value PairPacker::padTo(Value value, llvm::ArrayRef<int64_t> shape) const {
  if (shapeOf(value) == shape) return value;
  const Extents low(shape.size(), 0);
  Extents high;
  for (auto [to, from] : llvm::zip_equal(shape, shapeOf(value))) high.push_back(to - from);
  return builder_.create<graph::PadOp>(loc_, withShape(value, shape), value, low, high,
                                       graph::PadMode::constant, llvm::APFloat(0.0));
}

Value PairPacker::packRows(Value lhs, RankedTensorType type) const {
  Value rows = transpose(padTo(lhs, {shape_.batches, shape_.rows, shape_.padded_depth}), {1, 0, 2});
  rows = reshape(rows, {shape_.rows, shape_.batches * shape_.padded_depth});
  return builder_.create<PackOp>(loc_, type, rows);
}

Value PairPacker::packColumns(Value rhs, RankedTensorType type) const {
  // A pixel's elements are columns of the window: inputs go through them before the next block.
  const int64_t block_out = type.getDimSize(4), block_in = type.getDimSize(5);
  Value padded = padTo(rhs, {shape_.batches, shape_.padded_depth, shape_.padded_columns});
  Value split = reshape(padded, {shape_.batches, shape_.padded_depth / block_in, block_in,
                                 shape_.padded_columns / block_out, block_out});
  return reshape(transpose(split, {0, 3, 1, 4, 2}), type.getShape());
}

Value PairPacker::packBias(Value bias, const std::vector<int32_t>& others,
                           RankedTensorType type) const {
  const auto shape = type.getShape();  // parameters, channel blocks, batch, block
  Value lanes = padTo(bias, {shape_.batches, 1, shape_.padded_columns});
  lanes = reshape(lanes, {1, shape[1], 1, shape[3]});
  if (shape[2] > 1) {
    const auto whole = withShape(bias, {1, shape[1], shape[2], shape[3]});
    lanes = builder_.create<graph::ExpandOp>(loc_, whole, lanes);
  }
  if (others.empty()) return lanes;
  const auto constants = withShape(bias, {shape[0] - 1, shape[1], shape[2], shape[3]});
  Value rest = builder_.create<mlir::arith::ConstantOp>(
      loc_, mlir::DenseElementsAttr::get(constants, llvm::ArrayRef<int32_t>(others)));
  return builder_.create<graph::ConcatOp>(loc_, type, mlir::ValueRange{lanes, rest}, 0);
}

Value PairPacker::unpackProduct(Value packed) const {
  const auto plain = withShape(packed, {shape_.rows, shape_.batches * shape_.padded_columns});
  Value rows = builder_.create<UnpackOp>(loc_, plain, packed);
  rows = transpose(reshape(rows, {shape_.rows, shape_.batches, shape_.padded_columns}), {1, 0, 2});
  if (shape_.columns == shape_.padded_columns) return rows;
  const Extents starts(3, 0), steps(3, 1);
  return builder_.create<graph::SliceOp>(
      loc_, withShape(rows, {shape_.batches, shape_.rows, shape_.columns}), rows, starts, steps);
}

}  // namespace vta::compiler
