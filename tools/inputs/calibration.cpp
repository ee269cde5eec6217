#include "tools/inputs/calibration.h"

#include <fmt/format.h>

#include <algorithm>

namespace vta::tools {
namespace {

/// More than these change ranges little, and cost time and memory.
constexpr int64_t kMaxSamples = 256;
constexpr int64_t kMaxRunSamples = 32;
/// Of a text that a model makes for its own calibration.
constexpr int64_t kMadeWords = 64;

Result<std::vector<TensorMap>> loadFirst(const SampleSet& set, int64_t count) {
  std::vector<TensorMap> samples;
  for (int64_t i = 0; i < std::min(count, set.size()); ++i) {
    VTA_ASSIGN_OR_RETURN(TensorMap sample, set.load(i));
    samples.push_back(std::move(sample));
  }
  return samples;
}

/// Texts for calibration are given word by word, however many a run reads.
std::vector<InputSpec> calibrationInputs(const compiler::ModelSignature& signature) {
  std::vector<InputSpec> inputs = inputsOf(signature);
  if (signature.run_words == 1) return inputs;
  for (InputSpec& input : inputs) input.shape[1] = 1;
  return inputs;
}

/// One word alone would leave nothing to look back at. The compiler replaces them where it can.
Result<std::vector<TensorMap>> randomWords(const std::vector<InputSpec>& inputs) {
  std::vector<TensorMap> samples;
  for (int64_t i = 0; i < kMadeWords; ++i) {
    VTA_ASSIGN_OR_RETURN(TensorMap sample,
                         SampleSet::random(inputs, static_cast<uint64_t>(i)).load(0));
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
  const std::vector<InputSpec> inputs = calibrationInputs(signature);
  if (options.files.empty()) {
    if (signature.quantized || inputs.empty()) return loadFirst(run_samples, 1);
    const bool is_random = run_samples.name(0).starts_with("random");
    const bool makes_words = is_random && signature.context_length > 0;
    const char* from = makes_words ? "a text that the model makes by itself"
                       : is_random ? "random data"
                                   : "the inputs given";
    warnings.push_back(fmt::format(
        "no --calibrate: integer ranges come from {}, so results on other inputs may be poor",
        from));
    if (makes_words) return randomWords(inputs);
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
