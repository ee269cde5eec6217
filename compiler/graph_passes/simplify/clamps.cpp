// Clamps: relu, clip, and what is one of them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/simplify/patterns.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
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

/// max(value, constant), or min.
struct Bound {
  Value value;
  mlir::DenseElementsAttr constant;
  bool is_low = false;
};

/// Nothing if the constant makes the result larger than the value.
std::optional<Bound> matchBound(graph::BinaryOp op) {
  const bool is_max = op.getKind() == BinaryKind::max;
  if (!is_max && op.getKind() != BinaryKind::min) return std::nullopt;
  const auto [value, constant] = splitConstant(op);
  if (!constant || value.getType() != op.getOutput().getType()) return std::nullopt;
  return Bound{value, graph::constantOf(constant), is_max};
}

/// A clamp of `value` on the side of `bound`.
Clamp clampAt(Value value, const Bound& bound, double limit) {
  return {value, bound.is_low ? limit : -kInfinity, bound.is_low ? kInfinity : limit};
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
    const std::optional<Bound> found = matchBound(op);
    if (!found) return mlir::failure();
    const mlir::DenseElementsAttr attribute = found->constant;
    if (!attribute.getElementType().isF32() || !attribute.isSplat()) return mlir::failure();
    double bound = attribute.getSplatValue<float>();
    if (std::isnan(bound)) return mlir::failure();
    graph::GraphBuilder build = builderAt(rewriter, op);
    return replaceWith(rewriter, op, buildClamp(build, clampAt(found->value, *found, bound)));
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
    const std::optional<Bound> found = matchBound(op);
    if (!found) return mlir::failure();
    auto quantize = found->value.getDefiningOp<graph::QuantizeOp>();
    if (!quantize || !found->value.hasOneUse() || quantize.getScales().size() != 1) {
      return mlir::failure();
    }
    const graph::ConstantTensor bounds(found->constant);
    if (bounds.elementCount() != 1) return mlir::failure();
    const int64_t steps = bounds.asIntegers().front() - quantize.getZeroPoints()[0];
    const double bound = static_cast<double>(steps) * quantize.getScales()[0];
    graph::GraphBuilder build = builderAt(rewriter, op);
    Result<Value> clamped = buildClamp(build, clampAt(quantize.getInput(), *found, bound));
    if (!clamped.ok()) return mlir::failure();
    return replaceWith(rewriter, op,
                       build.quantize(*clamped, quantize.getScales(), quantize.getZeroPoints(),
                                      static_cast<int64_t>(quantize.getAxis()),
                                      graph::elementTypeOf(found->value)));
  }
};

}  // namespace

void addClampPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add<ClampBeforeQuantize, MergeClamps, NameClamps>(patterns.getContext());
}

}  // namespace vta::compiler
