// How the range of each activation is chosen, by what that does to the network's outputs.
#pragma once

#include <vector>

#include "compiler/common/progress.h"
#include "compiler/quantize/calibrate/output_error.h"
#include "compiler/quantize/common/report.h"

namespace vta::compiler {

/// For each of plan.activations a method other than kAuto. Starts from the best of one method for
/// all, then tries the others for one activation after the other, worst first, and keeps what
/// helps.
Result<std::vector<CalibrationMethod>> chooseMethods(OutputError& error, QuantPlan& plan,
                                                     const CalibrationData& data,
                                                     const HwConfig& hw, const Progress& progress);

/// What each of plan.nodes does to the outputs by rounding its result, worst first; layers without
/// a name are left out.
Result<std::vector<LayerDamage>> rankLayers(OutputError& error, const QuantPlan& plan,
                                            const std::vector<ActivationScale>& scales);

}  // namespace vta::compiler
