// Window operations: pooling and local response normalisation.
#include <algorithm>

#include "compiler/codegen/graph_to_linalg/patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace vta::compiler::graph_to_linalg {
namespace {

using namespace mlir;

struct Window {
  ArrayRef<int64_t> kernel, strides, dilations;
};

constexpr int64_t kUnitDilation[] = {1, 1};

template <typename Op>
Value namedPooling(Builder& b, Value input, const Window& window, Value init) {
  Value extent = b.create<tensor::EmptyOp>(window.kernel, tensorType(input).getElementType());
  NamedAttribute attributes[] = {b.getNamedAttr("strides", b.getI64VectorAttr(window.strides)),
                                 b.getNamedAttr("dilations", b.getI64VectorAttr(window.dilations))};
  return b.create<Op>(init.getType(), ValueRange{input, extent}, ValueRange{init}, attributes)
      .getResult(0);
}

/// The unsigned maximum has no named op.
Value unsignedMaxPooling(Builder& b, Value input, const Window& window, Value init) {
  Value extent = b.create<tensor::EmptyOp>(window.kernel, tensorType(input).getElementType());
  SmallVector<AffineExpr> d(6);
  bindDimsList(b.getContext(), MutableArrayRef<AffineExpr>(d));
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(6, 0, exprs, b.getContext());
  };
  SmallVector<AffineMap> maps = {
      map({d[0], d[1], d[2] * window.strides[0] + d[4] * window.dilations[0],
           d[3] * window.strides[1] + d[5] * window.dilations[1]}),
      map({d[4], d[5]}), map({d[0], d[1], d[2], d[3]})};
  SmallVector<utils::IteratorType> iterators(6, utils::IteratorType::parallel);
  iterators[4] = iterators[5] = utils::IteratorType::reduction;
  return b
      .create<linalg::GenericOp>(
          init.getType(), ValueRange{input, extent}, ValueRange{init}, maps, iterators,
          [](OpBuilder& inner, Location loc, ValueRange arguments) {
            Value max = inner.create<arith::MaxUIOp>(loc, arguments[0], arguments[2]);
            inner.create<linalg::YieldOp>(loc, max);
          })
      .getResult(0);
}

Value convertMaxPool(Builder& b, graph::MaxPoolOp op,
                     OpConversionPattern<graph::MaxPoolOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  bool is_unsigned = isUnsignedElement(op.getInput().getType());
  Value lowest = lowestValue(b, type.getElementType(), is_unsigned);
  Value input = padImage(b, adaptor.getInput(), op.getPads(), lowest);
  Value init = filledTensor(b, type, lowest);
  Window window{op.getKernel(), op.getStrides(), op.getDilations()};
  if (is_unsigned) return unsignedMaxPooling(b, input, window, init);
  return namedPooling<linalg::PoolingNchwMaxOp>(b, input, window, init);
}

Value windowSums(Builder& b, Value input, RankedTensorType type, const Window& window,
                 ArrayRef<int64_t> pads, int64_t pad_value) {
  Type element = tensorType(input).getElementType();
  input = padImage(b, input, pads, constantInt(b, element, pad_value));
  Value init = filledTensor(b, type, constantInt(b, type.getElementType(), 0));
  return namedPooling<linalg::PoolingNchwSumOp>(b, input, window, init);
}

Value convertSumPool(Builder& b, graph::SumPoolOp op,
                     OpConversionPattern<graph::SumPoolOp>::OpAdaptor adaptor) {
  return windowSums(b, adaptor.getInput(), signlessType(op.getType()),
                    {op.getKernel(), op.getStrides(), kUnitDilation}, op.getPads(),
                    static_cast<int64_t>(op.getPadValue()));
}

/// For each output position along one dimension, how many window elements count.
SmallVector<int64_t> countedElements(graph::AvgPoolOp op, int d) {
  int64_t input = tensorType(op.getInput()).getDimSize(2 + d);
  int64_t begin = 0, end = input;
  if (op.getCountIncludePad()) {
    begin = -op.getPads()[d];
    end = input + op.getPads()[2 + d] - op.getCeilExtra()[d];
  }
  SmallVector<int64_t> counts;
  for (int64_t o = 0; o < tensorType(op.getOutput()).getDimSize(2 + d); ++o) {
    int64_t first = o * op.getStrides()[d] - op.getPads()[d];
    int64_t last = first + op.getKernel()[d];
    counts.push_back(std::max<int64_t>(std::min(last, end) - std::max(first, begin), 0));
  }
  return counts;
}

