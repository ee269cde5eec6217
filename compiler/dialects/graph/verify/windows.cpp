// Verifiers of contractions, pools and normalisations.
#include "compiler/dialects/graph/verify/utils.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::graph {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace {

/// pad_value is the zero point of an i8 input; f32 pads with zero.
LogicalResult checkPadValue(mlir::Operation* op, mlir::Value input, int64_t pad_value) {
  if (elementTypeOf(input).isF32() && pad_value != 0) {
    return op->emitOpError("expects pad_value 0 for f32, got ") << pad_value;
  }
  if (pad_value >= -128 && pad_value <= 127) return success();
  return op->emitOpError("expects a pad_value in [-128, 127], got ") << pad_value;
}

}  // namespace

LogicalResult ConvOp::verify() {
  if (failed(checkContractionTypes(*this, getInput(), getWeight(), getBias())) ||
      failed(checkPadValue(*this, getInput(), static_cast<int64_t>(getPadValue())))) {
    return failure();
  }
  Window window{{}, getStrides(), getPads(), getDilations()};
  return checkResultShape(
      *this, convShape(shapeOf(getInput()), shapeOf(getWeight()), optionalShape(getBias()), window,
                       static_cast<int64_t>(getGroup())));
}

LogicalResult ConvTransposeOp::verify() {
  if (failed(checkAllF32(*this))) return failure();
  Window window{{}, getStrides(), getPads(), getDilations()};
  return checkResultShape(
      *this, convTransposeShape(shapeOf(getInput()), shapeOf(getWeight()), optionalShape(getBias()),
                                window, getOutputPadding(), static_cast<int64_t>(getGroup())));
}

LogicalResult MatMulOp::verify() {
  if (failed(checkContractionTypes(*this, getLhs(), getRhs(), {}))) return failure();
  return checkResultShape(*this, matmulShape(shapeOf(getLhs()), shapeOf(getRhs())));
}

LogicalResult BatchNormOp::verify() {
  if (failed(checkAllF32(*this))) return failure();
  ShapeRef input = shapeOf(getInput());
  if (input.size() < 2) {
    return emitOpError("expects an input of rank 2 or more, got ") << shapeText(input);
  }
  for (mlir::Value parameter : {getScale(), getBias(), getMean(), getVariance()}) {
    ShapeRef shape = shapeOf(parameter);
    if (shape.size() == 1 && shape[0] == input[1]) continue;
    return emitOpError("expects parameters of shape ")
           << shapeText(Shape{input[1]}) << ", got " << shapeText(shape);
  }
  return checkResultShape(*this, shapeCopy(getInput()));
}

LogicalResult MaxPoolOp::verify() {
  if (failed(checkSameElementType(*this, getInput()))) return failure();
  return checkResultShape(*this, poolShape(shapeOf(getInput()),
                                           {getKernel(), getStrides(), getPads(), getDilations()}));
}

LogicalResult AvgPoolOp::verify() {
  if (failed(checkAllF32(*this))) return failure();
  const Shape dilations = {1, 1};
  if (failed(checkResultShape(*this, poolShape(shapeOf(getInput()), {getKernel(), getStrides(),
                                                                     getPads(), dilations})))) {
    return failure();
  }
  llvm::ArrayRef<int64_t> extra = getCeilExtra();
  bool fits = extra.size() == 2;
  for (size_t i = 0; fits && i < 2; ++i) fits = extra[i] >= 0 && extra[i] <= getPads()[2 + i];
  if (fits) return success();
  return emitOpError("expects ceil_extra to hold two parts of the end pads, got ")
         << shapeText(extra);
}

LogicalResult SumPoolOp::verify() {
  mlir::Builder builder(getContext());
  if (failed(checkElementType(*this, "an input", getInput(), builder.getI8Type())) ||
      failed(checkElementType(*this, "a result", getOutput(), builder.getI32Type())) ||
      failed(checkPadValue(*this, getInput(), static_cast<int64_t>(getPadValue())))) {
    return failure();
  }
  const Shape dilations = {1, 1};
  return checkResultShape(
      *this, poolShape(shapeOf(getInput()), {getKernel(), getStrides(), getPads(), dilations}));
}

LogicalResult LrnOp::verify() {
  if (failed(checkAllF32(*this))) return failure();
  if (shapeOf(getInput()).size() < 3) {
    return emitOpError("expects an input of rank 3 or more, got ")
           << shapeText(shapeOf(getInput()));
  }
  if (static_cast<int64_t>(getSize()) < 1) {
    return emitOpError("expects a positive size, got ") << static_cast<int64_t>(getSize());
  }
  return checkResultShape(*this, shapeCopy(getInput()));
}

LogicalResult SoftmaxOp::verify() {
  if (failed(checkAllF32(*this))) return failure();
  if (failed(checkStatus(*this,
                         checkAxis(static_cast<int64_t>(getAxis()), shapeOf(getInput()).size())))) {
    return failure();
  }
  return checkResultShape(*this, shapeCopy(getInput()));
}

}  // namespace vta::graph
