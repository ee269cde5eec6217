#include "tools/common/cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

namespace vta::tools {
namespace {

constexpr std::string_view kAutomatic = "auto:";

/// An option whose value is one of `names`. CLI11 has this too, but its message for other values
/// prints the enumeration's numbers.
template <typename T>
void addChoice(CLI::App& app, const char* option, T& value, const char* description,
               const std::map<std::string, T>& names) {
  app.add_option_function<std::string>(
         option, [&value, names](const std::string& name) { value = names.at(name); }, description)
      ->check(CLI::IsMember(names).description(""))
      ->type_name("NAME");
}

}  // namespace

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

std::string checkStaticRanges(bool static_ranges, bool is_calibrated) {
  if (!static_ranges || is_calibrated) return "";
  return "--static-ranges takes ranges from typical inputs: give them with --calibrate";
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

void addPartition(CLI::App& app, compiler::Partition& partition) {
  using compiler::Partition;
  addChoice<Partition>(
      app, "--partition", partition,
      "auto (default): the VTA where it can; vta: likewise, but an error if a layer "
      "that multiplies cannot; cpu: all on the CPU in float; cpu-quantized: all "
      "on the CPU in the VTA's integers",
      {{"auto", Partition::kAuto},
       {"vta", Partition::kVta},
       {"cpu", Partition::kCpu},
       {"cpu-quantized", Partition::kCpuQuantized}});
}

void addShapes(CLI::App& app, std::vector<std::string>& dimensions) {
  addRepeatable(app, "--shape", dimensions, "Binds a symbolic dimension; may be repeated")
      ->type_name("NAME=N");
}

void addDumpIr(CLI::App& app, std::string& folder) {
  app.add_option("--dump-ir", folder, "Write the compiler's IR after every phase here")
      ->type_name("DIR");
}

void addNoCache(CLI::App& app, bool& has_no_cache) {
  app.add_flag("--no-cache", has_no_cache,
               "Compile all code for the CPU, also what the user's folder of caches has");
}

namespace {

/// The N of "auto:N", or 0 for other texts and no whole number.
int64_t automaticCount(std::string_view text) {
  if (!text.starts_with(kAutomatic)) return 0;
  const char* end = text.data() + text.size();
  int64_t count = 0;
  const auto [rest, error] = std::from_chars(text.data() + kAutomatic.size(), end, count);
  return error == std::errc() && rest == end ? std::max<int64_t>(count, 0) : 0;
}

Status applyWideActivations(const QuantizationChoice& choice, compiler::QuantizeOptions& options) {
  using compiler::WideChoice;
  const std::map<std::string, WideChoice, std::less<>> names = {{"auto", WideChoice::kSufficient},
                                                                {"few", WideChoice::kAffordable},
                                                                {"none", WideChoice::kNone}};
  options.wide_activations.clear();
  // What random data says about outputs is worth no cycles.
  const bool is_default = choice.is_calibrated && choice.wide_activations.empty();
  options.wide_choice = is_default ? WideChoice::kAffordable : WideChoice::kNone;
  std::string chosen;
  for (const std::string& text : choice.wide_activations) {
    const auto named = names.find(text);
    if (named == names.end() && !text.starts_with(kAutomatic)) {
      options.wide_activations.insert(text);
      continue;
    }
    if (!chosen.empty()) {
      return invalidArgument(
          fmt::format("--wide-activations: '{}' and '{}' contradict each other; give one of them",
                      chosen, text));
    }
    chosen = text;
    options.wide_choice = named == names.end() ? WideChoice::kWorst : named->second;
    if (named != names.end()) continue;
    options.worst_wide_activations = automaticCount(text);
    if (options.worst_wide_activations > 0) continue;
    return invalidArgument(fmt::format(
        "--wide-activations {}: write auto:N with a whole number N of at least 1", text));
  }
  return {};
}

}  // namespace

Status applyQuantization(const QuantizationChoice& choice, compiler::QuantizeOptions& options) {
  options.method = choice.method;
  options.curves = choice.curves;
  // What random data says about outputs is worth no search.
  if (!choice.is_calibrated && choice.method == compiler::CalibrationMethod::kAuto) {
    options.method = compiler::CalibrationMethod::kPercentile;
  }
  options.has_typical_samples = choice.is_calibrated;
  options.fills_ranges = choice.static_ranges;
  options.weight_group_channels = choice.weight_group_channels;
  options.rescaling = choice.rescaling;
  options.float_layers.clear();
  for (const std::string& layer : choice.float_layers) {
    if (!layer.starts_with(kAutomatic)) {
      options.float_layers.insert(layer);
      continue;
    }
    const int64_t count = automaticCount(layer);
    if (count < 1) {
      return invalidArgument(fmt::format(
          "--float-layers {}: write auto:N with a whole number N of at least 1", layer));
    }
    options.worst_float_layers += count;
  }
  return applyWideActivations(choice, options);
}

Status parseDimensions(const std::vector<std::string>& texts,
                       std::map<std::string, int64_t>& dimensions) {
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('=');
    int64_t extent = 0;
    const char* end = text.data() + text.size();
    const bool has_name = equals != std::string::npos && equals > 0;
    const auto [rest, error] = has_name ? std::from_chars(text.data() + equals + 1, end, extent)
                                        : std::from_chars_result{end, std::errc::invalid_argument};
    if (error != std::errc() || rest != end || extent < 1) {
      return invalidArgument(
          fmt::format("--shape {}: write NAME=N with a whole number N of at least 1", text));
    }
    dimensions[text.substr(0, equals)] = extent;
  }
  return {};
}

}  // namespace vta::tools
