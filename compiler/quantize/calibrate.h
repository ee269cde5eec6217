// Runs the float graph on calibration inputs and gathers a range for every planned activation.
#pragma once

#include <vector>

#include "compiler/quantize/equalize.h"
#include "compiler/quantize/histogram.h"
#include "compiler/quantize/plan.h"
#include "compiler/quantize/quantize.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {

/// Statistics of plan.activations, index by index.
struct CalibrationData {
  std::vector<Histogram> histograms;        // of the equalised values
  std::vector<ChannelStats> channels;       // of the values as they are
  std::vector<std::vector<float>> factors;  // equalizeChannels
};

/// Runs the graph on the CPU backend twice over the samples: once for the extremes and means of
/// every channel, from which channels are equalised, and once for the distribution. Errors: no
/// sample; a sample without an input, or with another shape or type, named with what was expected.
Result<CalibrationData> calibrate(mlir::ModuleOp module, const QuantPlan& plan,
                                  const QuantizeOptions& options);

}  // namespace vta::compiler
