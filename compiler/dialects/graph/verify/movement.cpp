// Verifiers of shape changes, data movement and reductions.
#include "compiler/dialects/graph/verify/utils.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::graph {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

LogicalResult ReshapeOp::verify() {
  if (failed(checkSameElementType(*this, getInput()))) return failure();
  ShapeRef from = shapeOf(getInput()), to = shapeOf(getOutput());
  if (elementCount(from) == elementCount(to)) return success();
  return emitOpError("cannot bring ") << elementCount(from) << " elements of shape "
                                      << shapeText(from) << " into shape " << shapeText(to);
}

LogicalResult TransposeOp::verify() {
  if (failed(checkSameElementType(*this, getInput()))) return failure();
  return checkResultShape(*this, transposeShape(shapeOf(getInput()), getPermutation()));
}

LogicalResult ExpandOp::verify() {
  if (failed(checkSameElementType(*this, getInput()))) return failure();
  return checkResultShape(*this, broadcastShape(shapeOf(getInput()), shapeOf(getOutput())));
}

LogicalResult ConcatOp::verify() {
  std::vector<Shape> shapes;
  for (mlir::Value input : getInputs()) {
    if (failed(checkSameElementType(*this, input))) return failure();
    shapes.push_back(shapeCopy(input));
  }
  return checkResultShape(*this, concatShape(shapes, static_cast<int64_t>(getAxis())));
}

LogicalResult SliceOp::verify() {
  if (failed(checkSameElementType(*this, getInput()))) return failure();
  return checkStatus(
      *this, checkSlice(shapeOf(getInput()), getStarts(), getSteps(), shapeOf(getOutput())));
}

LogicalResult PadOp::verify() {
  if (failed(checkSameElementType(*this, getInput())) ||
      failed(checkResultShape(*this, padShape(shapeOf(getInput()), getLow(), getHigh())))) {
    return failure();
  }
  if (getMode() != PadMode::reflect) return success();
  ShapeRef input = shapeOf(getInput());
  for (size_t i = 0; i < input.size(); ++i) {
    if (std::max(getLow()[i], getHigh()[i]) < std::max<int64_t>(input[i], 1)) continue;
    return emitOpError("cannot reflect ")
           << std::max(getLow()[i], getHigh()[i]) << " elements of dimension " << i << " of "
           << shapeText(input);
  }
  return success();
}

LogicalResult InterleaveOp::verify() {
  if (failed(checkSameElementType(*this, getInput()))) return failure();
  return checkResultShape(*this, interleaveShape(shapeOf(getInput()), getBlock(),
                                                 static_cast<int64_t>(getGroups()), getRepeat()));
}

LogicalResult GatherOp::verify() {
  mlir::Builder builder(getContext());
  if (failed(checkElementType(*this, "indices", getIndices(),
                              {builder.getI32Type(), builder.getI64Type()})) ||
      failed(checkSameElementType(*this, getInput()))) {
    return failure();
  }
  return checkResultShape(*this, gatherShape(shapeOf(getInput()), shapeOf(getIndices()),
                                             static_cast<int64_t>(getAxis())));
}

LogicalResult CheckIndicesOp::verify() {
  mlir::Builder builder(getContext());
  if (failed(checkElementType(*this, "indices", getInput(),
                              {builder.getI32Type(), builder.getI64Type()})) ||
      failed(checkSameElementType(*this, getInput()))) {
    return failure();
  }
  const ShapeRef shape = shapeOf(getInput());
  const std::ptrdiff_t extents = std::ssize(getExtents());
  if (extents != 1 && (shape.empty() || extents != shape.back())) {
    return emitOpError("expects one extent, or one for each position in the last dimension of ")
           << shapeText(shape) << ", got " << extents;
  }
  return checkResultShape(*this, shapeCopy(getInput()));
}

LogicalResult ScatterOp::verify() {
  mlir::Builder builder(getContext());
  if (failed(checkElementType(*this, "indices", getIndices(),
                              {builder.getI32Type(), builder.getI64Type()})) ||
      failed(checkElementType(*this, "updates", getUpdates(), elementTypeOf(getInput()))) ||
      failed(checkSameElementType(*this, getInput()))) {
    return failure();
  }
  ShapeRef input = shapeOf(getInput()), indices = shapeOf(getIndices());
  bool fits = input.size() == 2 && indices.size() == 1 && (input[0] > 0 || indices[0] == 0);
  if (!fits || shapeCopy(getUpdates()) != Shape{indices[0], input[1]}) {
    return emitOpError("expects [D, K], [M] and [M, K], got ")
           << shapeText(input) << ", " << shapeText(indices) << " and "
           << shapeText(shapeOf(getUpdates()));
  }
  if (getCombine() && *getCombine() >= BinaryKind::equal &&
      *getCombine() <= BinaryKind::logical_xor) {
    return emitOpError("cannot combine numbers by '") << stringifyBinaryKind(*getCombine()) << "'";
  }
  return checkResultShape(*this, shapeCopy(getInput()));
}

LogicalResult ReduceOp::verify() {
  if (failed(checkSameElementType(*this, getInput()))) return failure();
  ShapeRef input = shapeOf(getInput());
  Result<Shape> kept = reduceShape(input, getAxes(), true);
  if (kept.ok() && *kept == shapeCopy(getOutput())) return success();
  return checkResultShape(*this, reduceShape(input, getAxes(), false));
}

}  // namespace vta::graph
