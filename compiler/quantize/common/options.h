// How a float model is quantised. Free of MLIR types.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "compiler/codegen/options.h"

namespace vta::compiler {

/// How an activation's range is taken from the values that calibration saw.
enum class CalibrationMethod : uint8_t {
  kMinMax,      // everything seen
  kPercentile,  // the smallest range that holds 99.99 % of the values at each end
  kKl,          // the range whose quantised distribution diverges least (Kullback-Leibler)
  kMse,         // the range with the least mean squared error of the values themselves
  kAuto,        // for each activation one of the others, by the error of the network's outputs
};

/// Where an activation function of a float model is computed that the accelerator's ALU can only
/// follow by a curve. Accelerators with tables compute it there.
enum class CurvePlace : uint8_t {
  kAuto,  // on the accelerator, unless that takes twice as long as the host's table and its
          // transfers
  kAlu,   // on the accelerator wherever a curve comes close enough
  kHost,  // by the host's table
};

/// Which activations become wide beside those that are named.
enum class WideChoice : uint8_t {
  kNone,
  kWorst,       // a number of them
  kSufficient,  // as many as it takes until little noise is left
  kAffordable,  // the same as far as they take few cycles
};

/// How sums of a quantised model become the integers that it gives.
enum class Rescaling : uint8_t {
  kExact,  // every one as in real arithmetic: two multiplications
  kFast,   // one multiplication, as in float models; now and then a result is one step off
};

/// As QuantizeOptions::weight_group_channels: as many as cost little time.
inline constexpr int64_t kAutomaticGroup = -1;

struct QuantizeOptions {
  CalibrationMethod method = CalibrationMethod::kPercentile;
  CurvePlace curves = CurvePlace::kAuto;
  /// Layers, by the names of their ONNX nodes, that stay in float.
  std::set<std::string> float_layers;
  /// Of a float model, so many more layers stay in float: those that do the most damage.
  int64_t worst_float_layers = 0;
  /// Of a float model, layers whose results keep more than 8 bits, by the names of their nodes.
  std::set<std::string> wide_activations;
  /// Of a float model, more activations become wide.
  WideChoice wide_choice = WideChoice::kNone;
  /// Of those that lose most for the cycles that they take, so many with WideChoice::kWorst.
  int64_t worst_wide_activations = 0;
  /// On hardware with narrow weights, input channels whose weights share a step beside the scale of
  /// their output channel; 0: all of them.
  int64_t weight_group_channels = kAutomaticGroup;
  Rescaling rescaling = Rescaling::kExact;
  /// Calibration inputs: every map holds one tensor per model input, by its ONNX name. Float models
  /// need at least one. Quantised models need none; with some, weights that change are rounded so
  /// that outputs change least.
  std::vector<TensorMap> samples;
  /// They resemble what the model will see, so that the rounding of weights may rely on them.
  bool has_typical_samples = true;
  /// They are random: a model that keeps a text chooses its own words in place of theirs.
  bool has_random_samples = false;
  /// Of a quantised model, activations between layers that it leaves unrounded get ranges from the
  /// samples; else layers that read or give such an activation stay in float.
  bool fills_ranges = false;
  /// Also run float and integers over the samples and fill QuantizedActivation::error.
  bool measure_errors = false;
  /// Of the code that runs the samples in this process; its target stays empty. Ranges are those of
  /// sums without transforms, which round least.
  codegen::CodeOptions code = {
      .target = {}, .quality = codegen::CodeQuality::kQuick, .winograd = false};
};

}  // namespace vta::compiler
