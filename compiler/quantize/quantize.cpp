#include "compiler/quantize/quantize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/closest_name.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/calibrate/activation_run.h"
#include "compiler/quantize/calibrate/calibrate.h"
#include "compiler/quantize/calibrate/choose_methods.h"
#include "compiler/quantize/calibrate/fill_ranges.h"
#include "compiler/quantize/calibrate/gather_moments.h"
#include "compiler/quantize/calibrate/measure_errors.h"
#include "compiler/quantize/calibrate/output_error.h"
#include "compiler/quantize/calibrate/rounded_run.h"
#include "compiler/quantize/calibrate/scales.h"
#include "compiler/quantize/channels/constant_channels.h"
#include "compiler/quantize/emit/narrow_tables.h"
#include "compiler/quantize/emit_integers.h"
#include "compiler/quantize/float_plan.h"
#include "compiler/quantize/forget_rounding.h"
#include "compiler/quantize/judge_outputs.h"
#include "compiler/quantize/plan/adopt.h"
#include "compiler/quantize/plan/plan.h"
#include "compiler/quantize/refine/choose_wide.h"
#include "compiler/quantize/refine/correct_biases.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {
namespace {

std::string nameOf(mlir::Value value) {
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(value.getLoc())) return name.getName().str();
  return "";
}

Status checkFloatLayers(mlir::func::FuncOp main, const std::set<std::string>& names) {
  std::set<std::string> unknown = names;
  std::set<std::string> known;
  for (mlir::Operation& op : main.getBody().front()) {
    const std::string layer = layerNameOf(&op);
    unknown.erase(layer);
    known.insert(layer);
  }
  if (unknown.empty()) return {};
  return invalidArgument(fmt::format("no layer to keep in float is called '{}'{}",
                                     fmt::join(unknown, "', '"),
                                     suggestion(*unknown.begin(), namesOf(known))));
}

Status checkSamples(mlir::func::FuncOp main, const std::vector<TensorMap>& samples) {
  for (size_t i = 0; i < samples.size(); ++i) {
    VTA_RETURN_IF_ERROR(checkSample(main, samples[i], i));
  }
  return {};
}

/// How a float model becomes integers.
struct FloatCalibration {
  QuantPlan plan;
  std::optional<ActivationRun> expected;  // plan.activations, then the real outputs
  CalibrationData data;
  std::vector<ActivationScale> scales;
  std::vector<LayerDamage> damage;   // worst first, where it was asked for
  std::optional<OutputError> error;  // where it was needed, or outputs are judged by it
};

Status chooseAllScales(mlir::ModuleOp module, const HwConfig& hw, const QuantizeOptions& options,
                       bool ranks, const Progress& progress, FloatCalibration& result) {
  QuantPlan& plan = result.plan;
  const bool searches = options.method == CalibrationMethod::kAuto;
  const bool widens = options.wide_choice != WideChoice::kNone;
  VTA_RETURN_IF_ERROR(widenNamed(plan, hw, options.wide_activations));
  std::optional<OutputError>& error = result.error;
  const bool judges = options.has_typical_samples;
  if ((searches || ranks || widens || judges) && !realOutputs(module).empty()) {
    VTA_ASSIGN_OR_RETURN(error, OutputError::create(module, plan, result.data, *result.expected,
                                                    options.samples, options.code));
  }
  const auto method = searches ? CalibrationMethod::kPercentile : options.method;
  std::vector<CalibrationMethod> methods(plan.activations.size(), method);
  if (error && widens) {
    const auto scales = chooseScales(plan, result.data.histograms, hw, methods);
    VTA_RETURN_IF_ERROR(widenWorst(*error, plan, scales, hw, options));
  }
  if (error) error->leaveWide(plan);
  if (searches && error) {
    VTA_ASSIGN_OR_RETURN(methods, chooseMethods(*error, plan, result.data, hw, progress));
  }
  // Of so many steps, none need to be won by cutting values off.
  for (mlir::Value value : plan.wide) {
    methods[static_cast<size_t>(plan.indexOf(value))] = CalibrationMethod::kMinMax;
  }
  result.scales = chooseScales(plan, result.data.histograms, hw, methods);
  if (ranks && error) {
    VTA_ASSIGN_OR_RETURN(result.damage, rankLayers(*error, plan, result.scales));
  }
  return {};
}

