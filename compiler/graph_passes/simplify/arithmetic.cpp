// Sums, products and reductions that are simpler ones.
#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/simplify/patterns.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

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

}  // namespace

void addArithmeticPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add<DropNeutral, NameGlobalPools, SubtractByAdding>(patterns.getContext());
}

}  // namespace vta::compiler
