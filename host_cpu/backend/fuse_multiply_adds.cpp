// host-cpu-fuse-multiply-adds: sums of products that say that each step rounds once.
#include <optional>

#include "host_cpu/backend/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_CPUFUSEMULTIPLYADDSPASS
#include "host_cpu/backend/passes.h.inc"

namespace {

using namespace mlir;

/// One step of a sum.
struct Step {
  arith::AddFOp add;
  arith::MulFOp multiply;
  Value sum;  // that the product is added to
};

/// The step that is the body of `op`, if it is a sum of products in the order of its loops.
std::optional<Step> stepOf(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1) return std::nullopt;
  auto add = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || bitEnumContainsAny(add.getFastmath(), arith::FastMathFlags::reassoc)) {
    return std::nullopt;
  }
  Value sum = op.getRegionOutputArgs()[0];
  for (Value product : add->getOperands()) {
    auto multiply = product.getDefiningOp<arith::MulFOp>();
    Value other = product == add.getLhs() ? add.getRhs() : add.getLhs();
    if (multiply && other == sum) return Step{add, multiply, sum};
  }
  return std::nullopt;
}

LogicalResult fuse(ModuleOp module) {
  SmallVector<linalg::LinalgOp> ops;
  module.walk([&](linalg::LinalgOp op) {
    if (stepOf(op)) ops.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (linalg::LinalgOp op : ops) {
    // The body of a named op is not ours to change.
    if (!isa<linalg::GenericOp>(op.getOperation())) {
      rewriter.setInsertionPoint(op);
      const FailureOr<linalg::GenericOp> generalized = linalg::generalizeNamedOp(rewriter, op);
      if (failed(generalized)) return failure();
      op = *generalized;
    }
    Step step = *stepOf(op);
    rewriter.setInsertionPoint(step.add);
    rewriter.replaceOpWithNewOp<math::FmaOp>(step.add, step.multiply.getLhs(),
                                             step.multiply.getRhs(), step.sum);
    if (step.multiply->use_empty()) rewriter.eraseOp(step.multiply);
  }
  return success();
}

class FuseMultiplyAddsPass : public impl::CpuFuseMultiplyAddsPassBase<FuseMultiplyAddsPass> {
 public:
  void runOnOperation() override {
    if (failed(fuse(getOperation()))) signalPassFailure();
  }
};

}  // namespace
}  // namespace vta::codegen
