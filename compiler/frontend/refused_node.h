// A node that the compiler does not take.
#pragma once

#include <cstdint>
#include <string>

namespace vta::compiler {

struct RefusedNode {
  int64_t index = 0;          // among the nodes of the model's graph, in the order of the file
  std::string name;           // of the node; may be empty
  std::string operator_name;  // "Conv", or "com.microsoft.FusedConv" outside of ONNX's domain
  std::string reason;         // one sentence
};

}  // namespace vta::compiler
