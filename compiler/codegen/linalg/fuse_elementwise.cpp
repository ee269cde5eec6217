// host-fuse-elementwise: chains of element-wise ops become one op.
#include "compiler/codegen/passes.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTFUSEELEMENTWISEPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

/// Each fusion copies both bodies, so that chains without a limit take quadratic time. Beyond this
/// the loops around the bodies cost nothing any more.
constexpr size_t kMaxBodyOps = 64;

size_t bodyOps(Operation* op) { return op->getRegion(0).front().getOperations().size(); }

/// Fusing a producer into a consumer with more iterations than it has elements would compute its
/// elements again and again.
bool fusionPays(OpOperand* operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!producer || !consumer || !producer->hasOneUse()) return false;
  // In a loop, what is the same in every iteration is computed in front of it.
  if (producer->getBlock() != consumer->getBlock()) return false;
  if (bodyOps(producer) + bodyOps(consumer) > kMaxBodyOps) return false;
  int64_t iterations = 1;
  for (int64_t extent : consumer.getStaticLoopRanges()) iterations *= extent;
  return iterations <= cast<RankedTensorType>(operand->get().getType()).getNumElements();
}

/// Of the op that both become: what the producer writes is none of them.
int64_t operandsOfBoth(OpOperand* operand) {
  Operation* producer = operand->get().getDefiningOp();
  llvm::SmallPtrSet<Value, 8> values;
  for (const Value value : cast<linalg::LinalgOp>(producer).getDpsInputs()) values.insert(value);
  for (const Value value : operand->getOwner()->getOperands()) values.insert(value);
  values.erase(operand->get());
  return static_cast<int64_t>(values.size());
}

LogicalResult fuseElementwise(ModuleOp module, int64_t most_operands) {
  MLIRContext* context = module.getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(patterns, [most_operands](OpOperand* operand) {
    return fusionPays(operand) && (most_operands == 0 || operandsOfBoth(operand) <= most_operands);
  });
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  GreedyRewriteConfig config;
  config.useTopDownTraversal = true;
  return applyPatternsAndFoldGreedily(module, std::move(patterns), config);
}

/// Fusion into a convolution or matmul would hide it from what recognises such ops; element-wise
/// named ops however fuse only as generics.
LogicalResult generalizeElementwise(ModuleOp module) {
  SmallVector<linalg::LinalgOp> ops;
  module.walk([&](linalg::LinalgOp op) {
    if (isa<linalg::BroadcastOp, linalg::TransposeOp>(op.getOperation())) ops.push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op))) return failure();
  }
  return success();
}

class FuseElementwisePass : public impl::HostFuseElementwisePassBase<FuseElementwisePass> {
 public:
  using HostFuseElementwisePassBase::HostFuseElementwisePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(generalizeElementwise(module)) || failed(fuseElementwise(module, most_operands))) {
      signalPassFailure();
    }
  }
};

}  // namespace
}  // namespace vta::codegen
