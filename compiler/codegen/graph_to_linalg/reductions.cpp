// Reductions, softmax and batch normalisation.
#include "compiler/codegen/graph_to_linalg/mean_bits.h"
#include "compiler/codegen/graph_to_linalg/patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace vta::compiler::graph_to_linalg {
namespace {

using namespace mlir;
using graph::ReduceKind;

/// Sums may be reordered: partial sums vectorise, and are more accurate than one long chain.
Value reassociatedAdd(Builder& b, Value x, Value y) {
  if (isa<IntegerType>(x.getType())) return b.create<arith::AddIOp>(x, y);
  return b.create<arith::AddFOp>(x, y, arith::FastMathFlags::reassoc);
}

Value multiply(Builder& b, Value x, Value y) {
  if (isa<IntegerType>(x.getType())) return b.create<arith::MulIOp>(x, y);
  return b.create<arith::MulFOp>(x, y);
}

Value absolute(Builder& b, Value x) {
  if (isa<IntegerType>(x.getType())) return b.create<math::AbsIOp>(x);
  return b.create<math::AbsFOp>(x);
}

Value maximum(Builder& b, Value x, Value y, bool is_unsigned) {
  return binaryScalar(b, graph::BinaryKind::max, x, y, is_unsigned);
}

/// Shape of `type` with the extents of `axes` made one: what all reductions are computed in.
RankedTensorType keptType(RankedTensorType type, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis : axes) shape[axis < 0 ? axis + type.getRank() : axis] = 1;
  return type.clone(shape);
}

/// combine(element, partial) over `axes`, starting from `initial`; a tensor without those axes,
/// reshaped to hold them with extent one.
Value reduceTensor(Builder& b, Value input, ArrayRef<int64_t> axes, Value initial,
                   ScalarBody combine) {
  RankedTensorType type = tensorType(input);
  int64_t rank = type.getRank();
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  for (int64_t axis : axes) {
    iterators[axis < 0 ? axis + rank : axis] = utils::IteratorType::reduction;
  }
  SmallVector<AffineExpr> kept;
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < rank; ++d) {
    if (iterators[d] == utils::IteratorType::reduction) continue;
    kept.push_back(b.getAffineDimExpr(d));
    shape.push_back(type.getDimSize(d));
  }
  Value init = filledTensor(b, type.clone(shape), initial);
  SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(rank),
                                 AffineMap::get(rank, 0, kept, b.getContext())};
  auto generic = b.create<linalg::GenericOp>(
      init.getType(), ValueRange{input}, ValueRange{init}, maps, iterators,
      [&](OpBuilder& inner, Location loc, ValueRange arguments) {
        Builder scalar(loc, inner);
        scalar.create<linalg::YieldOp>(combine(scalar, arguments));
      });
  return reshape(b, generic.getResult(0), keptType(type, axes).getShape());
}

Value sumOf(Builder& b, Value input, ArrayRef<int64_t> axes,
            llvm::function_ref<Value(Builder&, Value)> term) {
  Value zero = constantInt(b, tensorType(input).getElementType(), 0);
  return reduceTensor(b, input, axes, zero, [&](Builder& scalar, ValueRange v) {
    return reassociatedAdd(scalar, term(scalar, v[0]), v[1]);
  });
}

Value maxOf(Builder& b, Value input, ArrayRef<int64_t> axes, bool is_unsigned) {
  Value lowest = lowestValue(b, tensorType(input).getElementType(), is_unsigned);
  return reduceTensor(b, input, axes, lowest, [&](Builder& scalar, ValueRange v) {
    return maximum(scalar, v[0], v[1], is_unsigned);
  });
}

/// The maximum along `axes`, with infinities replaced by 0 so that x - max is never inf - inf.
Value finiteMaxOf(Builder& b, Value input, ArrayRef<int64_t> axes) {
  Value max = maxOf(b, input, axes, /*is_unsigned=*/false);
  return elementwise(b, max, tensorType(max), [](Builder& scalar, ValueRange v) -> Value {
    Value infinity = highestValue(scalar, v[0].getType(), /*is_unsigned=*/false);
    Value infinite =
        scalar.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, absolute(scalar, v[0]), infinity);
    return scalar.create<arith::SelectOp>(infinite, constant(scalar, v[0].getType(), 0.0), v[0]);
  });
}

