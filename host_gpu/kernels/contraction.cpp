#include "host_gpu/kernels/contraction.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// The argument of the body that `value` is, possibly widened; `extension` is what widens it.
BlockArgument widenedArgument(Value value, Operation*& extension) {
  Operation* producer = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp, arith::ExtFOp>(producer)) {
    extension = producer;
    value = producer->getOperand(0);
  }
  return dyn_cast<BlockArgument>(value);
}

/// Whether the body is sum + left * right; tells which of the inputs are which.
struct Body {
  unsigned left = 0, right = 1;  // numbers of inputs
  Operation* left_extension = nullptr;
  Operation* right_extension = nullptr;
};

std::optional<Body> matchBody(linalg::LinalgOp op) {
  Block* block = op.getBlock();
  Operation* yield = block->getTerminator();
  if (block->getNumArguments() != 3 || yield->getNumOperands() != 1) return {};
  Operation* add = yield->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add)) return {};
  const Value sum = block->getArgument(2);
  const Value product = add->getOperand(0) == sum ? add->getOperand(1) : add->getOperand(0);
  if (add->getOperand(0) != sum && add->getOperand(1) != sum) return {};
  Operation* multiply = product.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(multiply)) return {};
  Body body;
  const BlockArgument left = widenedArgument(multiply->getOperand(0), body.left_extension);
  const BlockArgument right = widenedArgument(multiply->getOperand(1), body.right_extension);
  if (!left || !right || left.getOwner() != block || right.getOwner() != block) return {};
  body.left = left.getArgNumber();
  body.right = right.getArgNumber();
  if (body.left == body.right || body.left > 1 || body.right > 1) return {};
  return body;
}

bool isUsed(const LinearOperand& operand, unsigned loop) { return operand.coefficients[loop] != 0; }

/// Gives each loop its kind; false if one has none.
bool sortLoops(Contraction& made) {
  for (unsigned loop = 0; loop < made.extents.size(); ++loop) {
    const bool in_left = isUsed(made.left, loop), in_right = isUsed(made.right, loop);
    const bool in_out = isUsed(made.out, loop);
    if (made.extents[loop] == 1) continue;
    if (in_left && in_right) {
      (in_out ? made.batch : made.depth).push_back(loop);
    } else if (in_out && in_left) {
      made.rows.push_back(loop);
    } else if (in_out && in_right) {
      made.columns.push_back(loop);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<LinearOperand> linearOperand(Value buffer, AffineMap map) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  LinearOperand operand{.buffer = buffer};
  SmallVector<int64_t> strides;
  if (!type || !type.hasStaticShape() ||
      failed(getStridesAndOffset(type, strides, operand.offset)) ||
      ShapedType::isDynamic(operand.offset) || ShapedType::isDynamicShape(strides)) {
    return {};
  }
  operand.coefficients.assign(map.getNumDims(), 0);
  for (const auto [expression, stride] : llvm::zip(map.getResults(), strides)) {
    SmallVector<int64_t> flat;
    if (failed(getFlattenedAffineExpr(expression, map.getNumDims(), 0, &flat))) return {};
    if (flat.size() != map.getNumDims() + 1) return {};  // quotients have terms of their own
    for (unsigned d = 0; d < map.getNumDims(); ++d) operand.coefficients[d] += flat[d] * stride;
    operand.offset += flat.back() * stride;
  }
  return operand;
}

std::optional<Contraction> matchContraction(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1) return {};
  const std::optional<Body> body = matchBody(op);
  if (!body) return {};
  Contraction made;
  made.extents = op.getStaticLoopRanges();
  const auto operand_of = [&](OpOperand* operand) {
    return linearOperand(operand->get(), op.getMatchingIndexingMap(operand));
  };
  const auto left = operand_of(op.getDpsInputOperand(body->left));
  const auto right = operand_of(op.getDpsInputOperand(body->right));
  const auto out = operand_of(op.getDpsInitOperand(0));
  if (!left || !right || !out) return {};
  made.left = *left;
  made.left.extension = body->left_extension;
  made.right = *right;
  made.right.extension = body->right_extension;
  made.out = *out;
  made.sum = cast<MemRefType>(out->buffer.getType()).getElementType();
  if (!made.sum.isF32() && !made.sum.isInteger(32)) return {};
  if (!sortLoops(made)) return {};
  // Along memory go the columns: of two operands, that one is the right one.
  const auto walks_memory = [&](ArrayRef<unsigned> loops) {
    return llvm::any_of(loops, [&](unsigned loop) { return made.out.coefficients[loop] == 1; });
  };
  if (walks_memory(made.rows) && !walks_memory(made.columns)) {
    std::swap(made.left, made.right);
    std::swap(made.rows, made.columns);
  }
  return made;
}

std::optional<InitialSums> initialSums(linalg::LinalgOp start, linalg::LinalgOp contraction) {
  const Value sums = contraction.getDpsInits().front();
  if (start.getNumDpsInits() != 1 || start.getDpsInits().front() != sums) return {};
  if (auto fill = dyn_cast<linalg::FillOp>(start.getOperation())) {
    const Value value = fill.getInputs().front();
    if (!matchPattern(value, m_AnyZeroFloat()) && !matchPattern(value, m_Zero())) return {};
    return std::make_optional<InitialSums>(std::nullopt);
  }
  auto copy = dyn_cast<linalg::GenericOp>(start.getOperation());
  if (!copy || copy.getNumDpsInputs() != 1 || copy.getNumParallelLoops() != copy.getNumLoops()) {
    return {};
  }
  Block* body = copy.getBody();
  const Value copied = body->getTerminator()->getOperand(0);
  const AffineMap to = copy.getMatchingIndexingMap(copy.getDpsInitOperand(0));
  if (copied != body->getArgument(0) || !to.isIdentity()) return {};
  // The copy's loops are the result's dimensions, which the contraction's loops number.
  const AffineMap out = contraction.getMatchingIndexingMap(contraction.getDpsInitOperand(0));
  const AffineMap from = copy.getMatchingIndexingMap(copy.getDpsInputOperand(0)).compose(out);
  const auto operand = linearOperand(copy.getDpsInputOperand(0)->get(), from);
  if (!operand) return {};
  return std::make_optional<InitialSums>(operand);
}

}  // namespace vta::codegen
