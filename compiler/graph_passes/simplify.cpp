#include <cmath>
#include <limits>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/passes.h"

namespace vta::compiler {

#define GEN_PASS_DEF_GRAPHSIMPLIFYPASS
#include "compiler/graph_passes/passes.h.inc"

namespace {

using graph::BinaryKind;
using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The bounds of an op that clamps f32: relu, or clip.
struct Clamp {
  Value input;
  double low = -kInfinity, high = kInfinity;
};

std::optional<Clamp> matchClamp(mlir::Operation* op) {
  if (auto clip = mlir::dyn_cast_or_null<graph::ClipOp>(op)) {
    return Clamp{clip.getInput(), clip.getMin().convertToDouble(), clip.getMax().convertToDouble()};
  }
  auto unary = mlir::dyn_cast_or_null<graph::UnaryOp>(op);
  if (!unary || unary.getKind() != graph::UnaryKind::relu) return std::nullopt;
  if (!mlir::isa<mlir::FloatType>(graph::elementTypeOf(unary.getInput()))) return std::nullopt;
  return Clamp{unary.getInput(), 0, kInfinity};
}

Result<Value> buildClamp(graph::GraphBuilder& build, const Clamp& clamp) {
  if (clamp.low == -kInfinity && clamp.high == kInfinity) return clamp.input;
  if (clamp.low == 0 && clamp.high == kInfinity) {
    return build.unary(graph::UnaryKind::relu, clamp.input);
  }
  return build.clip(clamp.input, clamp.low, clamp.high);
}

/// A clamp of a clamp is one clamp; [0, inf] is a relu.
class MergeClamps : public mlir::RewritePattern {
 public:
  explicit MergeClamps(mlir::MLIRContext* context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  mlir::LogicalResult matchAndRewrite(mlir::Operation* op,
                                      mlir::PatternRewriter& rewriter) const override {
    std::optional<Clamp> outer = matchClamp(op);
    if (!outer) return mlir::failure();
    std::optional<Clamp> inner = matchClamp(outer->input.getDefiningOp());
    bool is_relu = outer->low == 0 && outer->high == kInfinity;
    bool is_open = outer->low == -kInfinity && outer->high == kInfinity;
    bool renames = mlir::isa<graph::ClipOp>(op) && (is_relu || is_open);
    if (!inner && !renames) return mlir::failure();
    Clamp merged = *outer;
    if (inner) {
      auto clamped = [&](double x) { return std::min(std::max(x, outer->low), outer->high); };
      merged = {inner->input, clamped(inner->low), clamped(inner->high)};
    }
    graph::GraphBuilder build = builderAt(rewriter, op);
    return replaceWith(rewriter, op, buildClamp(build, merged));
  }
};

/// max(x, c) and min(x, c) with one number c.
class NameClamps : public mlir::OpRewritePattern<graph::BinaryOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::BinaryOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    bool is_max = op.getKind() == BinaryKind::max;
    if (!is_max && op.getKind() != BinaryKind::min) return mlir::failure();
    auto [value, constant] = splitConstant(op);
    if (!constant || value.getType() != op.getOutput().getType()) return mlir::failure();
    mlir::DenseElementsAttr attribute = graph::constantOf(constant);
    if (!attribute.getElementType().isF32() || !attribute.isSplat()) return mlir::failure();
    double bound = attribute.getSplatValue<float>();
    if (std::isnan(bound)) return mlir::failure();
    graph::GraphBuilder build = builderAt(rewriter, op);
    Clamp clamp{value, is_max ? bound : -kInfinity, is_max ? kInfinity : bound};
    return replaceWith(rewriter, op, buildClamp(build, clamp));
  }
};

/// max(q, c) and min(q, c) of integers q that x is rounded to, with one number c: a clamp of x in
/// front of the rounding gives the same integers. Quantised models with fewer bits than their type
/// has, or without its lowest number, have such bounds.
class ClampBeforeQuantize : public mlir::OpRewritePattern<graph::BinaryOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::BinaryOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    const bool is_max = op.getKind() == BinaryKind::max;
    if (!is_max && op.getKind() != BinaryKind::min) return mlir::failure();
    auto [value, constant] = splitConstant(op);
    if (!constant || value.getType() != op.getOutput().getType()) return mlir::failure();
    auto quantize = value.getDefiningOp<graph::QuantizeOp>();
    if (!quantize || !value.hasOneUse() || quantize.getScales().size() != 1) {
      return mlir::failure();
    }
    const graph::ConstantTensor bounds(graph::constantOf(constant));
    if (bounds.elementCount() != 1) return mlir::failure();
    const int64_t steps = bounds.asIntegers().front() - quantize.getZeroPoints()[0];
    const double bound = static_cast<double>(steps) * quantize.getScales()[0];
    graph::GraphBuilder build = builderAt(rewriter, op);
    const Clamp clamp{quantize.getInput(), is_max ? bound : -kInfinity, is_max ? kInfinity : bound};
    Result<Value> clamped = buildClamp(build, clamp);
    if (!clamped.ok()) return mlir::failure();
    return replaceWith(
        rewriter, op,
        build.quantize(*clamped, quantize.getScales(), quantize.getZeroPoints(),
                       static_cast<int64_t>(quantize.getAxis()), graph::elementTypeOf(value)));
  }
};