Value identity(Builder&, Value x) { return x; }
Value square(Builder& b, Value x) { return multiply(b, x, x); }

template <typename Op>
Value mapFloat(Builder& b, Value input) {
  return elementwise(b, input, tensorType(input), [](Builder& scalar, ValueRange v) -> Value {
    return scalar.create<Op>(v[0]);
  });
}

int64_t countOf(RankedTensorType type, ArrayRef<int64_t> axes) {
  int64_t count = 1;
  for (const int64_t axis : axes) count *= type.getDimSize(axis < 0 ? axis + type.getRank() : axis);
  return count;
}

/// Of integers in bitsOfMean.
Value meanOf(Builder& b, Value input, ArrayRef<int64_t> axes, bool is_unsigned) {
  RankedTensorType given = tensorType(input);
  const int64_t count = countOf(given, axes);
  auto integer = dyn_cast<IntegerType>(given.getElementType());
  const unsigned bits = integer ? bitsOfMean(integer.getWidth(), count) : 0;
  if (integer && integer.getWidth() < bits) {
    Type wide = b.getIntegerType(bits);
    Value widened =
        elementwise(b, input, given.clone(wide), [&](Builder& s, ValueRange v) -> Value {
          return is_unsigned ? s.create<arith::ExtUIOp>(wide, v[0]).getResult()
                             : s.create<arith::ExtSIOp>(wide, v[0]).getResult();
        });
    Value sums = sumOf(b, widened, axes, identity);
    return elementwise(b, sums, tensorType(sums).clone(integer),
                       [&](Builder& s, ValueRange v) -> Value {
                         Value mean = binaryScalar(s, graph::BinaryKind::div, v[0],
                                                   constantInt(s, wide, count), is_unsigned);
                         return s.create<arith::TruncIOp>(integer, mean);
                       });
  }
  Value sums = sumOf(b, input, axes, identity);
  return elementwise(b, sums, tensorType(sums), [&](Builder& scalar, ValueRange v) {
    return binaryScalar(scalar, graph::BinaryKind::div, v[0],
                        constantInt(scalar, v[0].getType(), count), is_unsigned);
  });
}

Value logSumExpOf(Builder& b, Value input, ArrayRef<int64_t> axes) {
  Value max = finiteMaxOf(b, input, axes);
  Value exps =
      elementwise(b, {input, max}, tensorType(input), [](Builder& scalar, ValueRange v) -> Value {
        return scalar.create<math::ExpOp>(scalar.create<arith::SubFOp>(v[0], v[1]));
      });
  Value sums = sumOf(b, exps, axes, identity);
  return elementwise(b, {sums, max}, tensorType(sums), [](Builder& scalar, ValueRange v) -> Value {
    return scalar.create<arith::AddFOp>(scalar.create<math::LogOp>(v[0]), v[1]);
  });
}

Value reduceKind(Builder& b, ReduceKind kind, Value input, ArrayRef<int64_t> axes,
                 bool is_unsigned) {
  Type element = tensorType(input).getElementType();
  switch (kind) {
    case ReduceKind::sum:
      return sumOf(b, input, axes, identity);
    case ReduceKind::mean:
      return meanOf(b, input, axes, is_unsigned);
    case ReduceKind::max:
      return maxOf(b, input, axes, is_unsigned);
    case ReduceKind::min:
      return reduceTensor(b, input, axes, highestValue(b, element, is_unsigned),
                          [&](Builder& scalar, ValueRange v) {
                            return binaryScalar(scalar, graph::BinaryKind::min, v[0], v[1],
                                                is_unsigned);
                          });
    case ReduceKind::prod:
      return reduceTensor(
          b, input, axes, constantInt(b, element, 1),
          [](Builder& scalar, ValueRange v) { return multiply(scalar, v[0], v[1]); });
    case ReduceKind::l1:
      return is_unsigned ? sumOf(b, input, axes, identity) : sumOf(b, input, axes, absolute);
    case ReduceKind::sum_square:
      return sumOf(b, input, axes, square);
    case ReduceKind::l2:
      return isa<FloatType>(element) ? mapFloat<math::SqrtOp>(b, sumOf(b, input, axes, square))
                                     : Value();
    case ReduceKind::log_sum:
      return isa<FloatType>(element) ? mapFloat<math::LogOp>(b, sumOf(b, input, axes, identity))
                                     : Value();
    case ReduceKind::log_sum_exp:
      return isa<FloatType>(element) ? logSumExpOf(b, input, axes) : Value();
  }
  return {};
}

