#include <cmath>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/passes.h"

namespace vta::compiler {

#define GEN_PASS_DEF_GRAPHFOLDAFFINEPASS
#include "compiler/graph_passes/passes.h.inc"

namespace {

using graph::BinaryKind;
using graph::BinaryOp;
using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

bool isF32(Value value) { return graph::elementTypeOf(value).isF32(); }

/// x - c and x / c as x + (-c) and x * (1 / c), so that the patterns below see two kinds only.
class NormalizeAffine : public mlir::OpRewritePattern<BinaryOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(BinaryOp op, mlir::PatternRewriter& rewriter) const override {
    bool is_sub = op.getKind() == BinaryKind::sub;
    if (!is_sub && op.getKind() != BinaryKind::div) return mlir::failure();
    if (!graph::constantOf(op.getRhs()) || !isF32(op.getRhs())) return mlir::failure();
    graph::GraphBuilder build = builderAt(rewriter, op);
    Result<Value> inverse =
        build.unary(is_sub ? graph::UnaryKind::neg : graph::UnaryKind::reciprocal, op.getRhs());
    if (!inverse.ok()) return mlir::failure();
    return replaceWith(
        rewriter, op,
        build.binary(is_sub ? BinaryKind::add : BinaryKind::mul, op.getLhs(), *inverse));
  }
};

/// The op in front of `value` if it is a binary op of `kind` with a constant, read by nothing else.
BinaryOp precedingAffine(Value value, BinaryKind kind) {
  auto inner = value.getDefiningOp<BinaryOp>();
  bool fits = inner && inner.getKind() == kind && value.hasOneUse() && isF32(value) &&
              splitConstant(inner).constant;
  return fits ? inner : BinaryOp();
}

/// (x + a) + b = x + (a + b), the same for products; (x + a) * m = x * m + a * m.
class MergeAffine : public mlir::OpRewritePattern<BinaryOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(BinaryOp op, mlir::PatternRewriter& rewriter) const override {
    bool is_mul = op.getKind() == BinaryKind::mul;
    if (!is_mul && op.getKind() != BinaryKind::add) return mlir::failure();
    auto [value, constant] = splitConstant(op);
    if (!constant || op.getOutput().getType() != value.getType()) return mlir::failure();
    graph::GraphBuilder build = builderAt(rewriter, op);
    if (BinaryOp inner = precedingAffine(value, op.getKind())) {
      ConstantOperand in = splitConstant(inner);
      Result<Value> merged = build.binary(op.getKind(), in.constant, constant);
      if (!merged.ok()) return mlir::failure();
      return replaceWith(rewriter, op, build.binary(op.getKind(), in.value, *merged));
    }
    BinaryOp inner = is_mul ? precedingAffine(value, BinaryKind::add) : BinaryOp();
    if (!inner) return mlir::failure();
    ConstantOperand in = splitConstant(inner);
    Result<Value> offset = build.binary(BinaryKind::mul, in.constant, constant);
    if (!offset.ok()) return mlir::failure();
    Result<Value> product = build.binary(BinaryKind::mul, in.value, constant);
    if (!product.ok()) return mlir::failure();
    return replaceWith(rewriter, op, build.binary(BinaryKind::add, *product, *offset));
  }
};

/// A contraction with constant parameters and the values that one op behind it applies per channel.
struct Affine {
  BinaryOp op;
  mlir::Operation* contraction;
  bool is_mul;
  std::vector<double> values;
};

/// Matches `op` as an affine step behind a contraction of type `Op` whose channels are at `axis`
/// from the front (or -1: the last).
template <typename Op>
std::optional<Affine> matchBehind(BinaryOp op, int64_t axis) {
  bool is_mul = op.getKind() == BinaryKind::mul;
  if (!is_mul && op.getKind() != BinaryKind::add) return std::nullopt;
  auto [value, constant] = splitConstant(op);
  if (!constant || !isF32(value) || !value.hasOneUse()) return std::nullopt;
  auto contraction = value.getDefiningOp<Op>();
  if (!contraction) return std::nullopt;
  ShapeRef shape = graph::shapeOf(value);
  auto values = valuesPerIndex(constant, shape, axis < 0 ? std::ssize(shape) - 1 : axis);
  if (!values) return std::nullopt;
  return Affine{op, contraction, is_mul, *std::move(values)};
}

