#include "compiler/quantize/quantize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/quantize/adopt.h"
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

Status checkFloatLayers(mlir::func::FuncOp main, const std::set<std::string>& names) {
  std::set<std::string> unknown = names;
  for (mlir::Operation& op : main.getBody().front()) unknown.erase(layerNameOf(&op));
  if (unknown.empty()) return {};
  return invalidArgument(
      fmt::format("no layer to keep in float is called '{}'", fmt::join(unknown, "', '")));
}

}  // namespace

Status quantizeGraph(mlir::ModuleOp module, const QuantizeOptions& options,
                     QuantizeReport& report) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) return internalError("quantisation: the module has no @main");
  VTA_RETURN_IF_ERROR(checkFloatLayers(main, options.float_layers));
  const GivenQuantization given = adoptQuantization(main);
  QuantPlan plan =
      planQuantization(main, {given.empty() ? nullptr : &given, &options.float_layers});
  std::vector<ActivationScale> scales;
  CalibrationData data;
  if (!given.empty()) {
    scales = keepScales(plan, given, options);
    roundGivenValues(main, given, plan);
  } else if (!plan.nodes.empty()) {
    VTA_ASSIGN_OR_RETURN(data, calibrate(module, plan, options));
    scales = chooseScales(plan, data.histograms, options);
  }
  for (size_t i = 0; i < scales.size(); ++i) {
    report.activations.push_back({nameOf(plan.activations[i]), scales[i].params.scale,
                                  scales[i].params.zero_point, scales[i].range.min,
                                  scales[i].range.max});
  }
  report.rescaled_weights = emitIntegers(main, plan, scales, data, given, options.hw);
  eraseIdentities(main);
  return {};
}

}  // namespace vta::compiler
