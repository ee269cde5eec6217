// One ONNX node during import: access to its inputs and attributes, and the place for its outputs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "llvm/ADT/StringMap.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

/// The values of the graph that is being imported, by ONNX name.
using ValueMap = llvm::StringMap<mlir::Value>;

class Node {
 public:
  /// All arguments outlive the node. The node's inputs are in `values` already.
  Node(const onnx::NodeProto& proto, int64_t opset, const ValueMap& values,
       graph::GraphBuilder& builder)
      : proto_(proto), opset_(opset), values_(values), builder_(builder) {}

  const std::string& opType() const { return proto_.op_type(); }
  int64_t opset() const { return opset_; }
  graph::GraphBuilder& build() { return builder_; }
  mlir::OpBuilder& ir() { return builder_.builder(); }

  // Inputs. Optional ones may be absent at the end or empty in the middle.
  size_t inputCount() const { return proto_.input_size(); }
  bool hasInput(size_t index) const;
  /// Null if absent.
  mlir::Value optionalInput(size_t index) const;
  /// An error if absent; `name` is ONNX's name of the input.
  Result<mlir::Value> input(size_t index, std::string_view name) const;
  /// All inputs, at least one, none absent.
  Result<std::vector<mlir::Value>> allInputs() const;

  // Inputs that have to be constant after folding; otherwise `unsupported`.
  Result<mlir::DenseElementsAttr> constant(size_t index, std::string_view name) const;
  Result<graph::Shape> integers(size_t index, std::string_view name) const;
  Result<std::vector<double>> numbers(size_t index, std::string_view name) const;

  // Attributes. One of another type than asked for counts as absent, and makes the import fail.
  bool hasAttribute(std::string_view name) const { return find(name) != nullptr; }
  int64_t integer(std::string_view name, int64_t otherwise);
  double number(std::string_view name, double otherwise);
  std::string text(std::string_view name, std::string_view otherwise);
  std::optional<graph::Shape> integerList(std::string_view name);
  std::optional<std::vector<double>> numberList(std::string_view name);
  const onnx::TensorProto* tensor(std::string_view name);
  /// The complaint about an attribute's type, if there was one.
  const Status& attributeStatus() const { return attribute_status_; }

  // Outputs.
  bool isOutputUsed(size_t index) const;
  void setOutput(size_t index, mlir::Value value);
  /// Stores `value` as output 0, or returns its error.
  Status finish(Result<mlir::Value> value);
  const std::vector<mlir::Value>& outputs() const { return outputs_; }

 private:
  const onnx::AttributeProto* find(std::string_view name) const;
  const onnx::AttributeProto* find(std::string_view name, onnx::AttributeProto::AttributeType type);

  const onnx::NodeProto& proto_;
  int64_t opset_;
  const ValueMap& values_;
  graph::GraphBuilder& builder_;
  std::vector<mlir::Value> outputs_;
  Status attribute_status_;
};

/// `axis` counted from the front, for tensors of `rank` dimensions; an error if out of range.
Result<int64_t> normalizeAxis(int64_t axis, int64_t rank);
/// The same for a list, sorted; an error for duplicates.
Result<graph::Shape> normalizeAxes(graph::Shape axes, int64_t rank);

}  // namespace vta::compiler
