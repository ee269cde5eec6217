// The last integers of a curve's constants. docs/quantisation.md, "Curves".
#pragma once

#include "compiler/quantize/curves/curve_steps.h"
#include "compiler/quantize/curves/fit_curve.h"

namespace vta::compiler {

/// Changes the constants of additions and of the chains' multipliers, one after the other, as long
/// as the results come closer to `function`. False if a step leaves 32 bits as things are.
bool refineCurve(const CurveFunction& function, int multiplier_bits, CurveSteps& steps);

}  // namespace vta::compiler
