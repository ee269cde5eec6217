// Convolutions and matrix products.
#include "compiler/codegen/graph_to_linalg/patterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace vta::compiler::graph_to_linalg {
namespace {

using namespace mlir;

using ConvAttrs = SmallVector<NamedAttribute, 2>;

ConvAttrs windowAttributes(Builder& b, ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations) {
  return {b.getNamedAttr("strides", b.getI64VectorAttr(strides)),
          b.getNamedAttr("dilations", b.getI64VectorAttr(dilations))};
}

/// What the sums start from: the bias of each output channel (dimension 1), or zero.
Value initialSums(Builder& b, RankedTensorType type, Value bias) {
  if (!bias) return filledTensor(b, type, constantInt(b, type.getElementType(), 0));
  return b.create<linalg::BroadcastOp>(bias, emptyTensor(b, type), ArrayRef<int64_t>{0, 2, 3})
      .getResult()[0];
}

struct Convolution {
  Value input;   // [N, C, H, W], padded
  Value weight;  // [O, C/group, KH, KW]
  Value bias;    // [O] or null
  ArrayRef<int64_t> strides, dilations;
  int64_t group;
};

/// linalg.conv_2d_ngchw_gfchw on the channels split into groups.
Value groupedConvolution(Builder& b, const Convolution& conv, RankedTensorType type) {
  RankedTensorType input = tensorType(conv.input), weight = tensorType(conv.weight);
  int64_t group = conv.group;
  Value in = reshape(b, conv.input,
                     {input.getDimSize(0), group, input.getDimSize(1) / group, input.getDimSize(2),
                      input.getDimSize(3)});
  Value filter = reshape(b, conv.weight,
                         {group, weight.getDimSize(0) / group, weight.getDimSize(1),
                          weight.getDimSize(2), weight.getDimSize(3)});
  Value init = reshape(b, initialSums(b, type, conv.bias),
                       {type.getDimSize(0), group, type.getDimSize(1) / group, type.getDimSize(2),
                        type.getDimSize(3)});
  Value out =
      b.create<linalg::Conv2DNgchwGfchwOp>(init.getType(), ValueRange{in, filter}, ValueRange{init},
                                           windowAttributes(b, conv.strides, conv.dilations))
          .getResult(0);
  return reshape(b, out, type.getShape());
}

Value convolution(Builder& b, const Convolution& conv, RankedTensorType type) {
  RankedTensorType weight = tensorType(conv.weight);
  ConvAttrs attributes = windowAttributes(b, conv.strides, conv.dilations);
  if (conv.group == 1) {
    Value init = initialSums(b, type, conv.bias);
    return b
        .create<linalg::Conv2DNchwFchwOp>(type, ValueRange{conv.input, conv.weight},
                                          ValueRange{init}, attributes)
        .getResult(0);
  }
  if (weight.getDimSize(0) == conv.group && weight.getDimSize(1) == 1) {
    Value filter =
        reshape(b, conv.weight, {weight.getDimSize(0), weight.getDimSize(2), weight.getDimSize(3)});
    Value init = initialSums(b, type, conv.bias);
    return b
        .create<linalg::DepthwiseConv2DNchwChwOp>(type, ValueRange{conv.input, filter},
                                                  ValueRange{init}, attributes)
        .getResult(0);
  }
  return groupedConvolution(b, conv, type);
}

Value convertConv(Builder& b, graph::ConvOp op,
                  OpConversionPattern<graph::ConvOp>::OpAdaptor adaptor) {
  Type element = tensorType(adaptor.getInput()).getElementType();
  Value input = padImage(b, adaptor.getInput(), op.getPads(),
                         constantInt(b, element, static_cast<int64_t>(op.getPadValue())));
  return convolution(b,
                     {input, adaptor.getWeight(), adaptor.getBias(), op.getStrides(),
                      op.getDilations(), static_cast<int64_t>(op.getGroup())},
                     signlessType(op.getType()));
}

/// Zeros between the elements of each image row and column: [N, C, (H-1)*sh+1, (W-1)*sw+1].
Value insertZeros(Builder& b, Value input, ArrayRef<int64_t> strides) {
  if (strides[0] == 1 && strides[1] == 1) return input;
  RankedTensorType type = tensorType(input);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> offsets(4, b.getIndexAttr(0)), sizes, steps(2, b.getIndexAttr(1));
  for (int64_t extent : type.getShape()) sizes.push_back(b.getIndexAttr(extent));
  for (int d = 0; d < 2; ++d) {
    shape[2 + d] = (shape[2 + d] - 1) * strides[d] + 1;
    steps.push_back(b.getIndexAttr(strides[d]));
  }
  Value zero = constantInt(b, type.getElementType(), 0);
  Value zeros = filledTensor(b, type.clone(shape), zero);
  return b.create<tensor::InsertSliceOp>(input, zeros, offsets, sizes, steps);
}

/// [C, O/group, KH, KW] to the [O, C/group, KH, KW] of the equivalent convolution: the two channel
/// dimensions exchanged in each group, the window turned by 180 degrees.
Value turnedWeight(Builder& b, Value weight, int64_t group) {
  RankedTensorType type = tensorType(weight);
  int64_t in_per_group = type.getDimSize(0) / group, out_per_group = type.getDimSize(1);
  int64_t kh = type.getDimSize(2), kw = type.getDimSize(3);
  RankedTensorType result = type.clone({group * out_per_group, in_per_group, kh, kw});
  AffineExpr o = b.getAffineDimExpr(0), c = b.getAffineDimExpr(1), y = b.getAffineDimExpr(2),
             x = b.getAffineDimExpr(3);
  AffineExpr sources[] = {o.floorDiv(out_per_group) * in_per_group + c, o % out_per_group,
                          kh - 1 - y, kw - 1 - x};
  auto generic = b.create<linalg::GenericOp>(
      result, ValueRange{}, ValueRange{emptyTensor(b, result)},
      ArrayRef<AffineMap>{b.getMultiDimIdentityMap(4)},
      SmallVector<utils::IteratorType>(4, utils::IteratorType::parallel),
      [&](OpBuilder& inner, Location loc, ValueRange) {
        Builder scalar(loc, inner);
        SmallVector<Value> loops, indices;
        for (int d = 0; d < 4; ++d) loops.push_back(scalar.create<linalg::IndexOp>(d));
        for (AffineExpr source : sources) {
          indices.push_back(
              scalar.create<affine::AffineApplyOp>(AffineMap::get(4, 0, source), loops));
        }
        scalar.create<linalg::YieldOp>(
            scalar.create<tensor::ExtractOp>(weight, indices).getResult());
      });
  return generic.getResult(0);
}

Value convertConvTranspose(Builder& b, graph::ConvTransposeOp op,
                           OpConversionPattern<graph::ConvTransposeOp>::OpAdaptor adaptor) {
  RankedTensorType weight = tensorType(adaptor.getWeight());
  ArrayRef<int64_t> pads = op.getPads(), dilations = op.getDilations();
  SmallVector<int64_t> full(4);
  for (int d = 0; d < 2; ++d) {
    int64_t reach = (weight.getDimSize(2 + d) - 1) * dilations[d];
    full[d] = reach - pads[d];
    full[2 + d] = reach - pads[2 + d] + op.getOutputPadding()[d];
  }
  Value input = insertZeros(b, adaptor.getInput(), op.getStrides());
  input =
      padImage(b, input, full, constantInt(b, tensorType(adaptor.getInput()).getElementType(), 0));
  int64_t group = static_cast<int64_t>(op.getGroup());
  const int64_t unit_strides[] = {1, 1};
  return convolution(b,
                     {input, turnedWeight(b, adaptor.getWeight(), group), adaptor.getBias(),
                      unit_strides, dilations, group},
                     signlessType(op.getType()));
}

/// Multiply-accumulate with operands extended to the type of the sum.
Value multiplyAdd(Builder& b, Value x, Value y, Value sum) {
  Type type = sum.getType();
  if (isa<FloatType>(type)) {
    return b.create<arith::AddFOp>(sum, b.create<arith::MulFOp>(x, y));
  }
  if (x.getType() != type) {
    x = b.create<arith::ExtSIOp>(type, x);
    y = b.create<arith::ExtSIOp>(type, y);
  }
  return b.create<arith::AddIOp>(sum, b.create<arith::MulIOp>(x, y));
}

/// Batched product as a generic over (batch..., m, n, k).
Value broadcastMatmul(Builder& b, Value lhs, Value rhs, Value init) {
  RankedTensorType type = tensorType(init);
  int64_t batch = type.getRank() - 2, loops = batch + 3;
  AffineExpr m = b.getAffineDimExpr(batch), n = b.getAffineDimExpr(batch + 1),
             k = b.getAffineDimExpr(batch + 2);
  auto operandMap = [&](Value operand, AffineExpr row, AffineExpr column) {
    AffineMap map = broadcastMap(b.getContext(), tensorType(operand).getShape().drop_back(2),
                                 type.getShape().take_front(batch));
    SmallVector<AffineExpr> exprs(map.getResults());
    exprs.append({row, column});
    return AffineMap::get(loops, 0, exprs, b.getContext());
  };
  SmallVector<AffineMap> maps = {operandMap(lhs, m, k), operandMap(rhs, k, n),
                                 operandMap(init, m, n)};
  SmallVector<utils::IteratorType> iterators(loops, utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  return b
      .create<linalg::GenericOp>(type, ValueRange{lhs, rhs}, ValueRange{init}, maps, iterators,
                                 [](OpBuilder& inner, Location loc, ValueRange arguments) {
                                   Builder scalar(loc, inner);
                                   scalar.create<linalg::YieldOp>(multiplyAdd(
                                       scalar, arguments[0], arguments[1], arguments[2]));
                                 })
      .getResult(0);
}

Value convertMatMul(Builder& b, graph::MatMulOp op,
                    OpConversionPattern<graph::MatMulOp>::OpAdaptor adaptor) {
  RankedTensorType type = signlessType(op.getType());
  Value lhs = adaptor.getLhs(), rhs = adaptor.getRhs();
  Value init = filledTensor(b, type, constantInt(b, type.getElementType(), 0));
  if (tensorType(lhs).getRank() == 2 && tensorType(rhs).getRank() == 2) {
    return b.create<linalg::MatmulOp>(type, ValueRange{lhs, rhs}, ValueRange{init}).getResult(0);
  }
  return broadcastMatmul(b, lhs, rhs, init);
}

}  // namespace

void addContractionPatterns(RewritePatternSet& patterns, const TypeConverter& types) {
  addPattern<graph::ConvOp>(patterns, types, convertConv);
  addPattern<graph::ConvTransposeOp>(patterns, types, convertConvTranspose);
  addPattern<graph::MatMulOp>(patterns, types, convertMatMul);
}

}  // namespace vta::compiler::graph_to_linalg
