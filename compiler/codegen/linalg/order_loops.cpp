// host-order-loops: sums whose innermost loop walks along memory.
#include <optional>

#include "compiler/codegen/passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTORDERLOOPSPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

/// The loop that should run innermost: the one along the last dimension of the result, if it is
/// also how the last dimension of an operand is walked.
std::optional<unsigned> innermostLoop(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1) return std::nullopt;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (result.getNumResults() == 0) return std::nullopt;
  auto last = dyn_cast<AffineDimExpr>(result.getResults().back());
  if (!last) return std::nullopt;
  for (OpOperand* input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.getNumResults() == 0) continue;
    if (map.getResults().back().isFunctionOfDim(last.getPosition())) return last.getPosition();
  }
  return std::nullopt;
}

/// Sums over neighbouring results vectorise without reordering any of them.
LogicalResult orderLoops(ModuleOp module) {
  SmallVector<linalg::LinalgOp> ops;
  module.walk([&](linalg::LinalgOp op) {
    if (innermostLoop(op)) ops.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> generalized = linalg::generalizeNamedOp(rewriter, op);
      if (failed(generalized)) return failure();
      generic = *generalized;
    }
    // Outermost the loops over results, then the sums, then the innermost one.
    unsigned innermost = *innermostLoop(generic);
    SmallVector<unsigned> order, sums;
    for (auto [loop, type] : llvm::enumerate(generic.getIteratorTypesArray())) {
      if (loop == innermost) continue;
      (linalg::isReductionIterator(type) ? sums : order).push_back(loop);
    }
    llvm::append_range(order, sums);
    order.push_back(innermost);
    rewriter.setInsertionPoint(generic);
    if (failed(linalg::interchangeGenericOp(rewriter, generic, order))) return failure();
  }
  return success();
}

class OrderLoopsPass : public impl::HostOrderLoopsPassBase<OrderLoopsPass> {
 public:
  void runOnOperation() override {
    if (failed(orderLoops(getOperation()))) signalPassFailure();
  }
};

}  // namespace
}  // namespace vta::codegen
