// graph-inline-branches: both branches of a condition are computed, so that the accelerator can.
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/graph_builder.h"
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

/// Whether a loop or branch inside of a branch checks indices. There, the condition is not known.
bool checksDeepInside(graph::IfOp op) {
  const auto found = op.walk([&](graph::CheckIndicesOp check) {
    return check->getParentOp() != op ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// A run does not fail for indices of the branch that it does not take: they are zeros there.
void checkIfTaken(graph::IfOp op, mlir::Region& region, bool is_then) {
  const llvm::SmallVector<graph::CheckIndicesOp> checks(
      region.front().getOps<graph::CheckIndicesOp>());
  for (graph::CheckIndicesOp check : checks) {
    mlir::OpBuilder builder(check);
    graph::GraphBuilder build(builder, check.getLoc(), graph::Folding::kNone);
    const mlir::RankedTensorType type = graph::tensorType(check.getInput());
    const auto scalar = mlir::RankedTensorType::get({}, type.getElementType());
    const Value zero = build.constant(
        mlir::DenseElementsAttr::get(scalar, builder.getZeroAttr(type.getElementType())));
    const Value taken = check.getInput();
    check.getInputMutable().assign(builder.create<graph::WhereOp>(
        check.getLoc(), type, op.getCondition(), is_then ? taken : zero, is_then ? zero : taken));
  }
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
      if (!multiplies(op) || checksDeepInside(op)) continue;
      checkIfTaken(op, op.getThenRegion(), true);
      checkIfTaken(op, op.getElseRegion(), false);
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
