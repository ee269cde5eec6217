// What symbolic dimensions can be that neither options, nor data, nor a model's constants settle.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// A symbolic dimension without a value.
struct FreeDimension {
  std::string symbol;
  std::string input;  // the first one that has it
  int index = 0;      // of the dimension
  int rank = 0;       // of the input
};

/// Assignments of extents to all free dimensions, the most usual one first: 224 for the sides of
/// images and 128 for lengths; then other usual ones and those of the graph's own constant shapes;
/// then all small ones. Dimensions of one kind have one extent.
class UsualExtents {
 public:
  UsualExtents(const onnx::GraphProto& graph, std::vector<FreeDimension> free);

  /// By symbol; nothing when there are no more.
  std::optional<std::map<std::string, int64_t>> next();

 private:
  struct Kind {
    std::vector<int64_t> extents;      // to try
    std::vector<std::string> symbols;  // that have them
  };
  bool advance();

  std::vector<Kind> kinds_;
  std::vector<size_t> choice_;  // by kind: which of its extents is next
  size_t distance_ = 0;         // from the most usual: the sum of the choices
  bool is_first_ = true;
};

}  // namespace vta::compiler
