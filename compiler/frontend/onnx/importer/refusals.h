// What of a model cannot be imported, as one message for all of it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// "Conv", or "com.microsoft.FusedConv" outside of ONNX's default domain.
std::string operatorName(const onnx::NodeProto& node);

/// Refused nodes, grouped by operator and reason.
class Refusals {
 public:
  /// Adds a node whose operator is not supported, or not in this opset.
  void addOperator(const onnx::NodeProto& node, int64_t opset);
  /// Adds a node whose operator is supported, but not as it is used here.
  void addUse(const onnx::NodeProto& node, const std::string& reason);

  size_t count() const { return count_; }
  /// OK if nothing was refused.
  Status status() const;

 private:
  using Nodes = std::vector<std::string>;                       // labels
  std::map<std::pair<std::string, int64_t>, Nodes> operators_;  // by name and opset
  std::map<std::pair<std::string, std::string>, Nodes> uses_;   // by name and reason
  size_t count_ = 0;
};

}  // namespace vta::compiler
