#include "compiler/quantize/emit/builder.h"

#include <algorithm>

#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/dialects/graph/work.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::compiler {

using mlir::RankedTensorType;
using mlir::Value;

EmitBuilder::EmitBuilder(mlir::Location loc, mlir::Operation* point) : builder_(point), loc_(loc) {}

EmitBuilder EmitBuilder::after(Value value) {
  mlir::OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  return EmitBuilder(value.getLoc(), builder);
}

RankedTensorType EmitBuilder::withElement(mlir::Type like, mlir::Type element) const {
  return RankedTensorType::get(mlir::cast<RankedTensorType>(like).getShape(), element);
}

Value EmitBuilder::perChannel(const std::vector<int32_t>& values) {
  if (std::equal(values.begin() + 1, values.end(), values.begin())) return scalar(values.front());
  const auto channels = static_cast<int64_t>(values.size());
  llvm::SmallVector<int64_t> shape{channels};
  if (nchw_) shape = {1, channels, 1, 1};
  const auto type = RankedTensorType::get(shape, builder_.getI32Type());
  return builder_.create<mlir::arith::ConstantOp>(
      loc_, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<int32_t>(values)));
}

Value EmitBuilder::scalar(int32_t value) {
  const auto type = RankedTensorType::get({1}, builder_.getI32Type());
  return builder_.create<mlir::arith::ConstantOp>(
      loc_, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<int32_t>(value)));
}

Value EmitBuilder::weights(const std::vector<int8_t>& values, mlir::Type float_type) {
  return weights(values, mlir::cast<RankedTensorType>(float_type).getShape());
}

Value EmitBuilder::weights(const std::vector<int8_t>& values, llvm::ArrayRef<int64_t> shape) {
  const auto type = RankedTensorType::get(shape, builder_.getI8Type());
  return builder_.create<mlir::arith::ConstantOp>(
      loc_, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<int8_t>(values)));
}

Value EmitBuilder::conv(graph::ConvOp like, Value input, Value weight, int64_t pad_value) {
  llvm::SmallVector<int64_t> shape(like.getType().getShape());
  shape[1] = mlir::cast<RankedTensorType>(weight.getType()).getDimSize(0);
  auto conv = builder_.create<graph::ConvOp>(
      loc_, RankedTensorType::get(shape, builder_.getI32Type()), input, weight, Value(),
      like.getStrides(), like.getPads(), like.getDilations(), like.getGroup(), pad_value);
  if (const int64_t macs = graph::countMacs(like); macs != graph::countMacs(conv)) {
    conv->setAttr(graph::kMacsAttr, builder_.getI64IntegerAttr(macs));
  }
  return conv;
}

Value EmitBuilder::matmul(Value lhs, Value rhs, mlir::Type float_result) {
  return builder_.create<graph::MatMulOp>(loc_, withElement(float_result, builder_.getI32Type()),
                                          lhs, rhs);
}

Value EmitBuilder::matmulOfBatches(Value lhs, Value rhs, int64_t depth) {
  const auto left = mlir::cast<RankedTensorType>(lhs.getType());
  const auto right = mlir::cast<RankedTensorType>(rhs.getType());
  const auto type = RankedTensorType::get(
      {left.getDimSize(0), left.getDimSize(1), right.getDimSize(2)}, builder_.getI32Type());
  auto product = builder_.create<graph::MatMulOp>(loc_, type, lhs, rhs);
  if (depth != left.getDimSize(2)) {
    product->setAttr(graph::kMacsAttr, builder_.getI64IntegerAttr(type.getNumElements() * depth));
  }
  return product;
}

Value EmitBuilder::sumAlong(Value input, int64_t axis) {
  const auto type = mlir::cast<RankedTensorType>(input.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[static_cast<size_t>(axis)] = 1;
  return builder_.create<graph::ReduceOp>(loc_, type.clone(shape), input,
                                          llvm::ArrayRef<int64_t>{axis}, graph::ReduceKind::sum);
}

Value EmitBuilder::reshape(Value input, llvm::ArrayRef<int64_t> shape) {
  const auto type = mlir::cast<RankedTensorType>(input.getType());
  if (type.getShape() == shape) return input;
  return builder_.create<graph::ReshapeOp>(loc_, type.clone(shape), input);
}

Value EmitBuilder::joined(Value input, int64_t copies, llvm::ArrayRef<int8_t> values,
                          int64_t axis) {
  const auto type = mlir::cast<RankedTensorType>(input.getType());
  llvm::SmallVector<Value> parts(static_cast<size_t>(copies), input);
  for (const int8_t value : values) {
    parts.push_back(builder_.create<mlir::arith::ConstantOp>(
        loc_, mlir::DenseElementsAttr::get(type, builder_.getI8IntegerAttr(value))));
  }
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[static_cast<size_t>(axis)] *= std::ssize(parts);
  return builder_.create<graph::ConcatOp>(loc_, type.clone(shape), parts, axis);
}

Value EmitBuilder::perPixel(const std::vector<int8_t>& values, mlir::Type image_type) {
  const auto type = withElement(image_type, builder_.getI8Type());
  std::vector<int8_t> all;
  while (std::ssize(all) < type.getNumElements())
    all.insert(all.end(), values.begin(), values.end());
  return builder_.create<mlir::arith::ConstantOp>(
      loc_, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<int8_t>(all)));
}