/// x + 0, x - 0, x * 1, x / 1.
class DropNeutral : public mlir::OpRewritePattern<graph::BinaryOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::BinaryOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    bool is_sum = op.getKind() == BinaryKind::add || op.getKind() == BinaryKind::sub;
    bool is_product = op.getKind() == BinaryKind::mul || op.getKind() == BinaryKind::div;
    auto [value, constant] = splitConstant(op);
    if (!(is_sum || is_product) || !constant) return mlir::failure();
    if (value.getType() != op.getOutput().getType()) return mlir::failure();
    graph::ConstantTensor elements(graph::constantOf(constant));
    double neutral = is_sum ? 0 : 1;
    if (!llvm::all_of(elements.asDoubles(), [&](double x) { return x == neutral; })) {
      return mlir::failure();
    }
    rewriter.replaceOp(op, value);
    return mlir::success();
  }
};

/// x - y = x + y * -1 for two tensors of one shape: a sum is what accelerators compute, and the
/// factor becomes a part of the convolution that made y. Quantised models keep what they prescribe.
class SubtractByAdding : public mlir::OpRewritePattern<graph::BinaryOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::BinaryOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    const auto is_given = [](Value value) {
      return graph::isConstant(value) || value.getDefiningOp<graph::DequantizeOp>();
    };
    if (op.getKind() != BinaryKind::sub || op.getLhs().getType() != op.getRhs().getType() ||
        graph::shapeOf(op.getLhs()).size() < 2 || !graph::elementTypeOf(op.getLhs()).isF32() ||
        is_given(op.getLhs()) || is_given(op.getRhs())) {
      return mlir::failure();
    }
    graph::GraphBuilder build = builderAt(rewriter, op);
    Result<Value> negated =
        build.binary(BinaryKind::mul, op.getRhs(), constantPerIndex(build, {-1.0}, 0, 1));
    if (!negated.ok()) return mlir::failure();
    return replaceWith(rewriter, op, build.binary(BinaryKind::add, op.getLhs(), *negated));
  }
};

/// Means and maxima over rows and columns are pools.
class NameGlobalPools : public mlir::OpRewritePattern<graph::ReduceOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::ReduceOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    ShapeRef shape = graph::shapeOf(op.getInput());
    bool is_spatial = shape.size() == 4 && op.getAxes() == llvm::ArrayRef<int64_t>{2, 3};
    bool is_mean = op.getKind() == graph::ReduceKind::mean;
    if (!is_spatial || !(is_mean || op.getKind() == graph::ReduceKind::max)) return mlir::failure();
    if (!graph::elementTypeOf(op.getInput()).isF32()) return mlir::failure();
    const Shape kernel = {shape[2], shape[3]}, ones = {1, 1}, none = {0, 0, 0, 0};
    graph::Window window{kernel, ones, none, ones};
    graph::GraphBuilder build = builderAt(rewriter, op);
    Result<Value> pooled = is_mean ? build.avgPool(op.getInput(), window, false, Shape{0, 0})
                                   : build.maxPool(op.getInput(), window);
    if (!pooled.ok()) return mlir::failure();
    return replaceWith(rewriter, op, build.reshape(*pooled, graph::shapeOf(op.getOutput())));
  }
};

