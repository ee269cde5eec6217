// Which activations keep more than 8 bits.
#pragma once

#include "base/status.h"
#include "compiler/quantize/calibrate/output_error.h"
#include "compiler/quantize/common/options.h"
#include "isa/config/hw_config.h"

namespace vta::compiler {

/// Marks the results of the layers `names` in `plan`, and what has to be wide with them. Errors: a
/// layer whose result cannot be wide, or hardware whose weights are too narrow for low parts.
Status widenNamed(QuantPlan& plan, const HwConfig& hw, const std::set<std::string>& names);

/// Marks more of them, as `options` say: first those whose rounding, to `scales`, costs the outputs
/// most for the cycles that widening takes.
Status widenWorst(OutputError& error, QuantPlan& plan, const std::vector<ActivationScale>& scales,
                  const HwConfig& hw, const QuantizeOptions& options);

/// The layers of `plan` whose results are wide.
std::vector<std::string> wideLayers(const QuantPlan& plan);

}  // namespace vta::compiler
