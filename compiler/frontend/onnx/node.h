// One ONNX node during import: access to its inputs and attributes, and the place for its outputs.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/frontend/onnx/node_scope.h"
#include "onnx/onnx_pb.h"

namespace vta::compiler {

class Node {
 public:
  /// All arguments outlive the node.
  Node(const onnx::NodeProto& proto, int64_t opset, NodeScope& scope, graph::GraphBuilder& builder)
      : proto_(proto), opset_(opset), scope_(scope), builder_(builder) {}

  const std::string& opType() const { return proto_.op_type(); }
  /// What messages call it: nodeLabel in model_file.h.
  std::string label() const;
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

  /// The elements of an input that is a sequence; an error if it is absent or none.
  Result<Sequence> sequence(size_t index, std::string_view name);
  /// An error if an input is a sequence and was not read as one: optional tensors would pass it by.
  Status sequenceStatus() const;

  // Tensors of which a part is valid; see RowCount.
  const RowCount* rowCount(mlir::Value value) const { return scope_.rowCount(value); }
  void setRowCount(mlir::Value value, const RowCount& rows) { scope_.setRowCount(value, rows); }
  void setMost(mlir::Value value, int64_t most) { scope_.setMost(value, most); }
  /// Input `index` is `value` from now on.
  void replaceInput(size_t index, mlir::Value value) { replaced_[index] = value; }
  /// What is known of the elements of an input, which are integers; an error if it is absent.
  Result<std::vector<Range>> ranges(size_t index, std::string_view name) const;
  std::vector<Range> rangesOf(mlir::Value value) const { return scope_.rangesOf(value); }

  /// The error for an input that is computed; `or_else` says what else it could be.
  Status hasToBeConstant(size_t index, std::string_view name, std::string_view or_else) const;
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
  std::vector<std::string> textList(std::string_view name);
  /// The graph that is an attribute, or an error if there is none.
  Result<const onnx::GraphProto*> subgraph(std::string_view name);
  /// The complaint about an attribute's type, if there was one.
  const Status& attributeStatus() const { return attribute_status_; }

  void note(const std::string& text) { scope_.note(text); }

  /// See NodeScope.
  Result<mlir::Type> computedType(int64_t onnx_type) const {
    return scope_.computedType(static_cast<int32_t>(onnx_type));
  }
  /// The elements of a tensor that is an attribute, in the type that they are computed in.
  Result<mlir::DenseElementsAttr> elementsOf(const onnx::TensorProto& tensor);
  /// The same for an attribute of which only the elements that are not 0 are stored.
  Result<mlir::DenseElementsAttr> sparseElements(std::string_view name);

  Result<std::vector<mlir::Value>> importSubgraph(const onnx::GraphProto& graph,
                                                  llvm::ArrayRef<mlir::Value> inputs) {
    return scope_.importSubgraph(graph, inputs);
  }

  /// The same as the contents of `block`, whose arguments `inputs` may be. The outputs may be
  /// values from around it.
  Result<std::vector<mlir::Value>> importInto(mlir::Block& block, const onnx::GraphProto& graph,
                                              llvm::ArrayRef<mlir::Value> inputs);
  mlir::Block& newBlock() { return scope_.newBlock(); }

  // Outputs.
  size_t outputCount() const { return proto_.output_size(); }
  bool isOutputUsed(size_t index) const;
  void setOutput(size_t index, mlir::Value value);
  /// Stores `value` as output 0, or returns its error.
  Status finish(Result<mlir::Value> value);
  const std::vector<mlir::Value>& outputs() const { return outputs_; }
  /// Output `index` is a sequence of these elements.
  void setSequence(size_t index, Sequence elements) { sequences_[index] = std::move(elements); }
  const std::map<size_t, Sequence>& sequences() const { return sequences_; }

 private:
  bool isSequence(size_t index) const;
  Status notATensor(size_t index) const;
  const onnx::AttributeProto* find(std::string_view name) const;
  const onnx::AttributeProto* find(std::string_view name, onnx::AttributeProto::AttributeType type);

  const onnx::NodeProto& proto_;
  int64_t opset_;
  NodeScope& scope_;
  graph::GraphBuilder& builder_;
  std::vector<mlir::Value> outputs_;
  std::map<size_t, Sequence> sequences_;
  std::map<size_t, mlir::Value> replaced_;
  std::set<size_t> sequences_read_;  // by number of the input
  Status attribute_status_;
};

/// `axis` counted from the front, for tensors of `rank` dimensions; an error if out of range.
Result<int64_t> normalizeAxis(int64_t axis, int64_t rank);
/// The same for a list, sorted; an error for duplicates.
Result<graph::Shape> normalizeAxes(graph::Shape axes, int64_t rank);

}  // namespace vta::compiler
