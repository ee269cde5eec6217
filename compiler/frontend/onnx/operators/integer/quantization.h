// What operators of quantised models share: their scales and zero points, and float values behind
// integers.
#pragma once

#include <vector>

#include "compiler/frontend/onnx/compose.h"

namespace vta::compiler {

/// Scales and zero points, one for the tensor or one per index of an axis.
struct Quantization {
  std::vector<float> scales;
  graph::Shape zero_points;
  mlir::Type type;  // of the zero points; null if there are none
};

/// The constants at two inputs of `node`. One zero point stands for all scales. Scales are finite
/// and not negative; 0 is that of a channel whose values are zeros.
Result<Quantization> readQuantization(Node& node, size_t scale_index, size_t zero_point_index);

/// An error if one of the scales that `input` is divided by is 0; the weights of a dead channel,
/// which are constant, may have it.
Status checkDivisors(mlir::Value input, const Quantization& quantization);

/// Constants of ui8 are shifted to i8, together with their zero points: the accelerator's type.
mlir::Value signedConstant(Node& node, mlir::Value input, Quantization& q);

/// Input `index`, integers whose scale and zero point are the next two inputs, as floats.
Result<mlir::Value> dequantizedInput(Node& node, size_t index, int64_t axis);

/// Rounds `output` to integers with the scale at `scale_index` and the zero point behind it, and
/// stores them as the node's output.
Status quantizeOutput(Node& node, mlir::Value output, size_t scale_index);

/// The operators QuantizeLinear and DequantizeLinear, of whatever domain.
Status importQuantizeLinear(Node& node);
Status importDequantizeLinear(Node& node);

}  // namespace vta::compiler
