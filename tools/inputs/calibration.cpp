#include "tools/inputs/calibration.h"

#include <fmt/format.h>

#include <algorithm>

namespace vta::tools {
namespace {

/// More than these change ranges little, and cost time and memory.
constexpr int64_t kMaxSamples = 256;
constexpr int64_t kMaxRunSamples = 32;

Result<std::vector<TensorMap>> loadFirst(const SampleSet& set, int64_t count) {
  std::vector<TensorMap> samples;
  for (int64_t i = 0; i < std::min(count, set.size()); ++i) {
    VTA_ASSIGN_OR_RETURN(TensorMap sample, set.load(i));
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace

std::vector<InputSpec> inputsOf(const compiler::ModelSignature& signature) {
  std::vector<InputSpec> inputs;
  for (const compiler::Port& port : signature.inputs) {
    inputs.push_back({port.name, port.dtype, port.shape, port.index_extent});
  }
  return inputs;
}

Result<std::vector<TensorMap>> loadCalibration(const CalibrationOptions& options,
                                               const compiler::ModelSignature& signature,
                                               const SampleSet& run_samples,
                                               std::vector<std::string>& warnings) {
  const std::vector<InputSpec> inputs = inputsOf(signature);
  if (options.files.empty()) {
    if (signature.quantized || inputs.empty()) return loadFirst(run_samples, 1);
    warnings.push_back(fmt::format(
        "no --calibrate: integer ranges come from {}, so results on other inputs may be poor",
        run_samples.name(0).starts_with("random") ? "random data" : "the inputs given"));
    return loadFirst(run_samples, kMaxRunSamples);
  }
  VTA_ASSIGN_OR_RETURN(const Preprocess preprocess,
                       choosePreprocess(options.preprocess, shapesOf(inputs)));
  auto set = SampleSet::open(options.files, inputs, preprocess);
  if (!set.ok()) return set.status().withContext("--calibrate");
  if (set->size() > kMaxSamples) {
    warnings.push_back(
        fmt::format("calibrating with the first {} of {} samples", kMaxSamples, set->size()));
  }
  auto samples = loadFirst(*set, kMaxSamples);
  if (!samples.ok()) return samples.status().withContext("--calibrate");
  return samples;
}

}  // namespace vta::tools
