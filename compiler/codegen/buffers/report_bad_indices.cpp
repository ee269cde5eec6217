// host-report-bad-indices: the context and a text for what reports indices.
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

/// Texts of a function as constants, each once.
class Texts {
 public:
  Texts(ModuleOp module, func::FuncOp function) : module_(module), function_(function) {}

  /// The address of the text, in the function.
  Value address(StringAttr text) {
    Value& known = known_[text];
    if (known) return known;
    ImplicitLocOpBuilder b(function_.getLoc(), module_.getContext());
    b.setInsertionPointToStart(module_.getBody());
    const std::string bytes = text.str() + std::string(1, '\0');
    const auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    // Named after the function, whose name no other one has.
    const std::string name =
        (function_.getName() + ".text" + Twine(static_cast<unsigned>(known_.size()))).str();
    auto global = b.create<LLVM::GlobalOp>(type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                           b.getStringAttr(bytes));
    b.setInsertionPointToStart(&function_.getBody().front());
    return known = b.create<LLVM::AddressOfOp>(global);
  }

 private:
  ModuleOp module_;
  func::FuncOp function_;
  llvm::DenseMap<Attribute, Value> known_;
};

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
    Texts texts(module, function);
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
