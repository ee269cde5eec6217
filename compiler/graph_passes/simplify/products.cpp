// Products of matrices, and what stands around them.
#include <utility>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/simplify/patterns.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using graph::Shape;
using graph::ShapeRef;
using mlir::Value;

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

}  // namespace

void addProductPatterns(mlir::RewritePatternSet& patterns) {
  patterns.add<AddBeforeReshape, FlattenBatchedMatMul, ScaleBehindMatMul>(patterns.getContext());
}

}  // namespace vta::compiler
