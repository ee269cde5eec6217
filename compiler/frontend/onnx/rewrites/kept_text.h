// Models that read a text word by word: their caches of keys and values become the module's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/dialects/graph/text/kept_text.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

struct TextRoom {
  int64_t words = 0;      // that a text may have
  int64_t run_words = 1;  // that one run reads at most
  /// Of several words in a run, score the last one alone, if that can be done (last_scores.h).
  bool last_scores = false;
};

/// Rewrites a decoder so that a text of up to `room.words` words can be read with caches of a fixed
/// size, `room.run_words` at a time. An input with earlier keys or values (past_key_values.0.key,
/// past_key_0, ...), whose output (present.0.key, ...) has it with new rows behind, holds
/// `room.words` - 1 rows, and its output becomes the run's rows alone. The model reads earlier keys
/// and values by Concat, or by GroupQueryAttention or Attention. A new input says how many rows are
/// valid; the inputs `attention_mask`, `position_ids` and `cache_position` are computed from it.
/// Where a model has no mask, its attention gets one. Of several words in a run, none sees those
/// behind it, so that a run may have fewer in front of others that mean nothing.
///
/// Errors: no caches, caches of another fixed size, an attention whose scores are not found, an
/// order of rows that is not supported, a mask of another rank; with several words in a run also
/// words of another fixed number, and inputs beside them. `notes` gets what may be wrong with the
/// result, in sentences; null: nobody wants to know.
Result<graph::KeptText> keepText(onnx::GraphProto& graph, const TextRoom& room,
                                 std::vector<std::string>* notes);

}  // namespace vta::compiler
