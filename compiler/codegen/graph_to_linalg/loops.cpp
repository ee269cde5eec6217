#include "compiler/codegen/graph_to_linalg/loops.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace vta::compiler::graph_to_linalg {

using namespace mlir;

Value add(Builder& b, Value x, Value y) { return b.create<arith::AddIOp>(x, y); }
Value sub(Builder& b, Value x, Value y) { return b.create<arith::SubIOp>(x, y); }

Value isLess(Builder& b, Value x, Value y) {
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, x, y);
}

Value both(Builder& b, Value x, Value y) { return b.create<arith::AndIOp>(x, y); }

Value load(Builder& b, Value buffer, ValueRange indices) {
  return b.create<memref::LoadOp>(buffer, indices);
}

void store(Builder& b, Value value, Value buffer, ValueRange indices) {
  b.create<memref::StoreOp>(value, buffer, indices);
}

Value readBuffer(Builder& b, Value tensor) {
  const RankedTensorType type = tensorType(tensor);
  auto buffer = b.create<bufferization::ToMemrefOp>(
      MemRefType::get(type.getShape(), type.getElementType()), tensor);
  buffer.setReadOnly(true);
  return buffer;
}

Value newBuffer(Builder& b, ArrayRef<int64_t> shape, Type element_type) {
  return b.create<memref::AllocOp>(MemRefType::get(shape, element_type));
}

Value asTensor(Builder& b, Value buffer) {
  const auto type = cast<MemRefType>(buffer.getType());
  auto tensor = b.create<bufferization::ToTensorOp>(
      RankedTensorType::get(type.getShape(), type.getElementType()), buffer);
  tensor.setRestrict(true);
  tensor.setWritable(true);
  return tensor;
}

Value recast(Builder& b, Value value, Type element_type) {
  RankedTensorType type = tensorType(value);
  if (type.getElementType() == element_type) return value;
  return b.create<graph::CastOp>(type.clone(element_type), value);
}

Value signlessValue(Builder& b, Value value) {
  return recast(b, value, signlessType(value.getType()).getElementType());
}

void forEach(Builder& b, Value begin, Value end, llvm::function_ref<void(Builder&, Value)> body) {
  b.create<scf::ForOp>(begin, end, index(b, 1), ValueRange(),
                       [&](OpBuilder& inner, Location loc, Value i, ValueRange) {
                         Builder nested(loc, inner);
                         body(nested, i);
                         nested.create<scf::YieldOp>();
                       });
}

Value forEach(Builder& b, Value begin, Value end, Value carried,
              llvm::function_ref<Value(Builder&, Value, Value)> body) {
  auto loop = b.create<scf::ForOp>(begin, end, index(b, 1), ValueRange(carried),
                                   [&](OpBuilder& inner, Location loc, Value i, ValueRange values) {
                                     Builder nested(loc, inner);
                                     nested.create<scf::YieldOp>(body(nested, i, values[0]));
                                   });
  return loop.getResult(0);
}

SmallVector<Value> whileTrue(Builder& b, ValueRange values, Condition condition, Body body) {
  auto loop = b.create<scf::WhileOp>(
      TypeRange(values), values,
      [&](OpBuilder& inner, Location loc, ValueRange arguments) {
        Builder nested(loc, inner);
        nested.create<scf::ConditionOp>(condition(nested, arguments), arguments);
      },
      [&](OpBuilder& inner, Location loc, ValueRange arguments) {
        Builder nested(loc, inner);
        nested.create<scf::YieldOp>(body(nested, arguments));
      });
  return loop.getResults();
}

Value Heap::at(Builder& b, Value position) {
  return b.create<arith::IndexCastOp>(b.getIndexType(), load(b, buffer_, position));
}

void Heap::set(Builder& b, Value position, Value number) {
  store(b, b.create<arith::IndexCastOp>(b.getI32Type(), number), buffer_, position);
}

/// Swaps the number at `position` with the better one below it until none below is better.
void Heap::sink(Builder& b, Value position, Value size) {
  const auto childOf = [](Builder& b, Value parent) {
    return add(b, add(b, parent, parent), index(b, 1));
  };
  whileTrue(
      b, position,
      [&](Builder& b, ValueRange values) { return isLess(b, childOf(b, values[0]), size); },
      [&](Builder& b, ValueRange values) -> SmallVector<Value> {
        const Value parent = values[0], left = childOf(b, parent);
        // Without a right child, the left one is compared with itself.
        Value right = add(b, left, index(b, 1));
        right = b.create<arith::SelectOp>(isLess(b, right, size), right, left);
        const Value left_number = at(b, left), right_number = at(b, right);
        const Value takes_right = is_better_(b, right_number, left_number);
        const Value child = b.create<arith::SelectOp>(takes_right, right, left);
        const Value below = b.create<arith::SelectOp>(takes_right, right_number, left_number);
        const Value above = at(b, parent);
        const Value swaps = is_better_(b, below, above);
        set(b, parent, b.create<arith::SelectOp>(swaps, below, above));
        set(b, child, b.create<arith::SelectOp>(swaps, above, below));
        return {b.create<arith::SelectOp>(swaps, child, size)};
      });
}

void Heap::build(Builder& b, Value size) {
  const Value half = b.create<arith::DivUIOp>(size, index(b, 2));
  forEach(b, index(b, 0), half,
          [&](Builder& b, Value i) { sink(b, sub(b, sub(b, half, i), index(b, 1)), size); });
}

Value Heap::pop(Builder& b, Value size) {
  const Value zero = index(b, 0), last = sub(b, size, index(b, 1));
  const Value best = at(b, zero);
  set(b, zero, at(b, last));
  sink(b, zero, last);
  return best;
}

Value comesFirst(Builder& b, Value x, Value vx, Value y, Value vy, bool largest, bool is_unsigned) {
  const Value is_earlier = isLess(b, x, y);
  if (isa<FloatType>(vx.getType())) {
    const Value better = b.create<arith::CmpFOp>(
        largest ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, vx, vy);
    const auto isNan = [&](Value v) -> Value {
      return b.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, v, v);
    };
    const Value x_nan = isNan(vx), y_nan = isNan(vy);
    const Value equal = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, vx, vy);
    const Value tie = b.create<arith::OrIOp>(equal, both(b, x_nan, y_nan));
    const Value only_y_nan =
        both(b, y_nan, b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, x_nan, y_nan));
    const Value ahead = b.create<arith::OrIOp>(better, only_y_nan);
    return b.create<arith::OrIOp>(ahead, both(b, tie, is_earlier));
  }
  using arith::CmpIPredicate;
  CmpIPredicate predicate = largest ? CmpIPredicate::sgt : CmpIPredicate::slt;
  if (is_unsigned) predicate = largest ? CmpIPredicate::ugt : CmpIPredicate::ult;
  const Value better = b.create<arith::CmpIOp>(predicate, vx, vy);
  const Value tie = b.create<arith::CmpIOp>(CmpIPredicate::eq, vx, vy);
  return b.create<arith::OrIOp>(better, both(b, tie, is_earlier));
}

}  // namespace vta::compiler::graph_to_linalg