/// A constant, also one that a quantised model dequantises.
bool isParameter(Value value) {
  auto dequantize = value.getDefiningOp<graph::DequantizeOp>();
  return graph::constantOf(dequantize ? Value(dequantize.getInput()) : value) != nullptr;
}

/// [..., M, K] x [K, N] is one product of matrices.
class FlattenBatchedMatMul : public mlir::OpRewritePattern<graph::MatMulOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::MatMulOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    ShapeRef lhs = graph::shapeOf(op.getLhs());
    if (lhs.size() <= 2 || graph::shapeOf(op.getRhs()).size() != 2) return mlir::failure();
    if (!isParameter(op.getRhs())) return mlir::failure();
    graph::GraphBuilder build = builderAt(rewriter, op);
    int64_t rows = graph::elementCount(lhs.first(lhs.size() - 1));
    Result<Value> flat = build.reshape(op.getLhs(), Shape{rows, lhs.back()});
    if (!flat.ok()) return mlir::failure();
    Result<Value> product = build.matmul(*flat, op.getRhs());
    if (!product.ok()) return mlir::failure();
    return replaceWith(rewriter, op, build.reshape(*product, graph::shapeOf(op.getOutput())));
  }
};

/// reshape(x * w) + c = reshape(x * w + c), for a product of matrices and one number per column:
/// what FlattenBatchedMatMul has put between a product and its bias.
class AddBeforeReshape : public mlir::OpRewritePattern<graph::BinaryOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::BinaryOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    Value value = op.getLhs(), constant = op.getRhs();
    if (isParameter(value)) std::swap(value, constant);
    auto reshape = value.getDefiningOp<graph::ReshapeOp>();
    if (op.getKind() != BinaryKind::add || !reshape || !isParameter(constant) ||
        !value.hasOneUse()) {
      return mlir::failure();
    }
    Value product = reshape.getInput();
    const int64_t columns = graph::shapeOf(product).back();
    if (!product.getDefiningOp<graph::MatMulOp>() || !product.hasOneUse() ||
        graph::shapeOf(value).back() != columns || graph::shapeOf(constant).size() != 1 ||
        graph::shapeOf(constant)[0] != columns) {
      return mlir::failure();
    }
    graph::GraphBuilder build = builderAt(rewriter, op);
    Result<Value> sum = build.binary(BinaryKind::add, product, constant);
    if (!sum.ok()) return mlir::failure();
    return replaceWith(rewriter, op, build.reshape(*sum, graph::shapeOf(op.getOutput())));
  }
};

/// (a * c) x b = (a x b) * c with one number c, for products of two activations: what stands in
/// front of a product of integers then is a tensor that a kernel made.
class ScaleBehindMatMul : public mlir::OpRewritePattern<graph::MatMulOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::MatMulOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    if (graph::constantOf(op.getLhs()) || graph::constantOf(op.getRhs())) return mlir::failure();
    for (const unsigned i : {0U, 1U}) {
      auto scale = op->getOperand(i).getDefiningOp<graph::BinaryOp>();
      if (!scale || scale.getKind() != BinaryKind::mul || !scale->hasOneUse()) continue;
      auto [value, constant] = splitConstant(scale);
      if (!constant || value.getType() != scale.getType()) continue;
      mlir::DenseElementsAttr factor = graph::constantOf(constant);
      if (!factor.getElementType().isF32() || !factor.isSplat()) continue;
      graph::GraphBuilder build = builderAt(rewriter, op);
      Value lhs = i == 0 ? value : Value(op.getLhs()), rhs = i == 1 ? value : Value(op.getRhs());
      Result<Value> product = build.matmul(lhs, rhs);
      if (!product.ok()) return mlir::failure();
      Value single = constantPerIndex(build, {factor.getSplatValue<float>()}, 0, 1);
      return replaceWith(rewriter, op, build.binary(BinaryKind::mul, *product, single));
    }
    return mlir::failure();
  }
};

