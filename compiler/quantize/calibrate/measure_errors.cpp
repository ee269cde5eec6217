#include "compiler/quantize/calibrate/measure_errors.h"

#include <cmath>
#include <limits>

#include "compiler/quantize/calibrate/activation_run.h"
#include "compiler/quantize/wide/wide_steps.h"

namespace vta::compiler {
namespace {

struct Sums {
  double signal = 0, noise = 0, steps = 0, max_steps = 0;
  int64_t count = 0;

  void observe(double expected, double actual, double step) {
    const double difference = actual - expected;
    signal += expected * expected;
    noise += difference * difference;
    steps += std::abs(difference) / step;
    max_steps = std::max(max_steps, std::abs(difference) / step);
    ++count;
  }

  QuantizationError error() const {
    QuantizationError error;
    error.signal_to_noise_db = noise > 0 ? 10 * std::log10(std::max(signal, 1e-300) / noise)
                                         : std::numeric_limits<double>::infinity();
    error.mean_steps = count > 0 ? steps / static_cast<double>(count) : 0;
    error.max_steps = max_steps;
    return error;
  }
};

}  // namespace

Status measureErrors(ActivationRun& expected, const std::vector<mlir::RankedTensorType>& types,
                     ActivationRun& actual, const std::vector<mlir::Value>& integers,
                     const std::vector<ActivationScale>& scales, const CalibrationData& data,
                     const std::vector<TensorMap>& samples,
                     std::vector<QuantizedActivation>& activations) {
  std::vector<Sums> sums(activations.size());
  for (const TensorMap& sample : samples) {
    VTA_RETURN_IF_ERROR(expected.run(sample));
    VTA_RETURN_IF_ERROR(actual.run(sample));
    for (size_t i = 0; i < activations.size(); ++i) {
      if (!integers[i]) continue;
      const std::span<const float> real = expected.values<float>(i);
      const std::span<const int8_t> rounded = actual.values<int8_t>(i);
      const mlir::RankedTensorType type = types[i];
      const int64_t channels = type.getRank() > 1 ? type.getDimSize(1) : 1;
      const int64_t outer = type.getRank() > 1 ? type.getDimSize(0) : 1;
      const int64_t inner = type.getNumElements() / (outer * channels);
      const QuantParams& params = scales[i].params;
      for (size_t at = 0; at < real.size(); ++at) {
        double step = params.scale;
        if (!data.factors.empty() && !data.factors[i].empty()) {
          step /= data.factors[i][static_cast<int64_t>(at) / inner % channels];
        }
        double offset = static_cast<double>(-params.zero_point);
        if (rounded.size() == real.size()) {
          offset += rounded[at];
        } else {  // the low part of a channel follows the high one
          const size_t high = at + at / static_cast<size_t>(inner) * static_cast<size_t>(inner);
          offset +=
              rounded[high] + std::ldexp(rounded[high + static_cast<size_t>(inner)], -kLowBits);
        }
        sums[i].observe(real[at], offset * step, step);
      }
    }
  }
  for (size_t i = 0; i < activations.size(); ++i) {
    if (sums[i].count > 0) activations[i].error = sums[i].error();
  }
  return {};
}

}  // namespace vta::compiler
