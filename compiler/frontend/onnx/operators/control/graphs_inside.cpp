#include "compiler/frontend/onnx/operators/control/graphs_inside.h"

#include <algorithm>

#include "compiler/dialects/graph/work.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/IRMapping.h"

namespace vta::compiler {

using mlir::Block;
using mlir::Value;

namespace {

/// Ops of all iterations: compiled one by one, more would take longer than a loop's iterations.
constexpr int64_t kFewOps = 512;
/// The same where an iteration has so many multiply-accumulates that the accelerator is worth a
/// crossing for each of them.
constexpr int64_t kMoreOps = 2048;
constexpr int64_t kManyMacs = int64_t{1} << 20;
/// Loops that would become more ops are errors if they cannot run as loops.
constexpr int64_t kMostOps = 50'000;

mlir::Operation* lastOp(mlir::OpBuilder& builder) {
  const auto at = builder.getInsertionPoint();
  return at == builder.getBlock()->begin() ? nullptr : &*std::prev(at);
}

bool isInside(Value value, Block& block) {
  for (Block* at = value.getParentBlock(); at != nullptr;) {
    if (at == &block) return true;
    mlir::Operation* parent = at->getParentOp();
    at = parent != nullptr ? parent->getBlock() : nullptr;
  }
  return false;
}

/// What the ops in `block` and `yielded` read from around it.
void collectCaptures(Block& block, const Values& yielded, llvm::SetVector<Value>& captures) {
  const auto visit = [&](Value value) {
    if (!isInside(value, block)) captures.insert(value);
  };
  block.walk([&](mlir::Operation* op) { llvm::for_each(op->getOperands(), visit); });
  llvm::for_each(yielded, visit);
}

/// A constant as the first op of `block`. Constants of unsigned types are casts of other constants.
Value cloneConstant(mlir::OpBuilder& builder, Block& block, Value constant) {
  builder.setInsertionPointToStart(&block);
  mlir::Operation* op = constant.getDefiningOp();
  mlir::IRMapping mapping;
  for (const Value operand : op->getOperands()) {
    mapping.map(operand, builder.clone(*operand.getDefiningOp())->getResult(0));
  }
  return builder.clone(*op, mapping)->getResult(0);
}

/// Ends `block` with a yield, and gives it arguments, or constants of its own, for `captures`.
void finishBlock(mlir::OpBuilder& builder, Block& block, const Values& yielded,
                 llvm::ArrayRef<Value> captures) {
  const mlir::Location loc = builder.getUnknownLoc();
  builder.setInsertionPointToEnd(&block);
  builder.create<graph::YieldOp>(loc, yielded);
  for (Value value : captures) {
    const Value inside = graph::constantOf(value) ? cloneConstant(builder, block, value)
                                                  : block.addArgument(value.getType(), loc);
    value.replaceUsesWithIf(inside, [&](mlir::OpOperand& use) {
      Block* at = use.getOwner()->getBlock();
      while (at != nullptr && at != &block) {
        at = at->getParentOp() != nullptr ? at->getParentOp()->getBlock() : nullptr;
      }
      return at == &block;
    });
  }
}

/// Captures that have to be operands: all but constants.
Values computedOf(const llvm::SetVector<Value>& captures) {
  Values computed;
  for (const Value value : captures) {
    if (!graph::constantOf(value)) computed.push_back(value);
  }
  return computed;
}

}  // namespace

UnrollBudget::UnrollBudget(Node& node, Size size)
    : builder_(node.ir()), last_(lastOp(builder_)), may_grow_(size == Size::kWorthwhile) {
  most_ = may_grow_ ? kFewOps : kMostOps;
}

bool UnrollBudget::hasRoom() {
  int64_t macs = 0;
  const auto end = builder_.getInsertionPoint();
  auto at = last_ != nullptr ? std::next(last_->getIterator()) : builder_.getBlock()->begin();
  for (; at != end; ++at) {
    ++ops_;
    macs += graph::countMacs(&*at);
  }
  last_ = lastOp(builder_);
  if (may_grow_ && macs >= kManyMacs) most_ = kMoreOps;
  return ops_ <= most_;
}

std::optional<int64_t> constantScalar(Value value) {
  const mlir::DenseElementsAttr attribute = graph::constantOf(value);
  if (!attribute || attribute.getNumElements() != 1) return std::nullopt;
  if (!attribute.getElementType().isIntOrIndex()) return std::nullopt;
  const auto element = *attribute.getValues<llvm::APInt>().begin();
  return element.getBitWidth() == 1 ? static_cast<int64_t>(element.getZExtValue())
                                    : element.getSExtValue();
}

Values createIf(Node& node, Value condition, Block& then_block, const Values& then_values,
                Block& else_block, const Values& else_values) {
  mlir::OpBuilder& builder = node.ir();
  llvm::SetVector<Value> captures;
  collectCaptures(then_block, then_values, captures);
  collectCaptures(else_block, else_values, captures);
  {
    const mlir::OpBuilder::InsertionGuard guard(builder);
    finishBlock(builder, then_block, then_values, captures.getArrayRef());
    finishBlock(builder, else_block, else_values, captures.getArrayRef());
  }
  llvm::SmallVector<mlir::Type> types;
  for (const Value value : then_values) types.push_back(value.getType());
  auto op =
      builder.create<graph::IfOp>(node.build().location(), types, condition, computedOf(captures));
  op.getThenRegion().takeBody(*then_block.getParent());
  op.getElseRegion().takeBody(*else_block.getParent());
  return {op.result_begin(), op.result_end()};
}

Values createLoop(Node& node, const LoopParts& loop) {
  mlir::OpBuilder& builder = node.ir();
  Values yielded = {loop.next_condition};
  yielded.insert(yielded.end(), loop.next_states.begin(), loop.next_states.end());
  yielded.insert(yielded.end(), loop.rows.begin(), loop.rows.end());
  llvm::SetVector<Value> captures;
  collectCaptures(*loop.body, yielded, captures);
  {
    const mlir::OpBuilder::InsertionGuard guard(builder);
    finishBlock(builder, *loop.body, yielded, captures.getArrayRef());
  }
  llvm::SmallVector<mlir::Type> types;
  for (const Value state : loop.states) types.push_back(state.getType());
  for (const Value row : loop.rows) {
    const mlir::RankedTensorType type = graph::tensorType(row);
    graph::Shape shape = {loop.most_rows};
    shape.insert(shape.end(), type.getShape().begin(), type.getShape().end());
    types.push_back(mlir::RankedTensorType::get(shape, type.getElementType()));
  }
  auto op =
      builder.create<graph::LoopOp>(node.build().location(), loop.most.getType(), types, loop.most,
                                    loop.condition, loop.states, computedOf(captures));
  op.getBody().takeBody(*loop.body->getParent());
  return {op->result_begin(), op->result_end()};
}

Value stacked(Composer& c, const Values& values, int64_t axis) {
  Values parts;
  for (const Value value : values) parts.push_back(c.unsqueeze(value, axis));
  return c.concat(parts, axis);
}

}  // namespace vta::compiler
