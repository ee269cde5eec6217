// Shapes and data movement.
#include "compiler/codegen/graph_to_linalg/loops.h"
#include "compiler/codegen/graph_to_linalg/patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace vta::compiler::graph_to_linalg {
namespace {

using namespace mlir;
using IndexBody = llvm::function_ref<SmallVector<Value>(Builder&, ValueRange)>;

Value indexConstant(Builder& b, int64_t value) { return b.create<arith::ConstantIndexOp>(value); }

/// A tensor of `type` whose element at `loops` is source[indices(loops)].
Value gatherByIndex(Builder& b, Value source, RankedTensorType type, IndexBody indices) {
  auto generic = b.create<linalg::GenericOp>(
      type, ValueRange{}, ValueRange{emptyTensor(b, type)},
      ArrayRef<AffineMap>{b.getMultiDimIdentityMap(type.getRank())},
      SmallVector<utils::IteratorType>(type.getRank(), utils::IteratorType::parallel),
      [&](OpBuilder& inner, Location loc, ValueRange) {
        Builder scalar(loc, inner);
        SmallVector<Value> loops;
        for (int64_t d = 0; d < type.getRank(); ++d) {
          loops.push_back(scalar.create<linalg::IndexOp>(d));
        }
        Value element = scalar.create<tensor::ExtractOp>(source, indices(scalar, loops));
        scalar.create<linalg::YieldOp>(element);
      });
  return generic.getResult(0);
}

Value convertReshape(Builder& b, graph::ReshapeOp op,
                     OpConversionPattern<graph::ReshapeOp>::OpAdaptor adaptor) {
  return reshape(b, adaptor.getInput(), op.getType().getShape());
}

Value convertTranspose(Builder& b, graph::TransposeOp op,
                       OpConversionPattern<graph::TransposeOp>::OpAdaptor adaptor) {
  return b
      .create<linalg::TransposeOp>(adaptor.getInput(), emptyTensor(b, signlessType(op.getType())),
                                   op.getPermutation())
      .getResult()[0];
}

Value convertExpand(Builder& b, graph::ExpandOp op,
                    OpConversionPattern<graph::ExpandOp>::OpAdaptor adaptor) {
  return elementwise(b, adaptor.getInput(), signlessType(op.getType()),
                     [](Builder&, ValueRange v) { return v[0]; });
}

Value convertInterleave(Builder& b, graph::InterleaveOp op,
                        OpConversionPattern<graph::InterleaveOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  ArrayRef<int64_t> in = op.getInput().getType().getShape(), out = type.getShape();
  int64_t sy = op.getBlock()[0], sx = op.getBlock()[1];
  Value spread;
  if (op.getRepeat()) {
    Value pixels = reshape(b, adaptor.getInput(), {in[0], in[1], in[2], 1, in[3], 1});
    auto all = RankedTensorType::get({in[0], in[1], in[2], sy, in[3], sx}, type.getElementType());
    spread = elementwise(b, pixels, all, [](Builder&, ValueRange v) { return v[0]; });
  } else {
    int64_t groups = static_cast<int64_t>(op.getGroups()), depth = out[1] / groups;
    Value split = reshape(b, adaptor.getInput(), {in[0], groups, sy, sx, depth, in[2], in[3]});
    auto all =
        RankedTensorType::get({in[0], groups, depth, in[2], sy, in[3], sx}, type.getElementType());
    spread = b.create<linalg::TransposeOp>(split, emptyTensor(b, all),
                                           ArrayRef<int64_t>{0, 1, 4, 5, 2, 6, 3})
                 .getResult()[0];
  }
  return reshape(b, spread, out);
}

Value convertConcat(Builder& b, graph::ConcatOp op,
                    OpConversionPattern<graph::ConcatOp>::OpAdaptor adaptor) {
  int64_t axis = static_cast<int64_t>(op.getAxis());
  if (axis < 0) axis += op.getType().getRank();
  return b.create<tensor::ConcatOp>(signlessType(op.getType()), static_cast<uint64_t>(axis),
                                    adaptor.getInputs());
}

Value convertSlice(Builder& b, graph::SliceOp op,
                   OpConversionPattern<graph::SliceOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  ArrayRef<int64_t> starts = op.getStarts(), steps = op.getSteps();
  if (llvm::all_of(steps, [](int64_t step) { return step > 0; })) {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      offsets.push_back(b.getIndexAttr(starts[d]));
      sizes.push_back(b.getIndexAttr(type.getDimSize(d)));
      strides.push_back(b.getIndexAttr(steps[d]));
    }
    return b.create<tensor::ExtractSliceOp>(type, adaptor.getInput(), offsets, sizes, strides);
  }
  return gatherByIndex(b, adaptor.getInput(), type, [&](Builder& scalar, ValueRange loops) {
    SmallVector<Value> indices;
    for (auto [d, loop] : llvm::enumerate(loops)) {
      Value offset = scalar.create<arith::MulIOp>(loop, indexConstant(scalar, steps[d]));
      indices.push_back(scalar.create<arith::AddIOp>(offset, indexConstant(scalar, starts[d])));
    }
    return indices;
  });
}

