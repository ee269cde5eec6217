// host-add-context: the host context as every function's first argument.
#include "compiler/codegen/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTADDCONTEXTPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

class AddContextPass : public impl::HostAddContextPassBase<AddContextPass> {
 public:
  void runOnOperation() override {
    const auto pointer = LLVM::LLVMPointerType::get(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      function.insertArgument(0, pointer, DictionaryAttr(), function.getLoc());
    }
  }
};

}  // namespace
}  // namespace vta::codegen
