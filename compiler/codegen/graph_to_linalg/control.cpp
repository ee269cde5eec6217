#include "compiler/codegen/graph_to_linalg/control.h"

#include "compiler/codegen/graph_to_linalg/loops.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace vta::compiler::graph_to_linalg {
namespace {

using namespace mlir;

/// A tensor that lives in a buffer from iteration to iteration, or beyond a branch.
class Carried {
 public:
  Carried(Builder& b, Type type) : type_(cast<RankedTensorType>(type)) {
    const RankedTensorType signless = signlessType(type);
    // Nothing is without an element: the conversion to LLVM knows no such buffers.
    if (isEmpty()) return;
    buffer_ = newBuffer(b, signless.getShape(), signless.getElementType());
  }

  void write(Builder& b, Value value) {
    if (!isEmpty()) writeTo(b, signlessValue(b, value), buffer_);
  }

  /// What the buffer holds; a last read may be written by what uses it.
  Value read(Builder& b, bool is_last) {
    if (isEmpty()) return b.create<tensor::EmptyOp>(type_, ValueRange());
    auto tensor = b.create<bufferization::ToTensorOp>(signlessType(type_), buffer_);
    tensor.setRestrict(true);
    tensor.setWritable(is_last);
    return recast(b, tensor, type_.getElementType());
  }

  static void writeTo(Builder& b, Value value, Value buffer) {
    auto store = b.create<bufferization::MaterializeInDestinationOp>(Type(), value, buffer);
    store.setRestrict(true);
    store.setWritable(true);
  }

 private:
  bool isEmpty() const { return type_.getNumElements() == 0; }

  RankedTensorType type_;
  Value buffer_;
};

/// Moves the ops of a region's block to the builder's position, with `values` for its arguments.
/// Returns what it yields.
SmallVector<Value> inlineRegion(Builder& b, Region& region, ValueRange values) {
  Block& block = region.front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), values)) {
    argument.replaceAllUsesWith(value);
  }
  auto yield = cast<graph::YieldOp>(block.getTerminator());
  SmallVector<Value> yielded(yield.getValues());
  yield.erase();
  b.getInsertionBlock()->getOperations().splice(b.getInsertionPoint(), block.getOperations());
  return yielded;
}

/// Copies of their own: what is written next may be what others are views of.
SmallVector<Value> copied(Builder& b, ArrayRef<Value> values) {
  SmallVector<Value> copies;
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getNumElements() == 0) {
      copies.push_back(value);
      continue;
    }
    value = signlessValue(b, value);
    const Value copy = b.create<bufferization::AllocTensorOp>(
        cast<RankedTensorType>(value.getType()), ValueRange(), value);
    copies.push_back(recast(b, copy, type.getElementType()));
  }
  return copies;
}

void lowerIf(graph::IfOp op) {
  Builder b(op.getLoc(), op);
  SmallVector<Carried> results;
  for (const Type type : op.getResultTypes()) results.emplace_back(b, type);
  const Value condition = b.create<tensor::ExtractOp>(op.getCondition(), ValueRange());
  auto branch = b.create<scf::IfOp>(condition, /*withElseRegion=*/true);
  for (auto [region, block] : {std::pair{&op.getThenRegion(), branch.thenBlock()},
                               std::pair{&op.getElseRegion(), branch.elseBlock()}}) {
    b.setInsertionPointToStart(block);
    const SmallVector<Value> yielded = copied(b, inlineRegion(b, *region, op.getInputs()));
    for (auto [result, value] : llvm::zip(results, yielded)) result.write(b, value);
  }
  b.setInsertionPointAfter(branch);
  SmallVector<Value> values;
  for (Carried& result : results) values.push_back(result.read(b, true));
  op.replaceAllUsesWith(values);
  op.erase();
}

class LoopLowering {
 public:
  explicit LoopLowering(graph::LoopOp op) : op_(op), b_(op.getLoc(), op) {}