/// value mod extent, in [0, extent).
Value wrapIndex(Builder& b, Value value, int64_t extent) {
  Value divisor = indexConstant(b, extent);
  Value remainder = b.create<arith::RemSIOp>(value, divisor);
  Value negative =
      b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, remainder, indexConstant(b, 0));
  return b.create<arith::SelectOp>(negative, b.create<arith::AddIOp>(remainder, divisor),
                                   remainder);
}

Value clampIndex(Builder& b, Value value, int64_t extent) {
  value = b.create<arith::MaxSIOp>(value, indexConstant(b, 0));
  return b.create<arith::MinSIOp>(value, indexConstant(b, extent - 1));
}

/// Which element of a dimension of `extent` the position `value`, perhaps outside, shows.
Value paddedIndex(Builder& b, graph::PadMode mode, Value value, int64_t extent) {
  if (mode == graph::PadMode::wrap) return wrapIndex(b, value, extent);
  if (mode == graph::PadMode::edge || extent == 1) return clampIndex(b, value, extent);
  // Reflection has period 2 * (extent - 1) and mirrors the second half.
  Value folded = wrapIndex(b, value, 2 * (extent - 1));
  Value mirrored = b.create<arith::SubIOp>(indexConstant(b, 2 * (extent - 1)), folded);
  return b.create<arith::MinSIOp>(folded, mirrored);
}

Value convertPad(Builder& b, graph::PadOp op,
                 OpConversionPattern<graph::PadOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  if (op.getMode() == graph::PadMode::constant) {
    Value value = constant(b, type.getElementType(), op.getValue().convertToDouble());
    return pad(b, adaptor.getInput(), op.getLow(), op.getHigh(), value);
  }
  ArrayRef<int64_t> low = op.getLow();
  RankedTensorType input = tensorType(adaptor.getInput());
  return gatherByIndex(b, adaptor.getInput(), type, [&](Builder& scalar, ValueRange loops) {
    SmallVector<Value> indices;
    for (auto [d, loop] : llvm::enumerate(loops)) {
      Value position = scalar.create<arith::SubIOp>(loop, indexConstant(scalar, low[d]));
      indices.push_back(paddedIndex(scalar, op.getMode(), position, input.getDimSize(d)));
    }
    return indices;
  });
}

/// An index tensor's element as a position in [0, extent). Negative indices count from the end;
/// those outside of the tensor are clamped, so that no input makes the code read foreign memory.
/// graph.check_indices reports them.
Value gatherPosition(Builder& b, Value index, int64_t extent) {
  Value position = b.create<arith::IndexCastOp>(b.getIndexType(), index);
  Value negative =
      b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, position, indexConstant(b, 0));
  Value from_end = b.create<arith::AddIOp>(position, indexConstant(b, extent));
  return clampIndex(b, b.create<arith::SelectOp>(negative, from_end, position), extent);
}

