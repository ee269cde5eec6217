// vta-require-offload: what multiplies has to be on the accelerator.
#include "compiler/dialects/vta/vta.h"
#include "compiler/vta/common/names.h"
#include "compiler/vta/partition/group.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::compiler {

namespace {

class RequireOffloadPass
    : public mlir::PassWrapper<RequireOffloadPass, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RequireOffloadPass)

  mlir::StringRef getArgument() const override { return "vta-require-offload"; }
  mlir::StringRef getDescription() const override {
    return "An error for every operation with multiplications that is left in @main";
  }

  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<mlir::func::FuncOp>("main");
    if (!main) return;
    for (mlir::Operation& op : main.getBody().front()) {
      if (countMacs(&op) == 0) continue;
      const auto reason = op.getAttrOfType<mlir::StringAttr>(kReasonAttr);
      // By itself, lest the location's name comes twice.
      mlir::emitError(mlir::UnknownLoc::get(&getContext()))
          << "layer '" << layerName(&op)
          << "' cannot run on the VTA: " << (reason ? reason.getValue() : "it has no form there");
      signalPassFailure();
    }
  }
};

}  // namespace

std::unique_ptr<mlir::Pass> createRequireOffloadPass() {
  return std::make_unique<RequireOffloadPass>();
}

void registerRequireOffload() { mlir::PassRegistration<RequireOffloadPass>(); }

}  // namespace vta::compiler
