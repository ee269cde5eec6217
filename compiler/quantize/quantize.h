// Post-training quantisation: a float graph becomes an integer graph. Arithmetic:
// docs/quantisation.md.
#pragma once

#include "base/status.h"
#include "compiler/common/progress.h"
#include "compiler/quantize/common/options.h"
#include "compiler/quantize/common/report.h"
#include "compiler/quantize/quantize_like.h"
#include "isa/config/hw_config.h"

namespace mlir {
class ModuleOp;
}

namespace vta::compiler {

/// Rewrites `@main` of `module` from float to integers wherever an accelerator like `hw` has a
/// matching operation; what stays float is bridged by graph.quantize and graph.dequantize. Inputs
/// and outputs keep their types. A model that is quantised already (`isQuantized` in adopt.h) keeps
/// its scales, zero points and roundings, and what it computes in float. On hardware with `qmul`,
/// requantisation is a per-channel multiplier and shift; without it, per-channel power-of-two
/// shifts whose scales are absorbed by the weights. `progress` hears of the phase "calibrate", in
/// runs of samples. Errors: no calibration sample, a sample that lacks an input or has another
/// shape or type; a name in `float_layers` that no layer has.
///
/// With `choices`: leaves there what was chosen, for quantizeLike.
Result<QuantizeReport> quantizeGraph(mlir::ModuleOp module, const HwConfig& hw,
                                     const QuantizeOptions& options, const Progress& progress = {},
                                     QuantizationChoices* choices = nullptr);

}  // namespace vta::compiler
