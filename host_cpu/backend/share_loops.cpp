// host-cpu-share-loops: loop nests that do the same are compiled once.
#include <map>

#include "compiler/codegen/passes.h"
#include "host_cpu/backend/outline_loop.h"
#include "host_cpu/backend/passes.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_CPUSHARELOOPSPASS
#include "host_cpu/backend/passes.h.inc"

namespace {

using namespace mlir;

/// LLVM takes more than linear time for a function, but one loop by itself is not worth a call.
constexpr size_t kMaxLoopsInPlace = 1;

size_t hashOf(func::FuncOp function) {
  llvm::hash_code hash = mlir::hash_value(function.getFunctionType());
  function.getBody().walk([&](Operation* op) {
    hash = llvm::hash_combine(
        hash, OperationEquivalence::computeHash(op, OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

bool doTheSame(func::FuncOp a, func::FuncOp b) {
  return a.getFunctionType() == b.getFunctionType() && a.getArgAttrsAttr() == b.getArgAttrsAttr() &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

/// Calls of loops that have become functions, and which of these there are.
class LoopSharer {
 public:
  void shareIn(func::FuncOp function) {
    SmallVector<Operation*> loops;
    for (Operation& op : function.getBody().front()) {
      if (isa<scf::ForOp, scf::ParallelOp>(op) && op.getNumResults() == 0) loops.push_back(&op);
    }
    if (loops.size() <= kMaxLoopsInPlace) return;
    for (auto [i, loop] : llvm::enumerate(loops)) {
      // The context comes first, as in every function whose loops may be split.
      OutlinedLoop outlined = copyToFunction(loop, (function.getName() + ".nest" + Twine(i)).str(),
                                             {function.getArgument(0)}, {});
      func::FuncOp shared = sharedFor(outlined.function);
      OpBuilder builder(loop);
      builder.create<func::CallOp>(loop->getLoc(), shared, outlined.captured);
      loop->erase();
    }
  }

 private:
  /// An earlier function that does the same, or `function` itself.
  func::FuncOp sharedFor(func::FuncOp function) {
    SmallVector<func::FuncOp>& alike = known_[hashOf(function)];
    for (func::FuncOp other : alike) {
      if (!doTheSame(other, function)) continue;
      function.erase();
      return other;
    }
    alike.push_back(function);
    // Inlined again, it would make its callers as large as before.
    Builder builder(function.getContext());
    function->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
    return function;
  }

  std::map<size_t, SmallVector<func::FuncOp>> known_;
};

class ShareLoopsPass : public impl::CpuShareLoopsPassBase<ShareLoopsPass> {
 public:
  void runOnOperation() override {
    SmallVector<func::FuncOp> entries;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(kEntryAttr)) entries.push_back(function);
    }
    LoopSharer sharer;
    for (func::FuncOp function : entries) sharer.shareIn(function);
  }
};

}  // namespace
}  // namespace vta::codegen
