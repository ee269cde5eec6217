// graph-inline-branches: both branches of a condition are computed, so that the accelerator can.
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/graph_passes/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

namespace vta::compiler {

#define GEN_PASS_DEF_GRAPHINLINEBRANCHESPASS
#include "compiler/graph_passes/passes.h.inc"

namespace {

using mlir::Value;

bool multiplies(graph::IfOp op) {
  const auto found = op.walk([](mlir::Operation* inner) {
    return graph::countMacs(inner) > 0 ? mlir::WalkResult::interrupt()
                                       : mlir::WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// Moves the ops of `region` in front of `op`; returns what it yields.
llvm::SmallVector<Value> moveOut(graph::IfOp op, mlir::Region& region) {
  mlir::Block& block = region.front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), op.getInputs())) {
    argument.replaceAllUsesWith(value);
  }
  auto yield = mlir::cast<graph::YieldOp>(block.getTerminator());
  llvm::SmallVector<Value> values(yield.getValues());
  yield.erase();
  op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations());
  return values;
}

class GraphInlineBranchesPass : public impl::GraphInlineBranchesPassBase<GraphInlineBranchesPass> {
 public:
  void runOnOperation() final {
    // Those inside of loops stay, as the loops run on the host.
    llvm::SmallVector<graph::IfOp> ops(getOperation().getOps<graph::IfOp>());
    for (graph::IfOp op : ops) {
      if (!multiplies(op)) continue;
      const auto lhs = moveOut(op, op.getThenRegion()), rhs = moveOut(op, op.getElseRegion());
      mlir::OpBuilder builder(op);
      llvm::SmallVector<Value> results;
      for (auto [x, y] : llvm::zip(lhs, rhs)) {
        results.push_back(
            builder.create<graph::WhereOp>(op.getLoc(), x.getType(), op.getCondition(), x, y));
      }
      op.replaceAllUsesWith(results);
      op.erase();
    }
  }
};

}  // namespace

}  // namespace vta::compiler
