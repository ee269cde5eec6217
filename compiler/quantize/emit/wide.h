// Wide activations in the graph of integers: int8 tensors with twice the channels, in which each
// channel's high part is followed by its low part. real = (high - zero_point + low / 2^kLowBits) *
// scale.
#pragma once

#include "compiler/quantize/emit/builder.h"
#include "compiler/quantize/plan/wide_steps.h"

namespace vta::compiler {

/// The type of the integers of a wide activation that is `type` in float.
mlir::RankedTensorType wideType(mlir::Type type);

/// int8 from the accumulators of a convolution that has every filter twice.
mlir::Value emitWideSteps(EmitBuilder& build, mlir::Value sum, const WideSteps& steps);

}  // namespace vta::compiler
