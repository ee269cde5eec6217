// A decoder as the ONNX graph of one step, with caches.
#pragma once

#include "compiler/frontend/decoders/decoder.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// The step that reads tokens behind the earlier ones. Inputs: `input_ids` and `position_ids`
/// [1, sequence_length], `past_key_values.N.key` and `.value` [1, key heads, past_sequence_length,
/// depth]. Outputs: `logits` [1, sequence_length, tokens], `present.N.key` and `.value`. Operators
/// of opset 23, and MatMulNBits for weights of 4 bits. Angles are those of `positions` positions.
/// Errors: those of the weights.
Result<onnx::ModelProto> decoderGraph(const DecoderWeights& weights, int64_t positions);

}  // namespace vta::compiler