/// Ranges of one tensor, one behind the other along `axis`: the range that they are together, and
/// none if they are no such ranges.
Value joinRanges(graph::GraphBuilder& build, Value first, Value second, size_t axis) {
  auto left = first.getDefiningOp<graph::SliceOp>(), right = second.getDefiningOp<graph::SliceOp>();
  if (!left || !right || left.getInput() != right.getInput()) return {};
  const auto is_one = [](int64_t step) { return step == 1; };
  if (!llvm::all_of(left.getSteps(), is_one) || !llvm::all_of(right.getSteps(), is_one)) return {};
  Shape extents = left.getOutput().getType().getShape().vec(), expected = left.getStarts().vec();
  expected[axis] += extents[axis];
  if (llvm::ArrayRef<int64_t>(expected) != right.getStarts()) return {};
  extents[axis] += graph::shapeOf(second)[axis];
  const Result<Value> joined =
      build.slice(left.getInput(), left.getStarts(), left.getSteps(), extents);
  return joined.ok() ? *joined : Value();
}

/// Parts of a concatenation that a split took apart and nothing changed.
class JoinWhatWasSplit : public mlir::OpRewritePattern<graph::ConcatOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::ConcatOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    graph::GraphBuilder build = builderAt(rewriter, op);
    llvm::SmallVector<Value> parts(op.getInputs());
    const auto axis = static_cast<size_t>(op.getAxis());
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const Value joined = joinRanges(build, parts[i], parts[i + 1], axis);
      if (!joined) continue;
      parts[i] = joined;
      parts.erase(parts.begin() + static_cast<int64_t>(i) + 1);
      return replaceWith(rewriter, op, build.concat(parts, static_cast<int64_t>(axis)));
    }
    return mlir::failure();
  }
};

/// The first index and the step of constant `indices` that rise in even steps; nothing if they do
/// not, or if one is outside of `extent`.
struct IndexRange {
  int64_t first = 0, step = 1, count = 0;
};
std::optional<IndexRange> matchRange(Value indices, int64_t extent) {
  mlir::DenseElementsAttr constant = graph::constantOf(indices);
  if (!constant || !constant.getElementType().isIntOrIndex()) return std::nullopt;
  std::vector<int64_t> values = graph::ConstantTensor(constant).asIntegers();
  if (values.empty()) return std::nullopt;
  for (int64_t& value : values) {
    if (value < 0) value += extent;
    if (value < 0 || value >= extent) return std::nullopt;
  }
  IndexRange range{values[0], values.size() > 1 ? values[1] - values[0] : 1, std::ssize(values)};
  if (range.step < 1) return std::nullopt;
  for (int64_t i = 0; i < range.count; ++i) {
    if (values[static_cast<size_t>(i)] != range.first + i * range.step) return std::nullopt;
  }
  return range;
}

/// gather with one constant index, or with several in even steps, is a slice.
class GatherIsSlice : public mlir::OpRewritePattern<graph::GatherOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::GatherOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    const auto axis = static_cast<size_t>(op.getAxis());
    Shape extents = op.getInput().getType().getShape().vec(), starts(extents.size(), 0);
    const std::optional<IndexRange> range = matchRange(op.getIndices(), extents[axis]);
    if (!range) return mlir::failure();
    Shape steps(extents.size(), 1);
    starts[axis] = range->first;
    steps[axis] = range->step;
    extents[axis] = range->count;
    graph::GraphBuilder build = builderAt(rewriter, op);
    Result<Value> slice = build.slice(op.getInput(), starts, steps, extents);
    if (!slice.ok()) return mlir::failure();
    return replaceWith(rewriter, op, build.reshape(*slice, graph::shapeOf(op.getOutput())));
  }
};

class GraphSimplifyPass : public GraphPatternPass<impl::GraphSimplifyPassBase<GraphSimplifyPass>> {
  void addPatterns(mlir::RewritePatternSet& patterns) const override {
    patterns.add<AddBeforeReshape, ClampBeforeQuantize, DropNeutral, FlattenBatchedMatMul,
                 GatherIsSlice, JoinWhatWasSplit, MergeClamps, NameClamps, NameGlobalPools,
                 ScaleBehindMatMul, SubtractByAdding>(patterns.getContext());
  }
};

}  // namespace

}  // namespace vta::compiler
