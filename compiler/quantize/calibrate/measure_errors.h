// What quantisation changes, layer by layer.
#pragma once

#include <vector>

#include "compiler/quantize/calibrate/calibrate.h"
#include "compiler/quantize/calibrate/scales.h"
#include "compiler/quantize/common/report.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::compiler {

/// Runs `expected` and `actual` over the samples and compares value by value: what `expected` gives
/// for the activations, which have these `types`, with what the `integers` that `actual` gives
/// stand for. All lists are index by index for the activations; null integers are left out. Fills
/// `error` of `activations`.
Status measureErrors(ActivationRun& expected, const std::vector<mlir::RankedTensorType>& types,
                     ActivationRun& actual, const std::vector<mlir::Value>& integers,
                     const std::vector<ActivationScale>& scales, const CalibrationData& data,
                     const std::vector<TensorMap>& samples,
                     std::vector<QuantizedActivation>& activations);

}  // namespace vta::compiler
