// Writes the integer graph: the last step of quantisation. docs/quantisation.md has the formulas.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "compiler/quantize/calibrate/calibrate.h"
#include "compiler/quantize/calibrate/scales.h"
#include "compiler/quantize/common/options.h"
#include "compiler/quantize/common/report.h"
#include "compiler/quantize/emit/state.h"
#include "compiler/quantize/plan/adopt.h"
#include "compiler/quantize/plan/plan.h"

namespace vta::compiler {

struct EmittedIntegers {
  std::vector<mlir::Value> integers;      // index by index for plan.activations; null: none
  std::vector<RescaledWeights> rescaled;  // layers whose weights could not keep their scales
  std::vector<EmittedCurve> curves;
};

/// Replaces every node of `plan` in `function` by integer ops with the scales given (index by index
/// for plan.activations), bridges to what stays float, and removes what became dead. `data` is
/// index by index too, or its lists are empty for a quantised model, whose weights keep the scales
/// `given` where they can. With `curves`, exactly these functions become curves, by the indices of
/// what they give; else those for which it is worth it.
EmittedIntegers emitIntegers(mlir::func::FuncOp function, const QuantPlan& plan,
                             const std::vector<ActivationScale>& scales,
                             const CalibrationData& data, const GivenQuantization& given,
                             const HwConfig& hw, const QuantizeOptions& options,
                             const std::set<size_t>* curves = nullptr);

}  // namespace vta::compiler
