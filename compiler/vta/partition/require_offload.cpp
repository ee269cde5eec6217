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
  RequireOffloadPass() = default;
  explicit RequireOffloadPass(std::vector<placement::PlaceRule> rules) : rules_(std::move(rules)) {}

  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<mlir::func::FuncOp>("main");
    if (!main) return;
    for (mlir::Operation& op : main.getBody().front()) {
      if (graph::countMacs(&op) == 0 || isForAnother(&op)) continue;
      const auto reason = op.getAttrOfType<mlir::StringAttr>(kReasonAttr);
      // The message names the layer; the operation's location would name it again.
      emitUserError(mlir::UnknownLoc::get(&getContext()), StatusCode::kUnsupported)
          << "layer '" << layerName(&op)
          << "' cannot run on the VTA: " << (reason ? reason.getValue() : "it has no form there");
      signalPassFailure();
    }
  }

 private:
  bool isForAnother(mlir::Operation* op) const {
    const std::string_view machine = placement::machineFor(rules_, layerName(op));
    return !machine.empty() && machine != placement::kVtaMachine;
  }

  std::vector<placement::PlaceRule> rules_;
};

}  // namespace

std::unique_ptr<mlir::Pass> createRequireOffloadPass(std::vector<placement::PlaceRule> rules) {
  return std::make_unique<RequireOffloadPass>(std::move(rules));
}

}  // namespace vta::compiler
