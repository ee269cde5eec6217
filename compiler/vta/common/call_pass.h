// Base of the passes that rewrite @main's calls of offloaded functions, one after another.
#pragma once

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/vta/common/hw_pass.h"
#include "compiler/vta/common/pack_patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace vta::compiler {

template <typename Base>
class CallPass : public HwPass<Base> {
 public:
  using HwPass<Base>::HwPass;

 protected:
  /// Gives every call in @main to `rewrite_call`, which may erase it and leaves those it has
  /// nothing to do with; then cancels packing between what is there. Signals the pass's failure.
  void rewriteCalls(llvm::function_ref<mlir::LogicalResult(mlir::func::CallOp, mlir::SymbolTable&)>
                        rewrite_call) {
    auto main = this->getOperation().template lookupSymbol<mlir::func::FuncOp>("main");
    if (!main) return;
    mlir::SymbolTable symbols(this->getOperation());
    const llvm::SmallVector<mlir::func::CallOp> calls(main.template getOps<mlir::func::CallOp>());
    for (const mlir::func::CallOp call : calls) {
      if (failed(rewrite_call(call, symbols))) return this->signalPassFailure();
    }
    mlir::RewritePatternSet patterns(&this->getContext());
    populatePackPatterns(patterns);
    if (failed(mlir::applyPatternsAndFoldGreedily(main, std::move(patterns)))) {
      this->signalPassFailure();
    }
  }
};

}  // namespace vta::compiler