/// `weight` with the output channels at dimension 0 and `values` multiplied onto them. For
/// conv_transpose, [C, O/group, KH, KW], dimension 0 holds groups of input channels instead.
Result<Value> scaleWeight(graph::GraphBuilder& build, Value weight, llvm::ArrayRef<double> values,
                          int64_t group, bool transposed) {
  if (!transposed) {
    return build.binary(BinaryKind::mul, weight, constantPerIndex(build, values, 0, 4));
  }
  ShapeRef shape = graph::shapeOf(weight);
  VTA_ASSIGN_OR_RETURN(Value grouped, build.reshape(weight, Shape{group, shape[0] / group, shape[1],
                                                                  shape[2], shape[3]}));
  VTA_ASSIGN_OR_RETURN(Value factors, build.reshape(constantPerIndex(build, values, 0, 1),
                                                    Shape{group, 1, shape[1], 1, 1}));
  VTA_ASSIGN_OR_RETURN(grouped, build.binary(BinaryKind::mul, grouped, factors));
  return build.reshape(grouped, shape);
}

/// Quantised constant weights with `values` multiplied along `axis`: the scales take the factors,
/// the integers the signs. Null if they cannot.
Value scaleQuantized(graph::GraphBuilder& build, Value weight, llvm::ArrayRef<double> values,
                     int64_t axis) {
  auto dequantize = weight.getDefiningOp<graph::DequantizeOp>();
  const mlir::DenseElementsAttr constant =
      dequantize ? graph::constantOf(dequantize.getInput()) : mlir::DenseElementsAttr();
  const ShapeRef shape = graph::shapeOf(weight);
  if (!constant || std::ssize(values) != shape[axis]) return {};
  const bool is_single = dequantize.getScales().size() == 1;
  if (!is_single && static_cast<int64_t>(dequantize.getAxis()) != axis) return {};

  std::vector<float> scales;
  Shape zeros;
  for (size_t i = 0; i < values.size(); ++i) {
    const double scale = dequantize.getScales()[is_single ? 0 : i];
    scales.push_back(static_cast<float>(values[i] == 0 ? scale : scale * std::abs(values[i])));
    zeros.push_back(dequantize.getZeroPoints()[is_single ? 0 : i]);
  }
  const Shape old_zeros = zeros;
  const auto type = mlir::cast<mlir::IntegerType>(constant.getElementType());
  const int64_t half = int64_t{1} << (type.getWidth() - 1);
  const int64_t low = type.isUnsigned() ? 0 : -half, high = low + 2 * half - 1;
  const int64_t inner = graph::elementCount(shape.subspan(axis + 1));
  graph::ConstantTensor integers(constant);
  std::vector<int64_t> elements = integers.asIntegers();
  const auto channel_of = [&](int64_t at) { return at / inner % shape[axis]; };
  for (int64_t at = 0; at < std::ssize(elements); ++at) {
    const int64_t turned = 2 * old_zeros[channel_of(at)] - elements[at];
    // Around another zero point, all of the type's numbers have an opposite.
    if (values[channel_of(at)] < 0 && (turned < low || turned > high)) {
      zeros[channel_of(at)] = low + high - old_zeros[channel_of(at)];
    }
  }
  for (int64_t at = 0; at < std::ssize(elements); ++at) {
    const int64_t channel = channel_of(at);
    if (values[channel] == 0) elements[at] = zeros[channel];
    if (values[channel] < 0) elements[at] = zeros[channel] + old_zeros[channel] - elements[at];
  }
  integers.setIntegers(elements);
  const Result<Value> scaled =
      build.dequantize(build.constant(integers.toAttribute()), scales, zeros, axis);
  return scaled.ok() ? *scaled : Value();
}

/// The same for weights that are transposed behind their dequantisation.
Value scaleQuantizedMatrix(graph::GraphBuilder& build, Value matrix,
                           llvm::ArrayRef<double> columns) {
  const int64_t last = std::ssize(graph::shapeOf(matrix)) - 1;
  auto transpose = matrix.getDefiningOp<graph::TransposeOp>();
  if (!transpose) return scaleQuantized(build, matrix, columns, last);
  const llvm::ArrayRef<int64_t> order = transpose.getPermutation();
  const Value scaled = scaleQuantized(build, transpose.getInput(), columns, order[last]);
  if (!scaled) return {};
  const Result<Value> result = build.transpose(scaled, Shape(order.begin(), order.end()));
  return result.ok() ? *result : Value();
}

