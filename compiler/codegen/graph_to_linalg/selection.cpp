// graph.compact and graph.top: positions by value, found one after the other.
#include "compiler/codegen/graph_to_linalg/loops.h"

namespace vta::compiler::graph_to_linalg {
namespace {

using namespace mlir;

Value asI64(Builder& b, Value index) { return b.create<arith::IndexCastOp>(b.getI64Type(), index); }

Value convertCompact(Builder& b, graph::CompactOp op,
                     OpConversionPattern<graph::CompactOp>::OpAdaptor adaptor) {
  const int64_t extent = op.getType().getNumElements();
  const Value mask = readBuffer(b, adaptor.getMask());
  const Value output = newBuffer(b, {extent}, b.getI64Type());
  const Value end = index(b, extent);
  // A position that is not wanted is overwritten by the next one.
  const Value found =
      forEach(b, index(b, 0), end, index(b, 0), [&](Builder& b, Value i, Value count) {
        store(b, asI64(b, i), output, count);
        return add(b, count, b.create<arith::IndexCastUIOp>(b.getIndexType(), load(b, mask, i)));
      });
  forEach(b, found, end,
          [&](Builder& b, Value i) { store(b, constantInt(b, b.getI64Type(), 0), output, i); });
  return asTensor(b, output);
}

Value convertTop(Builder& b, graph::TopOp op,
                 OpConversionPattern<graph::TopOp>::OpAdaptor adaptor) {
  const RankedTensorType input_type = tensorType(adaptor.getInput());
  const int64_t extent = input_type.getDimSize(1), wanted = op.getType().getDimSize(1);
  const bool is_unsigned = isUnsignedElement(op.getInput().getType());
  const Value input = readBuffer(b, adaptor.getInput());
  const Value output = newBuffer(b, op.getType().getShape(), b.getI64Type());
  const Value numbers = newBuffer(b, {extent}, b.getI32Type());
  const Value zero = index(b, 0), end = index(b, extent);
  forEach(b, zero, index(b, input_type.getDimSize(0)), [&](Builder& b, Value row) {
    const auto isBetter = [&](Builder& b, Value x, Value y) {
      return comesFirst(b, x, load(b, input, {row, x}), y, load(b, input, {row, y}),
                        op.getLargest(), is_unsigned);
    };
    Heap heap(numbers, isBetter);
    forEach(b, zero, end, [&](Builder& b, Value i) { heap.set(b, i, i); });
    heap.build(b, end);
    forEach(b, zero, index(b, wanted), [&](Builder& b, Value k) {
      store(b, asI64(b, heap.pop(b, sub(b, end, k))), output, {row, k});
    });
  });
  return asTensor(b, output);
}

}  // namespace

void addSelectionPatterns(RewritePatternSet& patterns, const TypeConverter& types) {
  addPattern<graph::CompactOp>(patterns, types, convertCompact);
  addPattern<graph::TopOp>(patterns, types, convertTop);
}

}  // namespace vta::compiler::graph_to_linalg
