#include "tools/common/compilation/quantization_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

#include "tools/common/command_line.h"
#include "tools/common/compilation/choice_option.h"

namespace vta::tools {
namespace {

constexpr std::string_view kAutomatic = "auto:";

void addCalibrate(CLI::App& app, std::vector<std::string>& files) {
  addRepeatable(app, "--calibrate", files,
                "Typical inputs for choosing integer ranges: images, .npy, .npz, .pb or a folder")
      ->type_name("[NAME=]FILE|DIR");
}

void addCalibrationMethod(CLI::App& app, compiler::CalibrationMethod& method) {
  using Method = compiler::CalibrationMethod;
  addChoice<Method>(
      app, "--calibration-method", method,
      "How ranges come from calibration: minmax, percentile, kl, mse; or for each tensor the one "
      "that changes the outputs least: auto (default, without --calibrate percentile)",
      {{"minmax", Method::kMinMax},
       {"percentile", Method::kPercentile},
       {"kl", Method::kKl},
       {"mse", Method::kMse},
       {"auto", Method::kAuto}});
}

void addStaticRanges(CLI::App& app, bool& static_ranges) {
  app.add_flag(
      "--static-ranges", static_ranges,
      "Take ranges from --calibrate where the model finds them in every run "
      "(DynamicQuantizeLinear), and where a quantised model does not say how it rounds, so "
      "that these layers can be on the VTA");
}

void addActivations(CLI::App& app, compiler::CurvePlace& place) {
  using compiler::CurvePlace;
  addChoice<CurvePlace>(
      app, "--activations", place,
      "Where functions such as SiLU are computed on hardware without tables: alu: on the VTA, "
      "where a curve comes close enough; host: exactly, by the CPU; auto (default): alu, unless "
      "that takes twice as long as the way to the CPU and back",
      {{"auto", CurvePlace::kAuto}, {"alu", CurvePlace::kAlu}, {"host", CurvePlace::kHost}});
}

void addFloatLayers(CLI::App& app, std::set<std::string>& layers) {
  CLI::Option* option = app.add_option(
      "--float-layers", layers,
      "Nodes of the model, by name, that stay in float on the CPU; auto:N: the N that lose most");
  option->type_name("NAME|auto:N,...")->delimiter(',');
  makeRepeatable(*option);
}

void addWideActivations(CLI::App& app, std::set<std::string>& layers) {
  CLI::Option* option = app.add_option(
      "--wide-activations", layers,
      "Nodes, by name, whose results keep more than 8 bits; auto:N: the N that lose most for what "
      "they cost; auto: as many as it takes; few (default with --calibrate): those of auto that "
      "cost few cycles; none (default without it)");
  option->type_name("NAME|auto:N|auto|few|none,...")->delimiter(',');
  makeRepeatable(*option);
}

void addWeightGroups(CLI::App& app, int64_t& channels) {
  const auto toNumber = [](std::string& text) -> std::string {
    if (text == "auto" || text == "none") {
      text = text == "auto" ? std::to_string(compiler::kAutomaticGroup) : "0";
      return "";
    }
    int64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && *rest == '\0' && number >= 1) return "";
    return fmt::format("'{}' is not auto, none or a whole number of channels of at least 1", text);
  };
  app.add_option("--weight-groups", channels,
                 "On hardware with weights of 4 or 2 bits: how many input channels share a step of "
                 "their weights: as many as cost little time: auto (default); all: none; or a "
                 "number, rounded up to blocks")
      ->transform(CLI::Validator(toNumber, "", "weight groups"))
      ->type_name("auto|none|N");
}

void addRescaling(CLI::App& app, compiler::Rescaling& rescaling) {
  using compiler::Rescaling;
  addChoice<Rescaling>(
      app, "--rescaling", rescaling,
      "Of a quantised model: exact (default): every integer is the one of the model's real "
      "arithmetic; fast: with half of the operations behind each layer, whose integers may be a "
      "step off, and outputs more",
      {{"exact", Rescaling::kExact}, {"fast", Rescaling::kFast}});
}

/// The N of "auto:N", or 0 for other texts and no whole number.
int64_t automaticCount(std::string_view text) {
  if (!text.starts_with(kAutomatic)) return 0;
  const char* end = text.data() + text.size();
  int64_t count = 0;
  const auto [rest, error] = std::from_chars(text.data() + kAutomatic.size(), end, count);
  return error == std::errc() && rest == end ? std::max<int64_t>(count, 0) : 0;
}

Status applyWideActivations(const QuantizationOptions& options,
                            compiler::QuantizeOptions& quantize) {
  using compiler::WideChoice;
  const std::map<std::string, WideChoice, std::less<>> names = {{"auto", WideChoice::kSufficient},
                                                                {"few", WideChoice::kAffordable},
                                                                {"none", WideChoice::kNone}};
  quantize.wide_activations.clear();
  // What random data says about outputs is worth no cycles.
  const bool is_default = options.isCalibrated() && options.wide_activations.empty();
  quantize.wide_choice = is_default ? WideChoice::kAffordable : WideChoice::kNone;
  std::string chosen;
  for (const std::string& text : options.wide_activations) {
    const auto named = names.find(text);
    if (named == names.end() && !text.starts_with(kAutomatic)) {
      quantize.wide_activations.insert(text);
      continue;
    }
    if (!chosen.empty()) {
      return invalidArgument(
          fmt::format("--wide-activations: '{}' and '{}' contradict each other; give one of them",
                      chosen, text));
    }
    chosen = text;
    quantize.wide_choice = named == names.end() ? WideChoice::kWorst : named->second;
    if (named != names.end()) continue;
    quantize.worst_wide_activations = automaticCount(text);
    if (quantize.worst_wide_activations > 0) continue;
    return invalidArgument(fmt::format(
        "--wide-activations {}: write auto:N with a whole number N of at least 1", text));
  }
  return {};
}

}  // namespace