/// Moves the step into weight and bias of a convolution (`Op` is ConvOp or ConvTransposeOp).
template <typename Op>
class FoldIntoConvolution : public mlir::OpRewritePattern<BinaryOp> {
 public:
  using OpRewritePattern<BinaryOp>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(BinaryOp op, mlir::PatternRewriter& rewriter) const override {
    std::optional<Affine> affine = matchBehind<Op>(op, 1);
    if (!affine) return mlir::failure();
    auto conv = mlir::cast<Op>(affine->contraction);
    bool bias_known = !conv.getBias() || graph::constantOf(conv.getBias());
    if (!bias_known) return mlir::failure();

    // The new constants have to dominate the convolution.
    graph::GraphBuilder build = builderAt(rewriter, conv);
    constexpr bool kTransposed = std::is_same_v<Op, graph::ConvTransposeOp>;
    Value bias = conv.getBias();
    Result<Value> weight = Value(conv.getWeight());
    if (affine->is_mul && graph::constantOf(conv.getWeight())) {
      weight = scaleWeight(build, conv.getWeight(), affine->values,
                           static_cast<int64_t>(conv.getGroup()), kTransposed);
    } else if (affine->is_mul) {
      weight = scaleQuantized(build, conv.getWeight(), affine->values, kTransposed ? 1 : 0);
      if (!*weight) return mlir::failure();
    }
    Value values = constantPerIndex(build, affine->values, 0, 1);
    Result<Value> new_bias =
        bias ? build.binary(op.getKind(), bias, values) : Result<Value>(values);
    if (!weight.ok() || !new_bias.ok()) return mlir::failure();
    bool has_bias = bias || !affine->is_mul;
    rewriter.modifyOpInPlace(conv, [&] {
      conv.getWeightMutable().assign(*weight);
      if (has_bias) conv.getBiasMutable().assign(*new_bias);
    });
    rewriter.replaceOp(op, conv.getOutput());
    return mlir::success();
  }
};

/// Multiplies the columns of a matmul's constant right operand. Offsets stay behind it as an
/// addition, in the form of a vector.
class FoldIntoMatMul : public mlir::OpRewritePattern<BinaryOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(BinaryOp op, mlir::PatternRewriter& rewriter) const override {
    std::optional<Affine> affine = matchBehind<graph::MatMulOp>(op, -1);
    if (!affine) return mlir::failure();
    auto matmul = mlir::cast<graph::MatMulOp>(affine->contraction);
    bool is_done = !affine->is_mul && graph::shapeOf(op.getRhs()).size() == 1;
    if (is_done) return mlir::failure();
    graph::GraphBuilder build = builderAt(rewriter, op);
    if (affine->is_mul && !graph::constantOf(matmul.getRhs())) {
      const Value scaled = scaleQuantizedMatrix(build, matmul.getRhs(), affine->values);
      if (!scaled) return mlir::failure();
      return replaceWith(rewriter, op, build.matmul(matmul.getLhs(), scaled));
    }
    Value values = constantPerIndex(build, affine->values, 0, 1);
    if (!affine->is_mul) {
      return replaceWith(rewriter, op, build.binary(BinaryKind::add, matmul.getOutput(), values));
    }
    Result<Value> rhs = build.binary(BinaryKind::mul, matmul.getRhs(), values);
    if (!rhs.ok()) return mlir::failure();
    return replaceWith(rewriter, op, build.matmul(matmul.getLhs(), *rhs));
  }
};

class GraphFoldAffinePass
    : public GraphPatternPass<impl::GraphFoldAffinePassBase<GraphFoldAffinePass>> {
  void addPatterns(mlir::RewritePatternSet& patterns) const override {
    // First into the contraction; what cannot go there is merged with its like.
    patterns.add<FoldIntoConvolution<graph::ConvOp>, FoldIntoConvolution<graph::ConvTransposeOp>,
                 FoldIntoMatMul>(patterns.getContext(), /*benefit=*/2);
    patterns.add<NormalizeAffine, MergeAffine>(patterns.getContext());
  }
};

}  // namespace

}  // namespace vta::compiler
