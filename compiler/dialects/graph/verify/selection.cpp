// Verifiers of what picks elements by their values.
#include "compiler/dialects/graph/verify/utils.h"
#include "mlir/IR/Builders.h"

namespace vta::graph {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace {

/// Positions inside a row fit 32 bits, which is how the host's code keeps them.
constexpr int64_t kMostPositions = (int64_t{1} << 31) - 1;

LogicalResult checkPositions(mlir::Operation* op) {
  mlir::Builder builder(op->getContext());
  return checkElementType(op, "the result", op->getResult(0), builder.getI64Type());
}

LogicalResult checkScalar(mlir::Operation* op, llvm::StringRef name, mlir::Value value,
                          mlir::Type type) {
  if (!value) return success();
  if (failed(checkElementType(op, name, value, type))) return failure();
  if (shapeOf(value).empty()) return success();
  return op->emitOpError() << name << " has shape " << shapeText(shapeOf(value))
                           << ", expected a scalar";
}

}  // namespace

LogicalResult CompactOp::verify() {
  mlir::Builder builder(getContext());
  if (failed(checkElementType(*this, "the mask", getMask(), builder.getI1Type())) ||
      failed(checkPositions(*this))) {
    return failure();
  }
  if (shapeOf(getMask()).size() == 1 && shapeOf(getMask())[0] <= kMostPositions) {
    return checkResultShape(*this, shapeCopy(getMask()));
  }
  return emitOpError("expects a list, got shape ") << shapeText(shapeOf(getMask()));
}

LogicalResult TopOp::verify() {
  if (failed(checkPositions(*this))) return failure();
  const ShapeRef input = shapeOf(getInput()), output = shapeOf(getOutput());
  const bool fits = input.size() == 2 && output.size() == 2 && input[0] == output[0] &&
                    output[1] <= input[1] && input[1] <= kMostPositions;
  if (fits) return success();
  return emitOpError("cannot pick ") << shapeText(output) << " of " << shapeText(input);
}

LogicalResult SuppressOp::verify() {
  mlir::Builder builder(getContext());
  const mlir::Type f32 = builder.getF32Type(), i64 = builder.getI64Type();
  if (failed(checkElementType(*this, "boxes", getBoxes(), f32)) ||
      failed(checkElementType(*this, "scores", getScores(), f32)) ||
      failed(checkScalar(*this, "the limit", getLimit(), i64)) ||
      failed(checkScalar(*this, "the IoU threshold", getIouThreshold(), f32)) ||
      failed(checkScalar(*this, "the score threshold", getScoreThreshold(), f32)) ||
      failed(checkScalar(*this, "the count", getCount(), i64)) || failed(checkPositions(*this))) {
    return failure();
  }
  const ShapeRef boxes = shapeOf(getBoxes()), scores = shapeOf(getScores());
  const ShapeRef output = shapeOf(getOutput());
  const bool fits = boxes.size() == 3 && scores.size() == 3 && output.size() == 3 &&
                    boxes[2] == 4 && boxes[0] == scores[0] && boxes[1] == scores[2] &&
                    output[0] == scores[0] && output[1] == scores[1] && output[2] <= scores[2] &&
                    scores[2] <= kMostPositions;
  if (fits) return success();
  return emitOpError("cannot pick ")
         << shapeText(output) << " of boxes " << shapeText(boxes) << " with scores "
         << shapeText(scores) << "; expected [batches, boxes, 4] and [batches, classes, boxes]";
}

}  // namespace vta::graph
