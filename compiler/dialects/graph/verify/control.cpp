// Verifiers of ops with graphs inside.
#include "compiler/dialects/graph/verify/utils.h"
#include "mlir/IR/Builders.h"

namespace vta::graph {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

namespace {

LogicalResult checkScalarType(mlir::Operation* op, llvm::StringRef name, mlir::Type type,
                              mlir::Type element) {
  if (type == mlir::RankedTensorType::get({}, element)) return success();
  return op->emitOpError() << name << " is " << type << ", expected a 0-D tensor of " << element;
}

/// The region's arguments have these types.
LogicalResult checkArguments(mlir::Operation* op, mlir::Region& region, mlir::TypeRange types) {
  if (llvm::equal(region.getArgumentTypes(), types)) return success();
  return op->emitOpError("a region's arguments do not have the types of the operands");
}

/// What the region yields; null, with a diagnostic, if it does not end in a yield.
YieldOp yieldOf(mlir::Operation* op, mlir::Region& region) {
  auto yield = mlir::dyn_cast<YieldOp>(region.front().back());
  if (!yield) op->emitOpError("a region does not end in graph.yield");
  return yield;
}

}  // namespace

LogicalResult IfOp::verify() {
  mlir::Builder builder(getContext());
  if (failed(
          checkScalarType(*this, "the condition", getCondition().getType(), builder.getI1Type()))) {
    return failure();
  }
  for (mlir::Region* region : {&getThenRegion(), &getElseRegion()}) {
    if (failed(checkArguments(*this, *region, getInputs().getTypes()))) return failure();
    YieldOp yield = yieldOf(*this, *region);
    if (!yield) return failure();
    if (llvm::equal(yield.getValues().getTypes(), getResultTypes())) continue;
    return emitOpError("a region yields other types than the results");
  }
  return success();
}

LogicalResult LoopOp::verify() {
  mlir::Builder builder(getContext());
  const mlir::Type i64 = builder.getI64Type(), i1 = builder.getI1Type();
  if (failed(checkScalarType(*this, "the most", getMost().getType(), i64)) ||
      failed(checkScalarType(*this, "the condition", getCondition().getType(), i1)) ||
      failed(checkScalarType(*this, "the count", getCount().getType(), i64))) {
    return failure();
  }
  llvm::SmallVector<mlir::Type> arguments = {getMost().getType()};
  llvm::append_range(arguments, getStates().getTypes());
  llvm::append_range(arguments, getInputs().getTypes());
  if (failed(checkArguments(*this, getBody(), arguments))) return failure();
  YieldOp yield = yieldOf(*this, getBody());
  if (!yield) return failure();
  const size_t states = getStates().size();
  const llvm::SmallVector<mlir::Type> yielded(yield.getValues().getTypes());
  const llvm::SmallVector<mlir::Type> outputs(getOutputs().getTypes());
  if (yielded.size() != outputs.size() + 1 || outputs.size() < states ||
      yielded.front() != getCondition().getType() ||
      !llvm::equal(llvm::ArrayRef(outputs).take_front(states), getStates().getTypes()) ||
      !llvm::equal(llvm::ArrayRef(yielded).slice(1, states), getStates().getTypes())) {
    return emitOpError("the states are not what the body takes and yields");
  }
  for (size_t i = states; i < outputs.size(); ++i) {
    const auto row = mlir::cast<mlir::RankedTensorType>(yielded[i + 1]);
    const auto all = mlir::cast<mlir::RankedTensorType>(outputs[i]);
    const bool fits = all.getRank() == row.getRank() + 1 &&
                      all.getElementType() == row.getElementType() &&
                      all.getShape().drop_front() == row.getShape();
    if (!fits) return emitOpError("rows of ") << row << " do not fit " << all;
  }
  return success();
}

}  // namespace vta::graph
