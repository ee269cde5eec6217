// Runs the float graph on calibration inputs and gathers a range for every planned activation.
#pragma once

#include <vector>

#include "compiler/common/progress.h"
#include "compiler/quantize/calibrate/activation_run.h"
#include "compiler/quantize/calibrate/gather_moments.h"
#include "compiler/quantize/calibrate/histogram.h"
#include "compiler/quantize/plan/equalize.h"
#include "compiler/quantize/plan/join_ranges.h"
#include "compiler/quantize/plan/plan.h"

namespace vta::compiler {

/// Statistics of plan.activations, index by index.
struct CalibrationData {
  std::vector<Histogram> histograms;        // of the equalised values
  std::vector<ChannelStats> channels;       // of the values as they are
  std::vector<std::vector<float>> factors;  // equalizeChannels, addJoinFactors
  std::vector<int> exponents;               // joinExponents
  LayerMoments moments;                     // of the equalised inputs of contractions
  bool compensates_rounding = true;         // weights are rounded as the moments say
};

/// Runs `run`, whose values are plan.activations of the float graph, twice over the samples: once
/// for the extremes of every channel, from which channels are equalised, and once for the
/// distribution and the moments, of `order`, of what the weights multiply. Samples are as
/// checkSample wants them. `progress` may be empty. Errors: what the run reports.
Result<CalibrationData> calibrate(ActivationRun& run, const QuantPlan& plan,
                                  const std::vector<TensorMap>& samples, MomentOrder order,
                                  const Progress& progress);

}  // namespace vta::compiler