Result<FloatCalibration> calibrateFloat(mlir::ModuleOp module, QuantPlan plan, const HwConfig& hw,
                                        const QuantizeOptions& options, bool ranks,
                                        const Progress& progress) {
  FloatCalibration result;
  result.plan = std::move(plan);
  if (result.plan.nodes.empty()) return result;
  if (options.samples.empty()) {
    return invalidArgument("quantisation needs at least one calibration sample");
  }
  std::vector<mlir::Value> values = result.plan.activations;
  llvm::append_range(values, realOutputs(module));
  VTA_ASSIGN_OR_RETURN(result.expected, ActivationRun::create(module, values, options.code));
  const MomentOrder order =
      options.has_typical_samples ? MomentOrder::kFirstAndSecond : MomentOrder::kFirst;
  VTA_ASSIGN_OR_RETURN(result.data,
                       calibrate(*result.expected, result.plan, options.samples, order, progress));
  result.plan.exponents = result.data.exponents;
  leaveUnevenJoins(result.plan, result.data.channels);
  VTA_RETURN_IF_ERROR(chooseAllScales(module, hw, options, ranks, progress, result));
  return result;
}

/// The same with options.worst_float_layers more layers in float, named in `report`.
Result<FloatCalibration> calibrateWithoutWorst(mlir::ModuleOp module, mlir::func::FuncOp main,
                                               const GivenQuantization& given, const HwConfig& hw,
                                               const QuantizeOptions& options,
                                               const Progress& progress, QuantizeReport& report) {
  const auto plan_with = [&](const std::set<std::string>& float_layers) {
    return planFloatModel(main, given, hw, float_layers);
  };
  report.constant_channels = leaveOutConstantChannels(plan_with(options.float_layers),
                                                      inputReach(main, options.samples), hw);
  const bool drops = options.worst_float_layers > 0;
  VTA_ASSIGN_OR_RETURN(FloatCalibration first,
                       calibrateFloat(module, plan_with(options.float_layers), hw, options,
                                      drops || options.measure_errors, progress));
  report.damage = first.damage;
  if (!drops || first.damage.empty()) return first;
  std::set<std::string> float_layers = options.float_layers;
  const auto count = std::min(first.damage.size(), static_cast<size_t>(options.worst_float_layers));
  for (size_t i = 0; i < count; ++i) {
    report.float_layers.push_back(first.damage[i].layer);
    float_layers.insert(first.damage[i].layer);
  }
  return calibrateFloat(module, plan_with(float_layers), hw, options, false, progress);
}

/// Whether a quantised model keeps more when it is quantised again than when its weights move to
/// other scales, as those of every layer have to without `qmul`. `given` is all that is rounded.
bool isBetterAnew(mlir::func::FuncOp main, const GivenQuantization& given, const HwConfig& hw,
                  const QuantizeOptions& options) {
  if (given.empty() || given.has_16_bits || options.fills_ranges || hw.params().ext_qmul) {
    return false;
  }
  // What the model leaves in float is to stay there.
  const QuantPlan plan =
      planQuantization(main, {&given, &options.float_layers, takesMatMulPairs(hw)});
  return countUnroundedLayers(main, hw, options, plan).without_rounding == 0;
}

}  // namespace

