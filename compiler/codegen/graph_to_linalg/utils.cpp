#include "compiler/codegen/graph_to_linalg/patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

namespace vta::compiler::graph_to_linalg {

using namespace mlir;

RankedTensorType signlessType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (auto integer = dyn_cast<IntegerType>(tensor.getElementType())) {
    return tensor.clone(IntegerType::get(type.getContext(), integer.getWidth()));
  }
  return tensor;
}

bool isUnsignedElement(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer && (integer.isUnsigned() || integer.getWidth() == 1);
}

Value constant(Builder& b, Type type, double value) {
  if (isa<FloatType>(type)) return b.create<arith::ConstantOp>(b.getFloatAttr(type, value));
  return constantInt(b, type, static_cast<int64_t>(value));
}

Value constantInt(Builder& b, Type type, int64_t value) {
  if (isa<FloatType>(type)) return constant(b, type, static_cast<double>(value));
  return b.create<arith::ConstantOp>(b.getIntegerAttr(type, value));
}

Value emptyTensor(Builder& b, RankedTensorType type) {
  return b.create<tensor::EmptyOp>(type.getShape(), type.getElementType());
}

Value filledTensor(Builder& b, RankedTensorType type, Value value) {
  return b.create<linalg::FillOp>(value, emptyTensor(b, type)).getResult(0);
}

Value lowestValue(Builder& b, Type type, bool is_unsigned) {
  if (auto real = dyn_cast<FloatType>(type)) {
    return b.create<arith::ConstantOp>(
        b.getFloatAttr(type, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/true)));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value = is_unsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  return b.create<arith::ConstantOp>(b.getIntegerAttr(type, value));
}

Value highestValue(Builder& b, Type type, bool is_unsigned) {
  if (auto real = dyn_cast<FloatType>(type)) {
    return b.create<arith::ConstantOp>(
        b.getFloatAttr(type, APFloat::getInf(real.getFloatSemantics())));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value = is_unsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  return b.create<arith::ConstantOp>(b.getIntegerAttr(type, value));
}

AffineMap broadcastMap(MLIRContext* context, ArrayRef<int64_t> operand_shape,
                       ArrayRef<int64_t> shape) {
  SmallVector<AffineExpr> exprs;
  size_t offset = shape.size() - operand_shape.size();
  for (auto [i, extent] : llvm::enumerate(operand_shape)) {
    bool broadcast = extent == 1 && shape[offset + i] != 1;
    exprs.push_back(broadcast ? getAffineConstantExpr(0, context)
                              : getAffineDimExpr(offset + i, context));
  }
  return AffineMap::get(shape.size(), 0, exprs, context);
}

Value elementwise(Builder& b, ValueRange operands, RankedTensorType type, ScalarBody body) {
  SmallVector<AffineMap> maps;
  for (Value operand : operands) {
    maps.push_back(broadcastMap(b.getContext(), tensorType(operand).getShape(), type.getShape()));
  }
  maps.push_back(b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto generic =
      b.create<linalg::GenericOp>(type, operands, ValueRange{emptyTensor(b, type)}, maps, iterators,
                                  [&](OpBuilder& inner, Location loc, ValueRange arguments) {
                                    Builder scalar(loc, inner);
                                    Value value = body(scalar, arguments.drop_back());
                                    scalar.create<linalg::YieldOp>(value);
                                  });
  return generic.getResult(0);
}

Value reshape(Builder& b, Value value, ArrayRef<int64_t> shape) {
  RankedTensorType from = tensorType(value);
  if (from.getShape() == shape) return value;
  RankedTensorType to = from.clone(shape);
  if (auto groups = getReassociationIndicesForReshape(from, to)) {
    if (to.getRank() > from.getRank()) return b.create<tensor::ExpandShapeOp>(to, value, *groups);
    return b.create<tensor::CollapseShapeOp>(to, value, *groups);
  }
  // Through one dimension where neither shape refines the other.
  ReassociationIndices all_from = llvm::to_vector(llvm::seq<int64_t>(from.getRank()));
  ReassociationIndices all_to = llvm::to_vector(llvm::seq<int64_t>(to.getRank()));
  RankedTensorType flat = from.clone({from.getNumElements()});
  if (from.getRank() > 1) {
    value =
        b.create<tensor::CollapseShapeOp>(flat, value, SmallVector<ReassociationIndices>{all_from});
  }
  if (to.getRank() == 1) return value;
  return b.create<tensor::ExpandShapeOp>(to, value, SmallVector<ReassociationIndices>{all_to});
}

Value pad(Builder& b, Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high, Value pad_value) {
  RankedTensorType type = tensorType(value);
  SmallVector<OpFoldResult> offsets, sizes, strides, pad_low, pad_high;
  SmallVector<int64_t> shape;
  bool crops = false, pads = false;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    crops |= low[d] < 0 || high[d] < 0;
    pads |= low[d] > 0 || high[d] > 0;
    int64_t cropped =
        type.getDimSize(d) + std::min<int64_t>(low[d], 0) + std::min<int64_t>(high[d], 0);
    offsets.push_back(b.getIndexAttr(std::max<int64_t>(-low[d], 0)));
    sizes.push_back(b.getIndexAttr(cropped));
    strides.push_back(b.getIndexAttr(1));
    pad_low.push_back(b.getIndexAttr(std::max<int64_t>(low[d], 0)));
    pad_high.push_back(b.getIndexAttr(std::max<int64_t>(high[d], 0)));
    shape.push_back(type.getDimSize(d) + low[d] + high[d]);
  }
  if (crops) value = b.create<tensor::ExtractSliceOp>(value, offsets, sizes, strides);
  if (!pads) return value;
  return b.create<tensor::PadOp>(type.clone(shape), value, pad_low, pad_high, pad_value);
}

Value padImage(Builder& b, Value value, ArrayRef<int64_t> pads, Value pad_value) {
  return pad(b, value, {0, 0, pads[0], pads[1]}, {0, 0, pads[2], pads[3]}, pad_value);
}

Value clampFloat(Builder& b, Value value, Value low, Value high) {
  Value below = b.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, value, low);
  value = b.create<arith::SelectOp>(below, low, value);
  Value above = b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, value, high);
  return b.create<arith::SelectOp>(above, high, value);
}

}  // namespace vta::compiler::graph_to_linalg
