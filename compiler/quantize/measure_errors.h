// What quantisation changes, layer by layer.
#pragma once

#include <vector>

#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/scales.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::compiler {

/// Runs `expected` and `actual` over the samples and compares value by value: `floats` of
/// `expected` with what `integers` of `actual` stand for. All lists are index by index for the
/// activations; null values are left out. Fills `error` of `activations`.
Status measureErrors(mlir::ModuleOp expected, const std::vector<mlir::Value>& floats,
                     mlir::ModuleOp actual, const std::vector<mlir::Value>& integers,
                     const std::vector<ActivationScale>& scales, const CalibrationData& data,
                     const std::vector<TensorMap>& samples,
                     std::vector<QuantizedActivation>& activations);

}  // namespace vta::compiler
