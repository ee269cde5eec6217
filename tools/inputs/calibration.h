// Calibration data as the options of vta-run and vta-compile name them.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "base/tensor.h"
#include "compiler/compile.h"
#include "tools/inputs/preprocess.h"
#include "tools/inputs/sample_set.h"

namespace vta::tools {

struct CalibrationOptions {
  std::vector<std::string> files;  // --calibrate; empty: the inputs that will be run
  std::string preprocess;          // --preprocess
};

/// The model's inputs as samples need them.
std::vector<InputSpec> inputsOf(const compiler::ModelSignature& signature);

/// Loads the calibration samples. Without files the first of `run_samples` serve, with a warning;
/// a quantised model needs none then. Of a model that keeps a text, one sample becomes many random
/// words.
Result<std::vector<TensorMap>> loadCalibration(const CalibrationOptions& options,
                                               const compiler::ModelSignature& signature,
                                               const SampleSet& run_samples,
                                               std::vector<std::string>& warnings);

}  // namespace vta::tools
