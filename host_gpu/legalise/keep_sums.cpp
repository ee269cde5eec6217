// gpu-keep-sums: what a loop reads and writes in every iteration stays in registers.
#include "host_gpu/legalise/passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_GPUKEEPSUMSPASS
#include "host_gpu/legalise/passes.h.inc"

namespace {

using namespace mlir;

/// An element that a loop stores at the end of each iteration, after it may have loaded it.
struct KeptElement {
  memref::StoreOp store;
  SmallVector<memref::LoadOp> loads;
};

bool isSameElement(memref::StoreOp store, memref::LoadOp load) {
  return llvm::equal(store.getIndices(), load.getIndices());
}

/// The element that `store` writes, if nothing else in the loop touches its buffer but loads of
/// this element in front of it.
FailureOr<KeptElement> elementOf(scf::ForOp loop, memref::StoreOp store) {
  const auto is_outside = [&](Value value) { return loop.isDefinedOutsideOfLoop(value); };
  if (!is_outside(store.getMemRef()) || !llvm::all_of(store.getIndices(), is_outside)) {
    return failure();
  }
  KeptElement element{store, {}};
  for (Operation* user : store.getMemRef().getUsers()) {
    if (user == store || !loop->isProperAncestor(user)) continue;
    auto load = dyn_cast<memref::LoadOp>(user);
    const bool is_in_front = load && load->getBlock() == store->getBlock() &&
                             load->isBeforeInBlock(store) && isSameElement(store, load);
    if (!is_in_front) return failure();
    element.loads.push_back(load);
  }
  return element;
}

/// The loop that carries `element`.
scf::ForOp carry(IRRewriter& rewriter, scf::ForOp loop, const KeptElement& element) {
  memref::StoreOp store = element.store;
  rewriter.setInsertionPoint(loop);
  const Value first =
      rewriter.create<memref::LoadOp>(store.getLoc(), store.getMemRef(), store.getIndices());
  const auto yield_stored = [&](OpBuilder&, Location, ArrayRef<BlockArgument>) {
    return SmallVector<Value>{store.getValueToStore()};
  };
  auto carrying = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false, yield_stored));
  const Value carried = carrying.getRegionIterArgs().back();
  for (memref::LoadOp load : element.loads) rewriter.replaceOp(load, carried);
  rewriter.setInsertionPointAfter(carrying);
  rewriter.create<memref::StoreOp>(store.getLoc(), carrying.getResults().back(), store.getMemRef(),
                                   store.getIndices());
  rewriter.eraseOp(store);
  return carrying;
}

class GpuKeepSumsPass : public impl::GpuKeepSumsPassBase<GpuKeepSumsPass> {
 public:
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    // Inner loops come first: they leave their stores to the outer ones.
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      const SmallVector<memref::StoreOp> stores(loop.getBody()->getOps<memref::StoreOp>());
      for (memref::StoreOp store : stores) {
        const FailureOr<KeptElement> element = elementOf(loop, store);
        if (succeeded(element)) loop = carry(rewriter, loop, *element);
      }
    }
  }
};

}  // namespace
}  // namespace vta::codegen
