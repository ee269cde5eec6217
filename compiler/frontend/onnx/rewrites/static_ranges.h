// Dynamic quantisation with ranges that are known before the model runs.
#pragma once

#include <cstdint>

#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// Operators that find the range of an activation in every run.
int64_t countDynamicRanges(const onnx::GraphProto& graph);

/// Rewrites products of a tensor that is quantised in every run with quantised weights to the
/// product of floats that they stand for: DynamicQuantizeLinear, MatMulInteger or ConvInteger, Cast
/// and Mul, or the operators of com.microsoft that are all of these, become MatMul or Conv of the
/// tensor itself with DequantizeLinear of the weights. Weights keep their integers, and the tensor
/// is no longer rounded: calibration gives it a range of its own. Products of another form stay.
/// Subgraphs are rewritten, too. Returns how many products became floats. Nodes that nothing reads
/// any more are left behind.
int64_t makeRangesStatic(onnx::GraphProto& graph);

}  // namespace vta::compiler
