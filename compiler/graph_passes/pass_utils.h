// What the passes on the float graph share.
#pragma once

#include <optional>
#include <vector>

#include "compiler/dialects/graph/graph_builder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace vta::compiler {

/// A pass on one function that applies patterns greedily. `Base`: the class that passes.td gives
/// it.
template <typename Base>
class GraphPatternPass : public Base {
 protected:
  virtual void addPatterns(mlir::RewritePatternSet& patterns) const = 0;

 private:
  void runOnOperation() final;
};

/// Runs `patterns` on `root` until nothing changes.
mlir::LogicalResult applyGraphPatterns(mlir::Operation* root, mlir::RewritePatternSet patterns);

template <typename Base>
void GraphPatternPass<Base>::runOnOperation() {
  mlir::RewritePatternSet patterns(&this->getContext());
  addPatterns(patterns);
  if (mlir::failed(applyGraphPatterns(this->getOperation(), std::move(patterns)))) {
    this->signalPassFailure();
  }
}

/// A builder for replacing `op`: ops on constants fold, whatever their size.
graph::GraphBuilder builderAt(mlir::PatternRewriter& rewriter, mlir::Operation* op);

/// Replaces `op` by a built value; a value that could not be built fails the match.
mlir::LogicalResult replaceWith(mlir::PatternRewriter& rewriter, mlir::Operation* op,
                                const Result<mlir::Value>& value);

/// A float constant whose elements differ along `axis` of a tensor of shape `shape` only: one value
/// per index, or nothing. It must not enlarge the tensor it is broadcast with.
std::optional<std::vector<double>> valuesPerIndex(mlir::Value constant, graph::ShapeRef shape,
                                                  int64_t axis);

/// An f32 constant of `values`, shaped to broadcast along `axis` of a tensor of rank `rank`: a 1-D
/// tensor where that is enough.
mlir::Value constantPerIndex(graph::GraphBuilder& build, llvm::ArrayRef<double> values,
                             int64_t axis, int64_t rank);

/// A binary op's constant operand and the other one, null if there is none. A constant on the left
/// counts for commutative kinds only.
struct ConstantOperand {
  mlir::Value value, constant;
};
ConstantOperand splitConstant(graph::BinaryOp op);

}  // namespace vta::compiler