Result<QuantizeReport> quantizeGraph(mlir::ModuleOp module, const HwConfig& hw,
                                     const QuantizeOptions& options, const Progress& progress,
                                     QuantizationChoices* choices) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) return internalError("quantisation: the module has no @main");
  VTA_RETURN_IF_ERROR(checkFloatLayers(main, options.float_layers));
  QuantizeReport report;
  GivenQuantization given = adoptQuantization(main, options.fills_ranges);
  const bool has_samples = !options.samples.empty();
  const bool compensates = options.has_typical_samples && has_samples;
  if (isBetterAnew(main, given, hw, options)) {
    (compensates ? report.is_quantised_anew : report.adopts_by_shifts) = true;
    if (compensates) forgetRounding(main, given);
  }
  if (!given.empty() && !options.wide_activations.empty()) {
    return invalidArgument(fmt::format(
        "the result of '{}' cannot be a wide activation: a quantised model says how it is rounded",
        fmt::join(options.wide_activations, "', '")));
  }
  const bool measures = options.measure_errors && has_samples;
  const bool fills = options.fills_ranges && !given.empty();
  if (given.empty() || measures || compensates || fills) {
    VTA_RETURN_IF_ERROR(checkSamples(main, options.samples));
  }

  if (fills) VTA_RETURN_IF_ERROR(fillRanges(module, main, hw, options, progress, given));
  FloatCalibration calibrated;
  QuantPlan& plan = calibrated.plan;
  std::vector<ActivationScale>& scales = calibrated.scales;
  CalibrationData& data = calibrated.data;
  std::optional<ActivationRun>& expected = calibrated.expected;  // what the integers stand for
  if (!given.empty()) {
    plan = planQuantization(main, {&given, &options.float_layers, takesMatMulPairs(hw)});
    if (!fills) {
      const UnroundedLayers layers = countUnroundedLayers(main, hw, options, plan);
      report.unrounded_layers = layers.without_rounding;
      report.layers_of_16_bits = layers.of_16_bits;
    }
    scales = keepScales(plan, given, hw);
    roundGivenValues(main, given, plan);
    if (measures || compensates) {
      VTA_ASSIGN_OR_RETURN(expected, createRoundedRun(module, plan, given, options.code));
    }
    if (compensates) {
      VTA_ASSIGN_OR_RETURN(data.moments, gatherMoments(*expected, plan, options.samples));
    }
  } else {
    VTA_ASSIGN_OR_RETURN(calibrated,
                         calibrateWithoutWorst(module, main, given, hw, options, progress, report));
    if (compensates && calibrated.expected) {
      VTA_RETURN_IF_ERROR(correctBiases(module, plan, data, scales, *calibrated.expected,
                                        options.samples, options.code, progress));
    }
  }
  data.compensates_rounding = compensates;
  if (choices != nullptr) {
    *choices = choicesOf(plan, scales, data);
    if (given.empty()) choices->input_reach = inputReach(main, options.samples);
    choices->is_quantised_anew = report.is_quantised_anew;
    choices->has_filled_ranges = fills;
    choices->float_layers = options.float_layers;
    choices->float_layers.insert(report.float_layers.begin(), report.float_layers.end());
  }
  report.wide_activations = wideLayers(plan);
  for (size_t i = 0; i < scales.size(); ++i) {
    report.activations.push_back({nameOf(plan.activations[i]), scales[i].params.scale,
                                  scales[i].params.zero_point, scales[i].range.min,
                                  scales[i].range.max, std::nullopt});
  }
  std::vector<mlir::RankedTensorType> types;
  for (mlir::Value value : plan.activations) {
    types.push_back(mlir::cast<mlir::RankedTensorType>(value.getType()));
  }
  if (!measures) expected.reset();  // its copy of the weights is not wanted beside the integers
  const NamedActivations layers = namedActivations(plan);
  EmittedIntegers emitted = emitIntegers(main, plan, scales, data, given, hw, options);
  report.rescaled_weights = std::move(emitted.rescaled);
  if (given.empty()) narrowTables(main, options.float_layers);
  if (compensates && calibrated.error) {
    VTA_RETURN_IF_ERROR(judgeOutputs(module, *calibrated.error, options.curves == CurvePlace::kAuto,
                                     scales, layers, options.code, emitted, report));
  }
  if (choices != nullptr) {
    for (const EmittedCurve& curve : emitted.curves) choices->curves.insert(curve.activation);
  }
  if (measures && expected) {
    VTA_ASSIGN_OR_RETURN(ActivationRun actual,
                         ActivationRun::create(module, emitted.integers, options.code));
    VTA_RETURN_IF_ERROR(measureErrors(*expected, types, actual, emitted.integers, scales, data,
                                      options.samples, report.activations));
  }
  eraseIdentities(main);
  return report;
}

}  // namespace vta::compiler
