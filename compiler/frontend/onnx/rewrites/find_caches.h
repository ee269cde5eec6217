// Which inputs and outputs of an ONNX graph are keys and values of earlier words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// How a graph makes all rows of a cache from the earlier ones.
enum class CacheKind : uint8_t {
  kConcat,     // earlier rows, then new ones
  kAttention,  // the same inside Attention of opset 23
  kGrouped,    // GroupQueryAttention: new rows follow the valid ones, wherever these end
};

struct FoundCache {
  CacheKind kind = CacheKind::kConcat;
  std::string past;     // the graph's input
  std::string present;  // its output
  std::string fresh;    // new rows alone; empty where no value of the graph is that
  int64_t axis = 2;
  onnx::NodeProto* node = nullptr;  // that reads the earlier rows
};

/// In the order of outputs. Pairs are found by their operator; names do not matter. It points into
/// `graph`. Errors: new rows in front of earlier ones.
Result<std::vector<FoundCache>> findCaches(onnx::GraphProto& graph);

/// The Softmax whose scores come from `keys`, all rows of a cache; null: there is none.
onnx::NodeProto* scoresOf(onnx::GraphProto& graph, const std::string& keys);

}  // namespace vta::compiler
