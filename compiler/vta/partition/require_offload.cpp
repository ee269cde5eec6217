// vta-require-offload: what multiplies has to be on the accelerator.
#include "compiler/common/diagnostics.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/vta/common/names.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::compiler {

#define GEN_PASS_DEF_REQUIREOFFLOADPASS
#include "compiler/vta/passes.h.inc"

namespace {

class RequireOffloadPass : public impl::RequireOffloadPassBase<RequireOffloadPass> {
 public:
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<mlir::func::FuncOp>("main");
    if (!main) return;
    for (mlir::Operation& op : main.getBody().front()) {
      if (graph::countMacs(&op) == 0) continue;
      const auto reason = op.getAttrOfType<mlir::StringAttr>(kReasonAttr);
      // The message names the layer; the operation's location would name it again.
      emitUserError(mlir::UnknownLoc::get(&getContext()), StatusCode::kUnsupported)
          << "layer '" << layerName(&op)
          << "' cannot run on the VTA: " << (reason ? reason.getValue() : "it has no form there");
      signalPassFailure();
    }
  }
};

}  // namespace

}  // namespace vta::compiler
