// Extents of inputs that the constants of a graph settle.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "onnx/onnx_pb.h"

namespace vta::compiler {

struct NeededExtent {
  int64_t extent = 0;
  std::string node;  // that needs it, as messages name it
};

/// By dimension: what the nodes that read input `name` of `rank` dimensions need it to be, because
/// they multiply or add constants of a shape. Looks through what keeps elements apart, such as
/// Transpose and Cast; what leads no further says nothing.
std::map<int, NeededExtent> neededExtents(const onnx::GraphProto& graph, const std::string& name,
                                          int rank);

}  // namespace vta::compiler
