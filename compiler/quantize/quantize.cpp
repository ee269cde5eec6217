#include "compiler/quantize/quantize.h"

#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/emit.h"
#include "compiler/quantize/plan.h"
#include "compiler/quantize/scales.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {
namespace {

std::string nameOf(mlir::Value value) {
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(value.getLoc())) return name.getName().str();
  return "";
}

}  // namespace

Status quantizeGraph(mlir::ModuleOp module, const QuantizeOptions& options,
                     QuantizeReport& report) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) return internalError("quantisation: the module has no @main");
  QuantPlan plan = planQuantization(main);
  if (plan.nodes.empty()) return {};
  VTA_ASSIGN_OR_RETURN(const CalibrationData data, calibrate(module, plan, options));
  const std::vector<ActivationScale> scales = chooseScales(plan, data.histograms, options);
  for (size_t i = 0; i < scales.size(); ++i) {
    report.activations.push_back({nameOf(plan.activations[i]), scales[i].params.scale,
                                  scales[i].params.zero_point, scales[i].range.min,
                                  scales[i].range.max});
  }
  emitIntegers(main, plan, scales, data, options.hw);
  return {};
}

}  // namespace vta::compiler
