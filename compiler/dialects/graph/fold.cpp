// Folds of single ops: identities, and pairs of data movements that are one.
#include <algorithm>

#include "compiler/dialects/graph/graph.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace vta::graph {
namespace {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::OpFoldResult;

bool allEqual(ArrayRef<int64_t> values, int64_t expected) {
  return llvm::all_of(values, [&](int64_t value) { return value == expected; });
}

template <typename Op>
bool keepsType(Op op) {
  return op->getOperand(0).getType() == op->getResult(0).getType();
}

}  // namespace

OpFoldResult CastOp::fold(FoldAdaptor) {
  return keepsType(*this) ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult ExpandOp::fold(FoldAdaptor) {
  return keepsType(*this) ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? OpFoldResult(getInputs()[0]) : OpFoldResult();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (keepsType(*this)) return getInput();
  auto inner = getInput().getDefiningOp<ReshapeOp>();
  if (!inner) return {};
  getInputMutable().assign(inner.getInput());
  return getOutput();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (llvm::is_sorted(getPermutation())) return getInput();
  auto inner = getInput().getDefiningOp<TransposeOp>();
  if (!inner) return {};
  SmallVector<int64_t> composed;
  for (int64_t i : getPermutation()) composed.push_back(inner.getPermutation()[i]);
  getInputMutable().assign(inner.getInput());
  setPermutation(composed);
  return getOutput();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (keepsType(*this) && allEqual(getStarts(), 0) && allEqual(getSteps(), 1)) return getInput();
  auto inner = getInput().getDefiningOp<SliceOp>();
  if (!inner) return {};
  SmallVector<int64_t> starts, steps;
  for (size_t i = 0; i < getStarts().size(); ++i) {
    starts.push_back(inner.getStarts()[i] + getStarts()[i] * inner.getSteps()[i]);
    steps.push_back(inner.getSteps()[i] * getSteps()[i]);
  }
  getInputMutable().assign(inner.getInput());
  setStarts(starts);
  setSteps(steps);
  return getOutput();
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  if (allEqual(getLow(), 0) && allEqual(getHigh(), 0)) return getInput();
  // Constant pads of one value that only grow the tensor add up.
  auto grows = [](PadOp pad) {
    auto legal = [](int64_t value) { return value >= 0; };
    return pad.getMode() == PadMode::constant && llvm::all_of(pad.getLow(), legal) &&
           llvm::all_of(pad.getHigh(), legal);
  };
  auto inner = getInput().getDefiningOp<PadOp>();
  if (!inner || !grows(*this) || !grows(inner) || getValueAttr() != inner.getValueAttr()) return {};
  SmallVector<int64_t> low, high;
  for (size_t i = 0; i < getLow().size(); ++i) {
    low.push_back(getLow()[i] + inner.getLow()[i]);
    high.push_back(getHigh()[i] + inner.getHigh()[i]);
  }
  getInputMutable().assign(inner.getInput());
  setLow(low);
  setHigh(high);
  return getOutput();
}

}  // namespace vta::graph