void addQuantization(CLI::App& app, QuantizationOptions& options) {
  addCalibrate(app, options.calibrate);
  addCalibrationMethod(app, options.method);
  addStaticRanges(app, options.static_ranges);
  addActivations(app, options.activations);
  addFloatLayers(app, options.float_layers);
  addWideActivations(app, options.wide_activations);
  addWeightGroups(app, options.weight_group_channels);
  addRescaling(app, options.rescaling);
}

std::string givenQuantization(const QuantizationOptions& options) {
  const QuantizationOptions defaults;
  const std::pair<bool, const char*> given[] = {
      {options.isCalibrated(), "--calibrate"},
      {options.method != defaults.method, "--calibration-method"},
      {options.static_ranges, "--static-ranges"},
      {options.activations != defaults.activations, "--activations"},
      {!options.float_layers.empty(), "--float-layers"},
      {!options.wide_activations.empty(), "--wide-activations"},
      {options.weight_group_channels != defaults.weight_group_channels, "--weight-groups"},
      {options.rescaling != defaults.rescaling, "--rescaling"}};
  for (const auto& [is_given, name] : given) {
    if (is_given) return name;
  }
  return "";
}

std::string checkQuantization(const QuantizationOptions& options) {
  if (options.static_ranges && !options.isCalibrated()) {
    return "--static-ranges takes ranges from typical inputs: give them with --calibrate";
  }
  compiler::QuantizeOptions ignored;
  return applyQuantization(options, ignored).message();
}

Status applyQuantization(const QuantizationOptions& options, compiler::QuantizeOptions& quantize) {
  quantize.method = options.method;
  quantize.curves = options.activations;
  // What random data says about outputs is worth no search.
  if (!options.isCalibrated() && options.method == compiler::CalibrationMethod::kAuto) {
    quantize.method = compiler::CalibrationMethod::kPercentile;
  }
  quantize.has_typical_samples = options.isCalibrated();
  quantize.fills_ranges = options.static_ranges;
  quantize.weight_group_channels = options.weight_group_channels;
  quantize.rescaling = options.rescaling;
  quantize.float_layers.clear();
  for (const std::string& layer : options.float_layers) {
    if (!layer.starts_with(kAutomatic)) {
      quantize.float_layers.insert(layer);
      continue;
    }
    const int64_t count = automaticCount(layer);
    if (count < 1) {
      return invalidArgument(fmt::format(
          "--float-layers {}: write auto:N with a whole number N of at least 1", layer));
    }
    quantize.worst_float_layers += count;
  }
  return applyWideActivations(options, quantize);
}

}  // namespace vta::tools
