// What quantisation did to a model. Free of MLIR types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vta::compiler {

/// How far integers are from what they stand for. Of a float model, that is the float value; of a
/// quantised model, what the model prescribes.
struct QuantizationError {
  double signal_to_noise_db = 0;  // infinite where they are equal
  double mean_steps = 0, max_steps = 0;
};

/// What one quantised activation's integers mean: real = (q - zero_point) * scale.
struct QuantizedActivation {
  std::string name;
  double scale = 1;
  int64_t zero_point = 0;
  double min = 0, max = 0;                 // calibrated range that the scale covers
  std::optional<QuantizationError> error;  // with QuantizeOptions::measure_errors
};

/// Weights of a quantised model whose integers had to change: channels that do not fit int8 once
/// the zero point is removed, that narrow weights do not hold, or that a shift cannot rescale.
struct RescaledWeights {
  std::string layer;
  int64_t changed = 0;  // output channels
  int64_t channels = 0;
};

/// What rounding one layer's result alone does to the network's outputs: noise over signal, in
/// mean squares.
struct LayerDamage {
  std::string layer;
  double damage = 0;
};

/// Noise over signal of the outputs, in mean squares, from which on people are told: 15 dB.
inline constexpr double kMostOutputNoise = 0.0316;

struct QuantizeReport {
  std::vector<QuantizedActivation> activations;
  std::vector<RescaledWeights> rescaled_weights;
  std::vector<LayerDamage> damage;  // of a float model, worst first, where it was measured
  std::vector<std::string> wide_activations;  // layers whose results keep more than 8 bits
  int64_t constant_channels = 0;              // of activations, left out (constant_channels.h)
  std::vector<std::string> float_layers;      // chosen by QuantizeOptions::worst_float_layers
  /// Of a quantised model, layers with products that stay in float because the model does not say
  /// how what they read or give is rounded.
  int64_t unrounded_layers = 0;
  /// The same because what they read or give has 16 bits.
  int64_t layers_of_16_bits = 0;
  /// What became of the rounding of a quantised model on hardware whose rescaling is a shift.
  bool is_quantised_anew = false;  // forgotten: scales are those of calibration
  bool adopts_by_shifts = false;   // adopted, because nothing else is known
  /// Of a float model with typical samples: noise over signal of the outputs, in mean squares.
  std::optional<double> output_noise;
  std::vector<std::string> worst_layers;  // those that lose most, where that is too much
  int64_t curves = 0,
          replaced_curves = 0;  // functions as curves, and those that gave way to tables
};

}  // namespace vta::compiler