Value convertReduce(Builder& b, graph::ReduceOp op,
                    OpConversionPattern<graph::ReduceOp>::OpAdaptor adaptor) {
  Value value = reduceKind(b, op.getKind(), adaptor.getInput(), op.getAxes(),
                           isUnsignedElement(op.getInput().getType()));
  if (!value) {
    op.emitError() << "reduction '" << stringifyReduceKind(op.getKind())
                   << "' is defined for floating point only";
    return {};
  }
  return reshape(b, value, op.getType().getShape());
}

Value convertSoftmax(Builder& b, graph::SoftmaxOp op,
                     OpConversionPattern<graph::SoftmaxOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  int64_t axis = static_cast<int64_t>(op.getAxis());
  Value input = adaptor.getInput(), max = finiteMaxOf(b, input, axis);
  Value exps = elementwise(b, {input, max}, type, [](Builder& scalar, ValueRange v) -> Value {
    return scalar.create<math::ExpOp>(scalar.create<arith::SubFOp>(v[0], v[1]));
  });
  Value sums = sumOf(b, exps, axis, identity);
  if (op.getLog()) {
    // Not x - (max + log(sum)): that rounds to the precision of the maximum.
    Value logs = mapFloat<math::LogOp>(b, sums);
    return elementwise(b, {input, max, logs}, type, [](Builder& scalar, ValueRange v) -> Value {
      return scalar.create<arith::SubFOp>(scalar.create<arith::SubFOp>(v[0], v[1]), v[2]);
    });
  }
  return elementwise(b, {exps, sums}, type, [](Builder& scalar, ValueRange v) -> Value {
    return scalar.create<arith::DivFOp>(v[0], v[1]);
  });
}

Value convertBatchNorm(Builder& b, graph::BatchNormOp op,
                       OpConversionPattern<graph::BatchNormOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  SmallVector<int64_t> channel_shape(std::max<int64_t>(type.getRank() - 1, 1), 1);
  if (type.getRank() > 1) channel_shape[0] = type.getDimSize(1);
  SmallVector<Value> operands = {adaptor.getInput()};
  for (Value parameter :
       {adaptor.getScale(), adaptor.getBias(), adaptor.getMean(), adaptor.getVariance()}) {
    operands.push_back(reshape(b, parameter, channel_shape));
  }
  double epsilon = op.getEpsilon().convertToDouble();
  return elementwise(b, operands, type, [&](Builder& scalar, ValueRange v) -> Value {
    Value variance = scalar.create<arith::AddFOp>(v[4], constant(scalar, v[4].getType(), epsilon));
    Value factor = scalar.create<arith::DivFOp>(v[1], scalar.create<math::SqrtOp>(variance));
    Value centred = scalar.create<arith::SubFOp>(v[0], v[3]);
    return scalar.create<arith::AddFOp>(scalar.create<arith::MulFOp>(centred, factor), v[2]);
  });
}

}  // namespace

void addReductionPatterns(RewritePatternSet& patterns, const TypeConverter& types) {
  addPattern<graph::ReduceOp>(patterns, types, convertReduce);
  addPattern<graph::SoftmaxOp>(patterns, types, convertSoftmax);
  addPattern<graph::BatchNormOp>(patterns, types, convertBatchNorm);
}

}  // namespace vta::compiler::graph_to_linalg
