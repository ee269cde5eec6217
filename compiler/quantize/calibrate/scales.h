// Chooses scale and zero point of every activation, subject to what the integer arithmetic can
// express.
#pragma once

#include <vector>

#include "compiler/quantize/calibrate/histogram.h"
#include "compiler/quantize/plan/adopt.h"
#include "compiler/quantize/plan/plan.h"
#include "compiler/quantize/plan/requantize.h"
#include "isa/config/hw_config.h"

namespace vta::compiler {

/// An activation's integers and the calibrated range that they cover.
struct ActivationScale {
  QuantParams params;
  ValueRange range;
};

/// Index by index for plan.activations. Activations that a move connects get equal parameters. On
/// hardware without `qmul`, scales that meet in a sum differ by powers of two, and so does an
/// average's output from its input over the window size; an average pool for which that is
/// impossible is taken off `plan` and stays in float. `methods`, index by index, are not kAuto.
std::vector<ActivationScale> chooseScales(QuantPlan& plan, const std::vector<Histogram>& histograms,
                                          const HwConfig& hw,
                                          const std::vector<CalibrationMethod>& methods);

/// The same for a quantised model, whose parameters are kept. On hardware without `qmul`, those
/// that meet in one kernel move to powers of two that cover the given ranges.
std::vector<ActivationScale> keepScales(QuantPlan& plan, const GivenQuantization& given,
                                        const HwConfig& hw);

}  // namespace vta::compiler
