#include "compiler/quantize/quantize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/calibrate/activation_run.h"
#include "compiler/quantize/calibrate/calibrate.h"
#include "compiler/quantize/calibrate/measure_errors.h"
#include "compiler/quantize/calibrate/scales.h"
#include "compiler/quantize/emit/emit.h"
#include "compiler/quantize/plan/adopt.h"
#include "compiler/quantize/plan/plan.h"
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

Status checkSamples(mlir::func::FuncOp main, const std::vector<TensorMap>& samples) {
  for (size_t i = 0; i < samples.size(); ++i) {
    VTA_RETURN_IF_ERROR(checkSample(main, samples[i], i));
  }
  return {};
}

// The activations of `plan` as a quantised model computes them: rounded where it prescribes that,
// in a copy.
Result<ActivationRun> createRoundedRun(mlir::ModuleOp module, const QuantPlan& plan,
                                       const GivenQuantization& given,
                                       const codegen::CodeOptions& code) {
  mlir::IRMapping mapping;
  mlir::OwningOpRef<mlir::ModuleOp> copy(mlir::cast<mlir::ModuleOp>(module->clone(mapping)));
  GivenQuantization copied;
  std::vector<mlir::Value> values;
  for (mlir::Value value : plan.activations) values.push_back(mapping.lookup(value));
  for (const auto& [value, params] : given.activations) {
    if (mlir::Value mapped = mapping.lookupOrNull(value)) copied.activations[mapped] = params;
  }
  roundGivenValues(copy->lookupSymbol<mlir::func::FuncOp>("main"), copied, QuantPlan());
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
  return ActivationRun::create(*copy, values, code);
}

}  // namespace

Result<QuantizeReport> quantizeGraph(mlir::ModuleOp module, const HwConfig& hw,
                                     const QuantizeOptions& options, const Progress& progress) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) return internalError("quantisation: the module has no @main");
  VTA_RETURN_IF_ERROR(checkFloatLayers(main, options.float_layers));
  const GivenQuantization given = adoptQuantization(main);
  QuantPlan plan =
      planQuantization(main, {given.empty() ? nullptr : &given, &options.float_layers});
  const bool has_samples = !options.samples.empty();
  const bool measures = options.measure_errors && has_samples;
  if (given.empty() && !plan.nodes.empty() && !has_samples) {
    return invalidArgument("quantisation needs at least one calibration sample");
  }
  if (given.empty() || measures) VTA_RETURN_IF_ERROR(checkSamples(main, options.samples));

  std::vector<ActivationScale> scales;
  CalibrationData data;
  std::optional<ActivationRun> expected;  // what the integers are to stand for
  if (!given.empty()) {
    scales = keepScales(plan, given, hw);
    roundGivenValues(main, given, plan);
    if (measures) {
      VTA_ASSIGN_OR_RETURN(expected, createRoundedRun(module, plan, given, options.code));
    }
  } else if (!plan.nodes.empty()) {
    VTA_ASSIGN_OR_RETURN(expected, ActivationRun::create(module, plan.activations, options.code));
    VTA_ASSIGN_OR_RETURN(data, calibrate(*expected, plan, options.samples, progress));
    scales = chooseScales(plan, data.histograms, hw, options.method);
  }
  QuantizeReport report;
  for (size_t i = 0; i < scales.size(); ++i) {
    report.activations.push_back({nameOf(plan.activations[i]), scales[i].params.scale,
                                  scales[i].params.zero_point, scales[i].range.min,
                                  scales[i].range.max, std::nullopt});
  }
  std::vector<mlir::RankedTensorType> types;
  for (mlir::Value value : plan.activations) {
    types.push_back(mlir::cast<mlir::RankedTensorType>(value.getType()));
  }
  EmittedIntegers emitted = emitIntegers(main, plan, scales, data, given, hw);
  report.rescaled_weights = std::move(emitted.rescaled);
  if (measures && expected) {
    VTA_RETURN_IF_ERROR(measureErrors(*expected, types, module, emitted.integers, scales, data,
                                      options.samples, report.activations));
  }
  eraseIdentities(main);
  return report;
}

}  // namespace vta::compiler
