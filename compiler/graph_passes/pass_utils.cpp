#include "compiler/graph_passes/pass_utils.h"

#include "compiler/dialects/graph/constant_tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vta::compiler {

mlir::LogicalResult applyGraphPatterns(mlir::Operation* root, mlir::RewritePatternSet patterns) {
  mlir::GreedyRewriteConfig config;
  config.useTopDownTraversal = true;
  return mlir::applyPatternsAndFoldGreedily(root, std::move(patterns), config);
}

graph::GraphBuilder builderAt(mlir::PatternRewriter& rewriter, mlir::Operation* op) {
  rewriter.setInsertionPoint(op);
  return graph::GraphBuilder(rewriter, op->getLoc(), graph::Folding::kAll);
}

mlir::LogicalResult replaceWith(mlir::PatternRewriter& rewriter, mlir::Operation* op,
                                const Result<mlir::Value>& value) {
  if (!value.ok()) return rewriter.notifyMatchFailure(op, value.status().message());
  rewriter.replaceOp(op, *value);
  return mlir::success();
}

std::optional<std::vector<double>> valuesPerIndex(mlir::Value constant, graph::ShapeRef shape,
                                                  int64_t axis) {
  mlir::DenseElementsAttr attribute = graph::constantOf(constant);
  if (!attribute || !mlir::isa<mlir::FloatType>(attribute.getElementType())) return std::nullopt;
  graph::ShapeRef extents = graph::shapeOf(constant);
  if (extents.size() > shape.size()) return std::nullopt;
  size_t offset = shape.size() - extents.size();
  for (size_t i = 0; i < extents.size(); ++i) {
    bool along = offset + i == static_cast<size_t>(axis) && extents[i] == shape[axis];
    if (extents[i] != 1 && !along) return std::nullopt;
  }
  std::vector<double> values = graph::ConstantTensor(attribute).asDoubles();
  if (values.size() == 1) values.assign(shape[axis], values[0]);
  return values;
}

mlir::Value constantPerIndex(graph::GraphBuilder& build, llvm::ArrayRef<double> values,
                             int64_t axis, int64_t rank) {
  graph::Shape shape(rank - axis, 1);
  shape[0] = static_cast<int64_t>(values.size());
  graph::ConstantTensor tensor(mlir::RankedTensorType::get(shape, build.builder().getF32Type()));
  tensor.setDoubles(values);
  return build.constant(tensor.toAttribute());
}

ConstantOperand splitConstant(graph::BinaryOp op) {
  if (graph::constantOf(op.getRhs())) return {op.getLhs(), op.getRhs()};
  bool commutes = op.getKind() == graph::BinaryKind::add ||
                  op.getKind() == graph::BinaryKind::mul ||
                  op.getKind() == graph::BinaryKind::min || op.getKind() == graph::BinaryKind::max;
  if (commutes && graph::constantOf(op.getLhs())) return {op.getRhs(), op.getLhs()};
  return {};
}

}  // namespace vta::compiler
