// What rounding activations does to a network's outputs, measured in float.
#pragma once

#include <vector>

#include "compiler/quantize/calibrate/activation_run.h"
#include "compiler/quantize/calibrate/calibrate.h"
#include "compiler/quantize/calibrate/scales.h"
#include "compiler/quantize/common/output_parts.h"
#include "compiler/quantize/plan/plan.h"

namespace vta::compiler {

/// The outputs of @main of `module` that are f32: what errors are measured on.
std::vector<mlir::Value> realOutputs(mlir::ModuleOp module);

/// Noise over signal of the outputs (noiseOverSignal), summed over every second sample.
struct HalfErrors {
  double even = 0, odd = 0;
  double sum() const { return even + odd; }
};

/// A float network whose planned activations are rounded where they are defined, each if that is
/// switched on, to scales that come with each run: it is compiled once for all of them. Weights are
/// as they were.
class OutputError {
 public:
  /// Multiply-accumulates that a search may take: some ten seconds of two threads.
  static constexpr int64_t kSearchMacs = 200'000'000'000;

  /// `expected` computes plan.activations and then realOutputs(module). Of `samples`, which
  /// checkSample accepts and which outlive this, a few are used. `search_macs` decides what is
  /// affordable. Errors: what the back end reports.
  static Result<OutputError> create(mlir::ModuleOp module, const QuantPlan& plan,
                                    const CalibrationData& data, ActivationRun& expected,
                                    const std::vector<TensorMap>& samples,
                                    const codegen::CodeOptions& code,
                                    int64_t search_macs = kSearchMacs);

  /// With all activations rounded to `scales`.
  Result<HalfErrors> ofAll(const std::vector<ActivationScale>& scales);
  /// The same with the activation `only` alone rounded.
  Result<HalfErrors> ofOne(const std::vector<ActivationScale>& scales, size_t only);
  /// The mean noise over signal of `samples` samples, evenly spread, with all activations rounded.
  Result<double> meanOfAll(const std::vector<ActivationScale>& scales, size_t samples);
  /// The same with the activation `only` alone rounded. Some 8 samples are enough to compare
  /// activations.
  Result<double> meanOfOne(const std::vector<ActivationScale>& scales, size_t only, size_t samples);

  /// The mean noise over signal of outputs that `run` computes, its values being the outputs of the
  /// same network. Infinite where it has other outputs.
  Result<double> meanOf(ActivationRun& run, size_t samples) const;

  /// Leaves the activations that are wide in `plan` as they are from now on.
  void leaveWide(const QuantPlan& plan);

  /// How many more networks can be measured before it takes longer than it is worth.
  int64_t affordable() const { return affordable_; }
  /// How many runs of one sample comparing activations is worth.
  int64_t affordableRuns() const { return affordable_runs_; }

 private:
  OutputError(ActivationRun run) : run_(std::move(run)) {}
  Result<HalfErrors> measure();
  Result<double> mean(size_t samples);
  Result<double> errorOf(size_t sample);
  double errorOfOutputs(const ActivationRun& run, size_t sample) const;
  void setScale(size_t activation, const ActivationScale& scale, bool on);

  ActivationRun run_;
  std::vector<bool> exact_;         // activations that are never rounded
  std::vector<TensorMap> samples_;  // with the scales beside the model's inputs
  std::vector<std::vector<std::vector<float>>> outputs_;  // by sample, of the float network
  std::vector<OutputParts> parts_;                        // by output
  int64_t affordable_ = 0, affordable_runs_ = 0;
};

}  // namespace vta::compiler
