// host-inline-calls: a module of public functions without calls.
#include "compiler/codegen/passes.h"
#include "compiler/dialects/graph/element_type.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTINLINECALLSPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

LogicalResult checkFunctions(ModuleOp module) {
  for (Operation& op : *module.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function) return op.emitError("host code is made of functions only");
    if (function.isExternal() || !function.getBody().hasOneBlock()) {
      return function.emitError("host code needs functions with one block");
    }
    for (Type type :
         llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && tensor.hasStaticShape() && graph::dtypeOf(tensor.getElementType())) continue;
      return function.emitError() << "type " << type
                                  << " in a signature; only static tensors of numbers are handled";
    }
  }
  return success();
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

class InlineCallsPass : public impl::HostInlineCallsPassBase<InlineCallsPass> {
 public:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkFunctions(module)) || failed(inlineCalls(module))) signalPassFailure();
  }
};

}  // namespace
}  // namespace vta::codegen
