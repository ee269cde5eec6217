// host-report-bad-indices: the context and a text for what reports indices.
#include "compiler/codegen/buffers/function_texts.h"
#include "compiler/codegen/graph_to_linalg/graph_to_linalg.h"
#include "compiler/codegen/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

namespace vta::codegen {

#define GEN_PASS_DEF_HOSTREPORTBADINDICESPASS
#include "compiler/codegen/passes.h.inc"

namespace {

using namespace mlir;

class ReportBadIndicesPass : public impl::HostReportBadIndicesPassBase<ReportBadIndicesPass> {
 public:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto declared = module.lookupSymbol<func::FuncOp>(compiler::kBadIndexFunction);
    if (!declared) return;
    const auto pointer = LLVM::LLVMPointerType::get(&getContext());
    ImplicitLocOpBuilder b(module.getLoc(), declared);
    const Type i64 = b.getI64Type();
    auto report = b.create<func::FuncOp>(kFailIndexFunction,
                                         b.getFunctionType({pointer, pointer, i64, i64}, {}));
    report.setPrivate();
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.isExternal()) rewriteCalls(module, function, report);
    }
    declared.erase();
  }

 private:
  static void rewriteCalls(ModuleOp module, func::FuncOp function, func::FuncOp report) {
    FunctionTexts texts(module, function, ".text");
    function.walk([&](func::CallOp call) {
      if (call.getCallee() != compiler::kBadIndexFunction) return;
      SmallVector<Value> operands = {
          function.getArgument(0),
          texts.address(call->getAttrOfType<StringAttr>(compiler::kBadIndexNodeAttr))};
      llvm::append_range(operands, call.getOperands());
      OpBuilder builder(call);
      builder.create<func::CallOp>(call.getLoc(), report, operands);
      call.erase();
    });
  }
};

}  // namespace
}  // namespace vta::codegen