Value convertGather(Builder& b, graph::GatherOp op,
                    OpConversionPattern<graph::GatherOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  RankedTensorType input = tensorType(adaptor.getInput());
  int64_t axis = static_cast<int64_t>(op.getAxis());
  if (axis < 0) axis += input.getRank();
  int64_t index_rank = tensorType(adaptor.getIndices()).getRank();
  return gatherByIndex(b, adaptor.getInput(), type, [&](Builder& scalar, ValueRange loops) {
    Value index =
        scalar.create<tensor::ExtractOp>(adaptor.getIndices(), loops.slice(axis, index_rank));
    SmallVector<Value> indices(loops.take_front(axis));
    indices.push_back(gatherPosition(scalar, index, input.getDimSize(axis)));
    llvm::append_range(indices, loops.drop_front(axis + index_rank));
    return indices;
  });
}

/// The buffer that `op` changes rows in: that of the scatter in front, if nothing else reads its
/// result, or a copy of the input. As updates of tensors, N scatters in a row would take MLIR's
/// bufferization N^3 to see that.
Value scatterBuffer(Builder& b, graph::ScatterOp op, Value input) {
  auto made = input.getDefiningOp<bufferization::ToTensorOp>();
  const bool is_last_use = op.getInput().hasOneUse() && made && made->getBlock() == op->getBlock();
  if (is_last_use && op.getInput().getDefiningOp<graph::ScatterOp>()) return made.getMemref();
  const RankedTensorType type = tensorType(input);
  const Value buffer = newBuffer(b, type.getShape(), type.getElementType());
  auto copy = b.create<bufferization::MaterializeInDestinationOp>(Type(), input, buffer);
  copy.setRestrict(true);
  copy.setWritable(true);
  return buffer;
}

/// One update after the other: which rows they hit is known at run time only.
Value convertScatter(Builder& b, graph::ScatterOp op,
                     OpConversionPattern<graph::ScatterOp>::OpAdaptor adaptor) {
  const int64_t rows = op.getType().getDimSize(0), columns = op.getType().getDimSize(1);
  const int64_t updates = tensorType(adaptor.getUpdates()).getDimSize(0);
  if (rows * columns * updates == 0) return adaptor.getInput();
  const bool is_unsigned = isUnsignedElement(op.getInput().getType());
  const Value buffer = scatterBuffer(b, op, adaptor.getInput());
  forEach(b, index(b, 0), index(b, updates), [&](Builder& body, Value m) {
    const Value which = body.create<tensor::ExtractOp>(adaptor.getIndices(), m);
    const Value row = gatherPosition(body, which, rows);
    forEach(body, index(body, 0), index(body, columns), [&](Builder& inner, Value column) {
      Value update = inner.create<tensor::ExtractOp>(adaptor.getUpdates(), ValueRange{m, column});
      if (op.getCombine()) {
        const Value old = load(inner, buffer, {row, column});
        update = binaryScalar(inner, *op.getCombine(), old, update, is_unsigned);
      }
      store(inner, update, buffer, {row, column});
    });
  });
  return asTensor(b, buffer);
}

}  // namespace

void addMovementPatterns(RewritePatternSet& patterns, const TypeConverter& types) {
  addPattern<graph::ReshapeOp>(patterns, types, convertReshape);
  addPattern<graph::TransposeOp>(patterns, types, convertTranspose);
  addPattern<graph::ExpandOp>(patterns, types, convertExpand);
  addPattern<graph::ConcatOp>(patterns, types, convertConcat);
  addPattern<graph::SliceOp>(patterns, types, convertSlice);
  addPattern<graph::InterleaveOp>(patterns, types, convertInterleave);
  addPattern<graph::PadOp>(patterns, types, convertPad);
  addPattern<graph::GatherOp>(patterns, types, convertGather);
  addPattern<graph::ScatterOp>(patterns, types, convertScatter);
}

}  // namespace vta::compiler::graph_to_linalg
