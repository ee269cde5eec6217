#include <cmath>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/graph_passes/pass_utils.h"
#include "compiler/graph_passes/passes.h"

namespace vta::compiler {

#define GEN_PASS_DEF_GRAPHFOLDBATCHNORMPASS
#include "compiler/graph_passes/passes.h.inc"

namespace {

using graph::BinaryKind;
using mlir::Value;

/// y = x * s + t with s = scale / sqrt(variance + epsilon) and t = bias - mean * s, computed in
/// double.
class SplitBatchNorm : public mlir::OpRewritePattern<graph::BatchNormOp> {
 public:
  using OpRewritePattern::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(graph::BatchNormOp op,
                                      mlir::PatternRewriter& rewriter) const override {
    for (Value parameter : op->getOperands().drop_front()) {
      if (!graph::constantOf(parameter)) {
        return rewriter.notifyMatchFailure(op, "parameters are not constant");
      }
    }
    auto values = [](Value constant) {
      return graph::ConstantTensor(graph::constantOf(constant)).asDoubles();
    };
    std::vector<double> scale = values(op.getScale()), bias = values(op.getBias());
    std::vector<double> mean = values(op.getMean()), variance = values(op.getVariance());
    double epsilon = op.getEpsilon().convertToDouble();
    std::vector<double> factors, offsets;
    for (size_t i = 0; i < scale.size(); ++i) {
      factors.push_back(scale[i] / std::sqrt(variance[i] + epsilon));
      offsets.push_back(bias[i] - mean[i] * factors[i]);
    }
    graph::GraphBuilder build = builderAt(rewriter, op);
    auto rank = static_cast<int64_t>(graph::shapeOf(op.getInput()).size());
    Result<Value> product =
        build.binary(BinaryKind::mul, op.getInput(), constantPerIndex(build, factors, 1, rank));
    if (!product.ok()) return replaceWith(rewriter, op, product);
    return replaceWith(
        rewriter, op,
        build.binary(BinaryKind::add, *product, constantPerIndex(build, offsets, 1, rank)));
  }
};

class GraphFoldBatchNormPass
    : public GraphPatternPass<impl::GraphFoldBatchNormPassBase<GraphFoldBatchNormPass>> {
  void addPatterns(mlir::RewritePatternSet& patterns) const override {
    patterns.add<SplitBatchNorm>(patterns.getContext());
  }
};

}  // namespace

}  // namespace vta::compiler
