// host-call-operators: calls of the user's libraries, by the host context.
#include "compiler/codegen/buffers/function_texts.h"
#include "compiler/codegen/graph_to_linalg/graph_to_linalg.h"
#include "compiler/codegen/host_context.h"
#include "compiler/codegen/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTCALLOPERATORSPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

class OperatorCaller {
 public:
  OperatorCaller(ModuleOp module, func::FuncOp function)
      : function_(function),
        texts_(module, function, ".operator"),
        b_(function.getLoc(), module.getContext()),
        pointer_(LLVM::LLVMPointerType::get(module.getContext())) {}

  void replace(func::CallOp call) {
    const auto node = call->getAttrOfType<StringAttr>(compiler::kOwnNodeAttr);
    const Value text = texts_.address(node);
    const Value arguments = newArray(call.getNumOperands());
    b_.setLoc(call.getLoc());
    b_.setInsertionPoint(call);
    for (const auto [number, buffer] : llvm::enumerate(call.getOperands())) {
      const Value place = b_.create<LLVM::GEPOp>(
          pointer_, pointer_, arguments, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)});
      b_.create<LLVM::StoreOp>(addressOf(buffer), place);
    }
    const Value context = function_.getArgument(0);
    const Value callee = loadHostField(b_, context, HostField::kCallOperator);
    const Value bytes = b_.create<LLVM::ConstantOp>(
        b_.getI64Type(), b_.getI64IntegerAttr(static_cast<int64_t>(node.getValue().size())));
    const auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b_.getContext()),
                                                  {pointer_, pointer_, b_.getI64Type(), pointer_});
    b_.create<LLVM::CallOp>(type, ValueRange{callee, context, text, bytes, arguments});
    call.erase();
  }

 private:
  /// Room for pointers, at the begin of the function: a loop may call often.
  Value newArray(size_t count) {
    b_.setInsertionPointToStart(&function_.getBody().front());
    const Value elems = b_.create<LLVM::ConstantOp>(
        b_.getI64Type(), b_.getI64IntegerAttr(static_cast<int64_t>(count)));
    return b_.create<LLVM::AllocaOp>(pointer_, pointer_, elems);
  }

  Value addressOf(Value buffer) {
    const Value index = b_.create<memref::ExtractAlignedPointerAsIndexOp>(buffer);
    const Value number = b_.create<arith::IndexCastOp>(b_.getI64Type(), index);
    return b_.create<LLVM::IntToPtrOp>(pointer_, number);
  }

  func::FuncOp function_;
  FunctionTexts texts_;
  ImplicitLocOpBuilder b_;
  Type pointer_;
};

bool callsOperator(func::CallOp call) {
  return call.getCallee().starts_with(compiler::kOwnOperatorPrefix);
}

class CallOperatorsPass : public impl::HostCallOperatorsPassBase<CallOperatorsPass> {
 public:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> declared;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.getName().starts_with(compiler::kOwnOperatorPrefix)) {
        declared.push_back(function);
      }
      SmallVector<func::CallOp> calls;
      function.walk([&](func::CallOp call) {
        if (callsOperator(call)) calls.push_back(call);
      });
      if (calls.empty()) continue;
      OperatorCaller caller(module, function);
      for (const func::CallOp call : calls) caller.replace(call);
    }
    for (func::FuncOp function : declared) function.erase();
  }
};

}  // namespace
}  // namespace vta::codegen