  void run() {
    const size_t states = op_.getStates().size();
    for (const Value state : op_.getStates()) {
      states_.emplace_back(b_, state.getType()).write(b_, state);
    }
    for (const Value rows : op_.getOutputs().drop_front(states)) addRows(rows.getType());
    goes_on_ = newBuffer(b_, {}, b_.getI1Type());
    store(b_, scalar(op_.getCondition()), goes_on_, {});
    // Counted in 64 bits everywhere: an index has fewer on some machines.
    const Type i64 = b_.getI64Type();
    const Value most = scalar(op_.getMost());
    auto loop = b_.create<scf::WhileOp>(
        TypeRange(i64), ValueRange(constantInt(b_, i64, 0)),
        [&](OpBuilder& inner, Location loc, ValueRange values) {
          Builder b(loc, inner);
          const Value more = both(b, load(b, goes_on_, {}), isLess(b, values[0], most));
          b.create<scf::ConditionOp>(more, values);
        },
        [&](OpBuilder& inner, Location loc, ValueRange values) {
          Builder b(loc, inner);
          emitBody(b, values[0]);
          b.create<scf::YieldOp>(ValueRange(add(b, values[0], constantInt(b, i64, 1))));
        });
    b_.setInsertionPointAfter(loop);
    SmallVector<Value> results = {countTensor(b_, loop.getResult(0))};
    for (Carried& state : states_) results.push_back(state.read(b_, true));
    for (auto [i, buffer] : llvm::enumerate(rows_)) {
      const Type type = op_.getOutputs()[states + i].getType();
      const Value all =
          buffer ? asTensor(b_, buffer)
                 : b_.create<tensor::EmptyOp>(cast<RankedTensorType>(type), ValueRange());
      results.push_back(recast(b_, all, cast<RankedTensorType>(type).getElementType()));
    }
    op_.replaceAllUsesWith(results);
    op_.erase();
  }

 private:
  Value scalar(Value tensor) { return b_.create<tensor::ExtractOp>(tensor, ValueRange()); }

  Value countTensor(Builder& b, Value count) {
    return b.create<tensor::FromElementsOp>(RankedTensorType::get({}, count.getType()), count);
  }

  /// Room for the rows of all iterations: zeros; null if they have no elements.
  void addRows(Type type) {
    const RankedTensorType signless = signlessType(type);
    if (signless.getNumElements() == 0) {
      rows_.push_back({});
      return;
    }
    const Value buffer = newBuffer(b_, signless.getShape(), signless.getElementType());
    b_.create<linalg::FillOp>(ValueRange(constant(b_, signless.getElementType(), 0)),
                              ValueRange(buffer));
    rows_.push_back(buffer);
  }

  void emitBody(Builder& b, Value iteration) {
    SmallVector<Value> arguments = {countTensor(b, iteration)};
    for (Carried& state : states_) arguments.push_back(state.read(b, false));
    llvm::append_range(arguments, op_.getInputs());
    SmallVector<Value> yielded = inlineRegion(b, op_.getBody(), arguments);
    const Value more = b.create<tensor::ExtractOp>(yielded[0], ValueRange());
    const auto rows = ArrayRef(yielded).drop_front(1 + states_.size());
    for (auto [buffer, row] : llvm::zip(rows_, copied(b, rows))) {
      if (buffer) writeRow(b, row, buffer, iteration);
    }
    const auto next = copied(b, ArrayRef(yielded).slice(1, states_.size()));
    for (auto [state, value] : llvm::zip(states_, next)) state.write(b, value);
    store(b, more, goes_on_, {});
  }

  void writeRow(Builder& b, Value row, Value buffer, Value iteration) {
    const auto type = cast<MemRefType>(buffer.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), sizes;
    const SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
    for (const int64_t extent : type.getShape()) sizes.push_back(b.getIndexAttr(extent));
    offsets[0] = b.create<arith::IndexCastOp>(b.getIndexType(), iteration).getResult();
    sizes[0] = b.getIndexAttr(1);
    const auto row_type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
        type.getShape().drop_front(), type, offsets, sizes, strides));
    const Value place = b.create<memref::SubViewOp>(row_type, buffer, offsets, sizes, strides);
    Carried::writeTo(b, signlessValue(b, row), place);
  }

  graph::LoopOp op_;
  Builder b_;
  SmallVector<Carried> states_;
  SmallVector<Value> rows_;
  Value goes_on_;
};

}  // namespace

void lowerControlFlow(Operation* root) {
  // Inner ones first: their ops move with the graphs around them.
  SmallVector<Operation*> ops;
  root->walk<WalkOrder::PostOrder>([&](Operation* op) {
    if (isa<graph::IfOp, graph::LoopOp>(op)) ops.push_back(op);
  });
  for (Operation* op : ops) {
    if (auto branch = dyn_cast<graph::IfOp>(op)) {
      lowerIf(branch);
    } else {
      LoopLowering(cast<graph::LoopOp>(op)).run();
    }
  }
}

}  // namespace vta::compiler::graph_to_linalg