Value convertAvgPool(Builder& b, graph::AvgPoolOp op,
                     OpConversionPattern<graph::AvgPoolOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  Value sums = windowSums(b, adaptor.getInput(), type,
                          {op.getKernel(), op.getStrides(), kUnitDilation}, op.getPads(), 0);
  SmallVector<int64_t> rows = countedElements(op, 0), columns = countedElements(op, 1);
  SmallVector<Attribute> divisors;
  for (int64_t row : rows) {
    for (int64_t column : columns) {
      divisors.push_back(b.getFloatAttr(type.getElementType(), static_cast<double>(row * column)));
    }
  }
  if (llvm::all_equal(divisors)) divisors.resize(1);
  int64_t height = divisors.size() == 1 ? 1 : type.getDimSize(2);
  int64_t width = divisors.size() == 1 ? 1 : type.getDimSize(3);
  Value divisor = b.create<arith::ConstantOp>(
      DenseElementsAttr::get(type.clone({1, 1, height, width}), divisors));
  return elementwise(b, {sums, divisor}, type, [](Builder& scalar, ValueRange v) -> Value {
    return scalar.create<arith::DivFOp>(v[0], v[1]);
  });
}

/// Sums over `size` neighbouring channels; `squares` is padded so that all windows lie inside.
Value channelWindowSums(Builder& b, Value squares, RankedTensorType type, int64_t size) {
  int64_t rank = type.getRank();
  Value extent = b.create<tensor::EmptyOp>(ArrayRef<int64_t>{size}, type.getElementType());
  SmallVector<AffineExpr> in, out;
  AffineExpr k = b.getAffineDimExpr(rank);
  for (int64_t d = 0; d < rank; ++d) {
    AffineExpr dim = b.getAffineDimExpr(d);
    in.push_back(d == 1 ? dim + k : dim);
    out.push_back(dim);
  }
  SmallVector<AffineMap> maps = {AffineMap::get(rank + 1, 0, in, b.getContext()),
                                 AffineMap::get(rank + 1, 0, {k}, b.getContext()),
                                 AffineMap::get(rank + 1, 0, out, b.getContext())};
  SmallVector<utils::IteratorType> iterators(rank + 1, utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  Value init = filledTensor(b, type, constant(b, type.getElementType(), 0.0));
  return b
      .create<linalg::GenericOp>(
          type, ValueRange{squares, extent}, ValueRange{init}, maps, iterators,
          [](OpBuilder& inner, Location loc, ValueRange arguments) {
            Value sum = inner.create<arith::AddFOp>(loc, arguments[0], arguments[2]);
            inner.create<linalg::YieldOp>(loc, sum);
          })
      .getResult(0);
}

/// base ^ beta; the customary exponents by square roots, which are exact to half a unit.
Value powConstant(Builder& b, Value base, double beta) {
  if (beta == 1.0) return base;
  if (beta == 0.5) return b.create<math::SqrtOp>(base);
  if (beta == 0.75) {
    Value root = b.create<math::SqrtOp>(base);
    return b.create<arith::MulFOp>(root, b.create<math::SqrtOp>(root));
  }
  return b.create<math::PowFOp>(base, constant(b, base.getType(), beta));
}

Value convertLrn(Builder& b, graph::LrnOp op,
                 OpConversionPattern<graph::LrnOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  Type element = type.getElementType();
  int64_t size = static_cast<int64_t>(op.getSize());
  Value squares =
      elementwise(b, adaptor.getInput(), type, [](Builder& scalar, ValueRange v) -> Value {
        return scalar.create<arith::MulFOp>(v[0], v[0]);
      });
  SmallVector<int64_t> low(type.getRank(), 0), high(type.getRank(), 0);
  // What is farther away than all channels are adds nothing, and would take memory.
  const int64_t farthest = type.getDimSize(1) - 1;
  low[1] = std::min((size - 1) / 2, farthest);
  high[1] = std::min(size - 1 - (size - 1) / 2, farthest);
  squares = pad(b, squares, low, high, constant(b, element, 0.0));
  Value sums = channelWindowSums(b, squares, type, low[1] + high[1] + 1);
  double factor = op.getAlpha().convertToDouble() / static_cast<double>(size);
  double bias = op.getBias().convertToDouble(), beta = op.getBeta().convertToDouble();
  return elementwise(b, {adaptor.getInput(), sums}, type,
                     [&](Builder& scalar, ValueRange v) -> Value {
                       Value base = scalar.create<arith::AddFOp>(
                           constant(scalar, element, bias),
                           scalar.create<arith::MulFOp>(v[1], constant(scalar, element, factor)));
                       return scalar.create<arith::DivFOp>(v[0], powConstant(scalar, base, beta));
                     });
}

}  // namespace

void addPoolingPatterns(RewritePatternSet& patterns, const TypeConverter& types) {
  addPattern<graph::MaxPoolOp>(patterns, types, convertMaxPool);
  addPattern<graph::AvgPoolOp>(patterns, types, convertAvgPool);
  addPattern<graph::SumPoolOp>(patterns, types, convertSumPool);
  addPattern<graph::LrnOp>(patterns, types, convertLrn);
}

}  // namespace vta::compiler::graph_to_linalg
