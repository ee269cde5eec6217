// Writes the integer graph: the last step of quantisation. docs/quantisation.md has the formulas.
#pragma once

#include <vector>

#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/plan.h"
#include "compiler/quantize/scales.h"

namespace vta::compiler {

/// Replaces every node of `plan` in `function` by integer ops with the scales given (index by index
/// for plan.activations), bridges to what stays float, and removes what became dead.
void emitIntegers(mlir::func::FuncOp function, const QuantPlan& plan,
                  const std::vector<ActivationScale>& scales, const CalibrationData& data,
                  const HwConfig& hw);

}  // namespace vta::compiler
