#include "compiler/quantize/common/warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace vta::compiler {
namespace {

// The last layer alone often is float on purpose.
constexpr int64_t kFewestUnroundedLayers = 2;

std::string damageText(const QuantizeReport& report) {
  const bool has_curves = report.curves > report.replaced_curves;
  return fmt::format(
      "on the calibration data the outputs are {:.1f} dB above what integers make of them, less "
      "than {:.0f} dB; {}lose most. --float-layers keeps layers in float, by name or auto:N, and "
      "--wide-activations=auto gives more bits to results of convolutions{}",
      -10 * std::log10(*report.output_noise), -10 * std::log10(kMostOutputNoise),
      report.worst_layers.empty()
          ? "layers that --quantise-report of vta-compile names "
          : fmt::format("layers '{}' ", fmt::join(report.worst_layers, "', '")),
      has_curves ? "; --activations=host computes functions exactly" : "");
}

}  // namespace

std::vector<std::string> warningsOf(const QuantizeReport& report) {
  std::vector<std::string> warnings;
  if (const size_t count = report.rescaled_weights.size(); count > 0) {
    warnings.push_back(
        fmt::format("weights of {} layers had to be rescaled: --quantise-report of vta-compile "
                    "names them",
                    count));
  }
  if (report.unrounded_layers >= kFewestUnroundedLayers) {
    warnings.push_back(
        fmt::format("{} layers stay on the CPU because the model does not say how what they read "
                    "or give is rounded; --static-ranges takes ranges from --calibrate",
                    report.unrounded_layers));
  }
  if (const int64_t count = report.layers_of_16_bits; count > 0) {
    warnings.push_back(fmt::format(
        "{} {} on the CPU, exactly as the model says, because what they read or give has 16 bits; "
        "--static-ranges takes ranges of 8 bits from --calibrate, and --wide-activations of 12 "
        "where the model rounds nothing to 8",
        count, count == 1 ? "layer stays" : "layers stay"));
  }
  if (report.is_quantised_anew) {
    warnings.emplace_back(
        "the model's scales gave way to those that --calibrate finds: this hardware rescales by "
        "shifts, which would move every weight");
  } else if (report.adopts_by_shifts) {
    warnings.emplace_back(
        "this hardware rescales by shifts, which the model's scales are not made for; with "
        "--calibrate the model is quantised anew, which keeps more of its results");
  }
  if (report.replaced_curves > 0) {
    warnings.push_back(fmt::format(
        "{} functions are tables of the CPU, because curves on the VTA lose more of the outputs "
        "on the calibration data; --activations=alu keeps them on the VTA",
        report.replaced_curves));
  }
  if (report.output_noise && *report.output_noise > kMostOutputNoise) {
    warnings.push_back(damageText(report));
  }
  return warnings;
}

}  // namespace vta::compiler
