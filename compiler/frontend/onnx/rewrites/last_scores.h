// Language models that score the last word of a run alone.
#pragma once

#include <string>

#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// Rewrites a model that keeps a text, so that its first output has the scores behind the last word
/// of a run alone: what goes into its last product with weights becomes that word's row. Which word
/// that is follows from `words`, an input of numbers [1, words]: those that only fill the run up
/// are negative. False, and nothing changes: the input is none of numbers, the output has not three
/// dimensions, or its product is not found.
bool scoreLastWord(onnx::GraphProto& graph, const std::string& words);

}  // namespace vta::compiler
