// Models that read a text word by word: their caches of keys and values become the module's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/dialects/graph/text/kept_text.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// Rewrites a decoder so that a text of up to `capacity` words can be read one by one with caches
/// of a fixed size. An input with earlier keys or values (past_key_values.0.key, past_key_0, ...),
/// whose output (present.0.key, ...) has it with one row more, holds `capacity` - 1 rows, and its
/// output becomes the row alone. The model reads earlier keys and values by Concat, or by
/// GroupQueryAttention or Attention. A new input says how many rows are valid; the inputs
/// `attention_mask`, `position_ids` and `cache_position` are computed from it. Where a model has no
/// mask, its attention gets one. All other inputs are for one word.
///
/// Errors: no caches, caches of another fixed size, an attention whose scores are not found, an
/// order of rows that is not supported, a mask of another rank. `notes` gets what may be wrong with
/// the result, in sentences; null: nobody wants to know.
Result<graph::KeptText> keepText(onnx::GraphProto& graph, int64_t capacity,
                                 std::vector<std::string>* notes);

}  // namespace vta::compiler
