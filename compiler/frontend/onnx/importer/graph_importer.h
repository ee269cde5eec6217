// Imports the nodes of one graph: the model's, a subgraph's or the body of a function.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/importer/refusals.h"
#include "compiler/frontend/onnx/model_file.h"
#include "compiler/frontend/onnx/node.h"
#include "compiler/frontend/onnx/node_scope.h"
#include "compiler/frontend/onnx/op_table.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"

namespace vta::compiler {

/// What the importers of all graphs of a model share.
struct ImportState {
  const ModelFile& file;
  mlir::OpBuilder builder;
  bool keeps_double;  // see computedType
  Refusals refusals;
  int64_t node_count = 0;  // imported so far; loops are unrolled
  // By value: which part of it is valid, and of counts, what they are at most.
  llvm::DenseMap<mlir::Value, RowCount> row_counts{};
  llvm::DenseMap<mlir::Value, int64_t> most{};
  std::vector<std::unique_ptr<mlir::Region>> regions{};  // see NodeScope::newBlock
  std::vector<std::string>* notes = nullptr;             // see ImportOptions
  // Where it is set, it hears of every node of the model's graph that cannot be imported, and gives
  // the node's outputs a value or none; nothing goes to `refusals` then.
  std::function<void(const onnx::NodeProto&, const Status&)> refuse{};
};

class GraphImporter final : public NodeScope {
 public:
  /// `graph`, `state` and `outer`, the graph around this one, outlive the importer. `outer` is null
  /// for the model's graph and for functions, which see no names but their own. `prefix` goes in
  /// front of the names of nodes.
  GraphImporter(ImportState& state, const onnx::GraphProto& graph, int64_t opset,
                GraphImporter* outer, std::string prefix);

  /// Gives a name a value: an input of the graph.
  void define(llvm::StringRef name, mlir::Value value) { values_[name] = value; }

  /// Says that a name has no value: nodes that read it are not supported.
  void leaveUndefined(const std::string& name) {
    values_.erase(name);
    refused_.insert(name);
  }

  /// What the graph declares of a value; null if that is nothing.
  const onnx::ValueInfoProto* declared(llvm::StringRef name) const {
    return declared_.lookup(name);
  }

  /// Imports every node that the outputs need. Nodes that are not supported go to the state's
  /// refusals, with those that read from them left out; every other mistake is an error.
  Status importNodes();

  /// The value of an output, after importNodes; null if it needs a refused node.
  Result<mlir::Value> output(const std::string& name);

  mlir::Value find(llvm::StringRef name) const override;
  const Sequence* findSequence(llvm::StringRef name) const override;
  Result<mlir::Type> computedType(int32_t onnx_type) const override;
  const RowCount* rowCount(mlir::Value value) const override;
  void setRowCount(mlir::Value value, const RowCount& rows) override;
  std::vector<Range> rangesOf(mlir::Value value) const override;
  void setMost(mlir::Value value, int64_t most) override { state_.most[value] = most; }
  mlir::Block& newBlock() override;
  void note(const std::string& text) override;
  Result<std::vector<mlir::Value>> importSubgraph(const onnx::GraphProto& graph,
                                                  llvm::ArrayRef<mlir::Value> inputs) override;

 private:
  bool defines(std::string_view name) const;
  bool isRefused(std::string_view name) const;
  Status checkReads(const onnx::NodeProto& proto) const;
  const onnx::TensorProto* findInitializer(std::string_view name) const;
  Status importOrRefuse(const onnx::NodeProto& proto);
  bool isKnown(const onnx::NodeProto& proto) const;
  Status tryNode(const onnx::NodeProto& proto);
  Status importNode(const onnx::NodeProto& proto);
  int64_t opsetOfDomain(const std::string& domain) const;
  Status importOperator(const onnx::NodeProto& proto, llvm::function_ref<Status(Node&)> import);
  Status importCall(const onnx::NodeProto& proto, const onnx::FunctionProto& function);
  mlir::func::FuncOp functionAround() const;
  std::optional<std::vector<mlir::Value>> plainInputs(const onnx::NodeProto& proto,
                                                      const onnx::GraphProto& body) const;
  Result<bool> importKernel(const onnx::NodeProto& proto, const onnx::GraphProto& body,
                            int64_t opset);
  Status defineName(std::string_view name);
  Status defineInitializer(const onnx::TensorProto& tensor);
  Status defineOutputs(const onnx::NodeProto& proto, const std::vector<mlir::Value>& outputs);
  void defineSequences(const onnx::NodeProto& proto, const std::map<size_t, Sequence>& sequences);
  Status checkDeclaredType(const std::string& name, mlir::Value value) const;
  Result<std::vector<mlir::Value>> importInner(GraphImporter& inner, const onnx::GraphProto& graph);

  ImportState& state_;
  const onnx::GraphProto& graph_;
  int64_t opset_;
  GraphImporter* outer_;
  std::string prefix_;
  int depth_;
  mlir::Block* home_ = nullptr;  // where its ops go
  std::string node_name_;        // of the node that is being imported
  int64_t inner_graphs_ = 0;     // that this node has imported
  llvm::StringMap<mlir::Value> values_;
  llvm::StringMap<Sequence> sequences_;
  llvm::StringMap<const onnx::TensorProto*> initializers_;
  std::deque<onnx::TensorProto> dense_;  // sparse initializers with all their elements
  llvm::StringMap<const onnx::ValueInfoProto*> declared_;  // values with a declared type
  // Values without a form: of nodes that were refused and of all that need them; optional outputs.
  std::set<std::string, std::less<>> refused_, optional_;
};

}  // namespace vta::compiler
