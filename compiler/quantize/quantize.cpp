#include "compiler/quantize/quantize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/activation_run.h"
#include "compiler/quantize/adopt.h"
#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/emit.h"
#include "compiler/quantize/measure_errors.h"
#include "compiler/quantize/plan.h"
#include "compiler/quantize/scales.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

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

// The activations of `plan` in a copy of its module, rounded where the model prescribes it.
std::vector<mlir::Value> roundedCopies(mlir::ModuleOp copy, const QuantPlan& plan,
                                       const GivenQuantization& given,
                                       const mlir::IRMapping& mapping) {
  GivenQuantization copied;
  std::vector<mlir::Value> values;
  for (mlir::Value value : plan.activations) values.push_back(mapping.lookup(value));
  for (const auto& [value, params] : given.activations) {
    if (mlir::Value mapped = mapping.lookupOrNull(value)) copied.activations[mapped] = params;
  }
  roundGivenValues(copy.lookupSymbol<mlir::func::FuncOp>("main"), copied, QuantPlan());
  for (mlir::Value& value : values) {
    for (mlir::Operation* user : value.getUsers()) {
      if (!copied.find(value) || !mlir::isa<graph::QuantizeOp>(user)) continue;
      // Its only user of that kind which reads it back.
      mlir::Value integers = user->getResult(0);
      if (integers.use_empty() || !mlir::isa<graph::DequantizeOp>(*integers.user_begin())) continue;
      value = (*integers.user_begin())->getResult(0);
      break;
    }
  }
  return values;
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
                                  scales[i].range.max, std::nullopt});
  }
  // The float graph, with the roundings that a quantised model prescribes.
  mlir::IRMapping mapping;
  mlir::OwningOpRef<mlir::ModuleOp> expected;
  std::vector<mlir::Value> floats;
  if (options.measure_errors) {
    const size_t count = options.samples ? options.samples->size() : 0;
    for (size_t i = 0; i < count; ++i) {
      VTA_RETURN_IF_ERROR(checkSample(main, (*options.samples)[i], i));
    }
    expected = mlir::cast<mlir::ModuleOp>(module->clone(mapping));
    floats = roundedCopies(*expected, plan, given, mapping);
  }
  EmittedIntegers emitted = emitIntegers(main, plan, scales, data, given, options.hw);
  report.rescaled_weights = std::move(emitted.rescaled);
  if (options.measure_errors && options.samples != nullptr) {
    VTA_RETURN_IF_ERROR(measureErrors(*expected, floats, module, emitted.integers, scales, data,
                                      *options.samples, report.activations));
  }
  eraseIdentities(main);
  return {};
}

}  // namespace vta::compiler
