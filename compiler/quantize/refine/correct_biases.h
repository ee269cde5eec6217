// Biases that make up for what rounding does to the means of channels.
#pragma once

#include "base/status.h"
#include "compiler/common/progress.h"
#include "compiler/quantize/calibrate/activation_run.h"
#include "compiler/quantize/calibrate/calibrate.h"
#include "compiler/quantize/calibrate/scales.h"

namespace vta::compiler {

/// Adds to the biases of `plan`'s contractions, one after the other, what brings the means of their
/// channels back to those of the float network, on the network whose activations are rounded to
/// `scales` and whose earlier biases are corrected. `expected` computes plan.activations. Looks at
/// some of `samples`, which checkSample accepts; does nothing for networks that are too large to
/// look at enough of them.
Status correctBiases(mlir::ModuleOp module, QuantPlan& plan, const CalibrationData& data,
                     const std::vector<ActivationScale>& scales, ActivationRun& expected,
                     const std::vector<TensorMap>& samples, const codegen::CodeOptions& code,
                     const Progress& progress);

}  // namespace vta::compiler
