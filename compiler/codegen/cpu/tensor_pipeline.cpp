// From graph ops to fused linalg on tensors.
#include "compiler/codegen/cpu/blocked/block_channels.h"
#include "compiler/codegen/cpu/passes.h"
#include "compiler/codegen/graph_to_linalg/graph_to_linalg.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

namespace vta::host {
namespace {

using namespace mlir;

LogicalResult cleanUp(ModuleOp module) {
  PassManager manager(module.getContext(), "builtin.module");
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  return manager.run(module);
}

/// Replaces each call by the body of the private function that it calls. (MLIR's inliner asks the
/// graph dialect, which has no opinion.)
LogicalResult inlineCalls(ModuleOp module) {
  constexpr int kMostCalls = 100000;  // more are a recursion
  SmallVector<func::CallOp> calls;
  module.walk([&](func::CallOp call) { calls.push_back(call); });
  for (int count = 0; !calls.empty(); ++count) {
    func::CallOp call = calls.pop_back_val();
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (!callee || count > kMostCalls) return call.emitError("call cannot be inlined");
    OpBuilder builder(call);
    IRMapping mapping;
    Block& body = callee.getBody().front();
    for (auto [argument, operand] : llvm::zip(body.getArguments(), call.getOperands())) {
      mapping.map(argument, operand);
    }
    for (Operation& op : body.without_terminator()) {
      if (auto nested = dyn_cast<func::CallOp>(builder.clone(op, mapping))) {
        calls.push_back(nested);
      }
    }
    for (auto [result, value] : llvm::zip(call.getResults(), body.getTerminator()->getOperands())) {
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    }
    call.erase();
  }
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (function.isPrivate()) function.erase();
  }
  return success();
}

/// Fusing a producer into a consumer with more iterations than it has elements would compute its
/// elements again and again.
bool fusionRepeatsNoWork(OpOperand* operand) {
  Operation* producer = operand->get().getDefiningOp();
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!producer || !consumer || !producer->hasOneUse()) return false;
  int64_t iterations = 1;
  for (int64_t extent : consumer.getStaticLoopRanges()) iterations *= extent;
  return iterations <= cast<RankedTensorType>(operand->get().getType()).getNumElements();
}

LogicalResult fuseElementwise(ModuleOp module) {
  MLIRContext* context = module.getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(patterns, fusionRepeatsNoWork);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  tensor::populateDecomposeTensorConcatPatterns(patterns);
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

LogicalResult checkFunctions(ModuleOp module) {
  for (Operation& op : *module.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function) return op.emitError("the CPU backend compiles functions only");
    if (function.isExternal() || !function.getBody().hasOneBlock()) {
      return function.emitError("the CPU backend needs functions with one block");
    }
    for (Type type :
         llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && tensor.hasStaticShape() && dtypeOf(tensor.getElementType())) continue;
      return function.emitError() << "type " << type
                                  << " in a signature; only static tensors of numbers are handled";
    }
  }
  return success();
}

/// The function's own first argument, from which all of its loops get the context.
void addContextArgument(func::FuncOp function) {
  auto pointer = LLVM::LLVMPointerType::get(function.getContext());
  function.insertArgument(0, pointer, DictionaryAttr(), function.getLoc());
}

LogicalResult lowerGraphs(ModuleOp module) {
  return failure(failed(compiler::convertGraphToLinalg(module)) || failed(cleanUp(module)) ||
                 failed(generalizeElementwise(module)) || failed(fuseElementwise(module)) ||
                 failed(cleanUp(module)) || failed(orderLoops(module)));
}

}  // namespace

LogicalResult prepareTensors(ModuleOp module, const CpuTraits& traits,
                             FunctionConstants& constants) {
  if (failed(checkFunctions(module)) || failed(inlineCalls(module)) || failed(cleanUp(module))) {
    return failure();
  }
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  blocked::KernelLibrary kernels(module, traits);
  for (func::FuncOp function : functions) {
    addContextArgument(function);
    blocked::blockChannels(function, kernels, constants);
  }
  if (failed(lowerGraphs(module))) return failure();
  for (func::FuncOp function : functions) {
    if (failed(hoistConstants(function, constants))) return failure();
  }
  return success();
}

}  // namespace vta::host
