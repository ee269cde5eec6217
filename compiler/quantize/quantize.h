// Post-training quantisation: a float graph becomes an integer graph. Arithmetic:
// docs/quantisation.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "compiler/compile.h"
#include "isa/config/hw_config.h"

namespace mlir {
class ModuleOp;
}

namespace vta::compiler {

/// How an activation's range is taken from the values that calibration saw.
enum class RangeMethod : uint8_t {
  kMinMax,      // everything seen
  kPercentile,  // the smallest range that holds 99.99 % of the values at each end
  kKl,          // the range whose quantised distribution diverges least (Kullback-Leibler)
};

struct QuantizeOptions {
  HwConfig hw = HwConfig::makeDefault();
  RangeMethod method = RangeMethod::kPercentile;
  /// Layers, by the names of their ONNX nodes, that stay in float.
  std::set<std::string> float_layers;
  /// Calibration inputs: every map holds one tensor per model input, by its ONNX name. Not needed
  /// for a model that is quantised already.
  const std::vector<TensorMap>* samples = nullptr;
  /// Also run float and integers over the samples and fill QuantizedActivation::error.
  bool measure_errors = false;
  /// Of the code that runs the samples; see host::HostOptions.
  bool optimize_host_code = true;
  /// Called with (done, total) calibration runs.
  std::function<void(int64_t, int64_t)> progress;
};

/// What one quantised activation's integers mean: real = (q - zero_point) * scale.
struct QuantizedActivation {
  std::string name;
  double scale = 1;
  int64_t zero_point = 0;
  double min = 0;  // calibrated range that the scale covers
  double max = 0;
  std::optional<QuantizationError> error;
};

/// Weights of a quantised model whose integers had to change: channels that do not fit int8 once
/// the zero point is removed, or that a shift cannot rescale.
struct RescaledWeights {
  std::string layer;
  int64_t changed = 0;  // output channels
  int64_t channels = 0;
};

struct QuantizeReport {
  std::vector<QuantizedActivation> activations;
  std::vector<RescaledWeights> rescaled_weights;
};

/// Rewrites `@main` of `module` from float to integers wherever the accelerator has a matching
/// operation; what stays float is bridged by graph.quantize and graph.dequantize. Inputs and
/// outputs keep their types. A model that is quantised already (`isQuantized` in adopt.h) keeps its
/// scales, zero points and roundings, and what it computes in float. On hardware with `qmul`,
/// requantisation is a per-channel multiplier and shift; without it, per-channel power-of-two
/// shifts whose scales are absorbed by the weights. Errors: no calibration sample, a sample that
/// lacks an input or has another shape or type; a name in `float_layers` that no layer has.
Status quantizeGraph(mlir::ModuleOp module, const QuantizeOptions& options, QuantizeReport& report);

}  // namespace vta::compiler