Value EmitBuilder::sumPool(graph::AvgPoolOp like, Value input, int64_t pad_value) {
  return builder_.create<graph::SumPoolOp>(loc_, withElement(like.getType(), builder_.getI32Type()),
                                           input, like.getKernel(), like.getStrides(),
                                           like.getPads(), pad_value);
}

Value EmitBuilder::binary(graph::BinaryKind kind, Value lhs, Value rhs) {
  return builder_.create<graph::BinaryOp>(loc_, lhs.getType(), lhs, rhs, kind);
}

Value EmitBuilder::add(Value lhs, Value rhs) { return binary(graph::BinaryKind::add, lhs, rhs); }

Value EmitBuilder::mul(Value lhs, Value rhs) { return binary(graph::BinaryKind::mul, lhs, rhs); }

Value EmitBuilder::max(Value lhs, Value rhs) { return binary(graph::BinaryKind::max, lhs, rhs); }

Value EmitBuilder::min(Value lhs, Value rhs) { return binary(graph::BinaryKind::min, lhs, rhs); }

Value EmitBuilder::shr(Value input, Value amount) {
  return builder_.create<graph::ShrOp>(loc_, input.getType(), input, amount);
}

Value EmitBuilder::qmul(Value input, Value multiplier, int64_t shift) {
  return builder_.create<graph::QmulOp>(loc_, input.getType(), input, multiplier, shift);
}

Value EmitBuilder::clip(Value input, const IntRange& range) {
  return builder_.create<graph::ClipIntOp>(loc_, input.getType(), input, range.lo, range.hi);
}

Value EmitBuilder::table(Value input, const std::vector<int8_t>& entries) {
  const auto count = static_cast<int64_t>(entries.size()) / graph::kTableEntries;
  const int64_t rank = mlir::cast<RankedTensorType>(input.getType()).getRank();
  llvm::SmallVector<int64_t> shape, axes;
  if (count > 1) {
    shape.push_back(count);
    axes.push_back(rank == 4 ? 1 : rank - 1);
  }
  shape.push_back(graph::kTableEntries);
  Value constant = builder_.create<mlir::arith::ConstantOp>(
      loc_, mlir::DenseElementsAttr::get(RankedTensorType::get(shape, builder_.getI8Type()),
                                         llvm::ArrayRef<int8_t>(entries)));
  return builder_.create<graph::TableOp>(loc_, input.getType(), input, constant, axes);
}

Value EmitBuilder::widen(Value int8) {
  return builder_.create<graph::CastOp>(loc_, withElement(int8.getType(), builder_.getI32Type()),
                                        int8);
}

Value EmitBuilder::narrow(Value int32) {
  return builder_.create<graph::CastOp>(loc_, withElement(int32.getType(), builder_.getI8Type()),
                                        int32);
}

Value EmitBuilder::quantize(Value input, const QuantParams& params) {
  return builder_.create<graph::QuantizeOp>(
      loc_, withElement(input.getType(), builder_.getI8Type()), input,
      llvm::ArrayRef<float>(static_cast<float>(params.scale)),
      llvm::ArrayRef<int64_t>(params.zero_point));
}

Value EmitBuilder::dequantize(Value input, const QuantParams& params) {
  return builder_.create<graph::DequantizeOp>(
      loc_, withElement(input.getType(), builder_.getF32Type()), input,
      llvm::ArrayRef<float>(static_cast<float>(params.scale)),
      llvm::ArrayRef<int64_t>(params.zero_point));
}

mlir::Operation* EmitBuilder::cloneAsInt8(mlir::Operation* op, mlir::IRMapping& mapping,
                                          mlir::ValueRange originals) {
  // The op's operands may already be dequantised values: address them by position instead.
  for (auto [operand, original] : llvm::zip_equal(op->getOperands(), originals)) {
    mapping.map(operand, mapping.lookup(original));
  }
  mlir::Operation* copy = builder_.clone(*op, mapping);
  for (Value result : copy->getResults()) {
    result.setType(withElement(result.getType(), builder_.getI8Type()));
  }
  return copy;
}

mlir::Operation* EmitBuilder::cloneAsInt32(mlir::Operation* op, mlir::ValueRange originals,
                                           mlir::IRMapping& mapping) {
  mlir::IRMapping operands;  // by position, as above
  for (auto [operand, original] : llvm::zip_equal(op->getOperands(), originals)) {
    if (mapping.contains(original)) {
      operands.map(operand, mapping.lookup(original));
      continue;
    }
    const auto number = graph::constantOf(original).getSplatValue<float>();
    operands.map(operand, scalar(static_cast<int32_t>(number)));
  }
  mlir::Operation* copy = builder_.clone(*op, operands);
  Value result = copy->getResult(0);
  result.setType(withElement(result.getType(), builder_.getI32Type()));
  mapping.map(op->getResult(0), result);
  return copy;
}

void EmitBuilder::annotate(Value value, const QuantParams& params) {
  mlir::Operation* producer = value.getDefiningOp();
  producer->setDiscardableAttr("graph.scale", builder_.getF64FloatAttr(params.scale));
  producer->setDiscardableAttr("graph.zero_point", builder_.getI64IntegerAttr(params.zero_point));
}

}  // namespace vta::compiler
