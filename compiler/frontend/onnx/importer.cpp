#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>

#include "compiler/dialects/graph/graph.h"
#include "compiler/frontend/onnx/import.h"
#include "compiler/frontend/onnx/model_file.h"
#include "compiler/frontend/onnx/model_graph.h"
#include "compiler/frontend/onnx/node.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/ports.h"
#include "compiler/frontend/onnx/tensor_proto.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace vta::compiler {
namespace {

using mlir::RankedTensorType;
using mlir::Value;

class Importer {
 public:
  Importer(const ModelFile& file, const DimensionMap& dimensions, mlir::MLIRContext& context)
      : file_(file), graph_(file.proto.graph()), dimensions_(dimensions), builder_(&context) {}

  Result<mlir::OwningOpRef<mlir::ModuleOp>> run();

 private:
  Status createFunction(mlir::ModuleOp module);
  Status checkOperators(const std::vector<const onnx::NodeProto*>& nodes) const;
  Status importNodes(const std::vector<const onnx::NodeProto*>& nodes);
  Status importNode(const onnx::NodeProto& proto);
  Status defineInputs(const onnx::NodeProto& proto);
  Status defineInitializer(const std::string& name);
  Status defineOutputs(const onnx::NodeProto& proto, const std::vector<Value>& outputs);
  Status checkDeclaredType(const std::string& name, Value value) const;
  Status createReturn();
  void eraseDeadOps();

  const ModelFile& file_;
  const onnx::GraphProto& graph_;
  const DimensionMap& dimensions_;
  mlir::OpBuilder builder_;
  mlir::func::FuncOp function_;
  ValueMap values_;
  llvm::StringMap<const onnx::TensorProto*> initializers_;
  llvm::StringMap<const onnx::ValueInfoProto*> declared_;  // values with a declared type
  // Values without a form: of nodes that were refused and of all that need them; optional outputs.
  std::set<std::string> refused_values_, optional_values_;
};

Status Importer::createFunction(mlir::ModuleOp module) {
  VTA_ASSIGN_OR_RETURN(std::vector<InputPort> inputs, resolveInputs(graph_, dimensions_));
  std::vector<mlir::Type> types;
  for (const InputPort& input : inputs) {
    auto element_type = elementType(input.onnx_type, *builder_.getContext());
    if (!element_type.ok()) {
      return element_type.status().withContext(fmt::format("input '{}'", input.name));
    }
    types.push_back(RankedTensorType::get(input.shape, *element_type));
  }
  builder_.setInsertionPointToEnd(module.getBody());
  function_ = builder_.create<mlir::func::FuncOp>(module.getLoc(), "main",
                                                  builder_.getFunctionType(types, {}));
  builder_.setInsertionPointToStart(function_.addEntryBlock());
  for (size_t i = 0; i < inputs.size(); ++i) {
    function_.setArgAttr(i, "graph.name", builder_.getStringAttr(inputs[i].name));
    values_[inputs[i].name] = function_.getArgument(i);
  }
  return {};
}

Status Importer::checkOperators(const std::vector<const onnx::NodeProto*>& nodes) const {
  std::vector<std::string> unknown;
  for (const onnx::NodeProto* node : nodes) {
    bool is_default = node->domain().empty() || node->domain() == "ai.onnx";
    if (findOp(node->domain(), node->op_type(), file_.opset)) continue;
    unknown.push_back(is_default
                          ? nodeLabel(*node)
                          : fmt::format("{} of domain {}", nodeLabel(*node), node->domain()));
  }
  if (unknown.empty()) return {};
  return unsupported(fmt::format("{} node(s) with an unsupported operator (opset {}): {}",
                                 unknown.size(), file_.opset, fmt::join(unknown, "; ")));
}

Status Importer::defineInitializer(const std::string& name) {
  const onnx::TensorProto* tensor = initializers_.lookup(name);
  if (!tensor) return {};
  auto attribute = toAttribute(*tensor, file_.path.parent_path(), *builder_.getContext());
  if (!attribute.ok()) {
    return attribute.status().withContext(fmt::format("initializer '{}'", name));
  }
  auto name_attribute = builder_.getStringAttr(name);
  graph::GraphBuilder build(builder_, mlir::NameLoc::get(name_attribute), graph::Folding::kNone);
  values_[name] = build.constant(*attribute);
  return {};
}

Status Importer::defineInputs(const onnx::NodeProto& proto) {
  for (const std::string& name : proto.input()) {
    if (!name.empty() && !values_.contains(name)) VTA_RETURN_IF_ERROR(defineInitializer(name));
  }
  return {};
}

Status Importer::checkDeclaredType(const std::string& name, Value value) const {
  const onnx::ValueInfoProto* declared = declared_.lookup(name);
  if (!declared || !declared->type().has_tensor_type()) return {};
  const auto& type = declared->type().tensor_type();
  auto found = graph::shapeOf(value);
  bool fits = true;
  if (type.has_shape()) {
    fits = type.shape().dim_size() == std::ssize(found);
    for (size_t i = 0; fits && i < found.size(); ++i) {
      int64_t extent = fixedExtent(type.shape().dim(static_cast<int>(i)), dimensions_);
      fits = extent < 0 || extent == found[i];
    }
  }
  if (!fits) {
    return invalidArgument(fmt::format("'{}' is declared as {}, but its shape comes out as {}",
                                       name, declaredShapeText(type.shape()),
                                       graph::shapeText(found)));
  }
  if (type.elem_type() == onnx::TensorProto::UNDEFINED) return {};
  VTA_ASSIGN_OR_RETURN(mlir::Type element_type,
                       elementType(type.elem_type(), *builder_.getContext()));
  if (element_type == graph::elementTypeOf(value)) return {};
  auto onnx_type = static_cast<onnx::TensorProto::DataType>(type.elem_type());
  return invalidArgument(fmt::format("'{}' is declared as {}, but its elements come out otherwise",
                                     name, onnx::TensorProto::DataType_Name(onnx_type)));
}

Status Importer::defineOutputs(const onnx::NodeProto& proto, const std::vector<Value>& outputs) {
  for (int i = 0; i < proto.output_size(); ++i) {
    const std::string& name = proto.output(i);
    if (name.empty()) continue;
    if (static_cast<size_t>(i) >= outputs.size() || !outputs[i]) {
      // Only an error if something reads it.
      optional_values_.insert(name);
      continue;
    }
    VTA_RETURN_IF_ERROR(checkDeclaredType(name, outputs[i]));
    values_[name] = outputs[i];
  }
  return {};
}

Status Importer::importNode(const onnx::NodeProto& proto) {
  VTA_RETURN_IF_ERROR(defineInputs(proto));
  const std::string& name = proto.name().empty() ? proto.output(0) : proto.name();
  graph::GraphBuilder build(builder_, mlir::NameLoc::get(builder_.getStringAttr(name)),
                            graph::Folding::kSmall);
  Node node(proto, file_.opset, values_, build);
  Status status = findOp(proto.domain(), proto.op_type(), file_.opset)->import(node);
  VTA_RETURN_IF_ERROR(node.attributeStatus());
  VTA_RETURN_IF_ERROR(status);
  return defineOutputs(proto, node.outputs());
}

/// The first input of `node` that is among `values`.
std::optional<std::string> inputAmong(const onnx::NodeProto& node,
                                      const std::set<std::string>& values) {
  for (const std::string& input : node.input()) {
    if (values.contains(input)) return input;
  }
  return std::nullopt;
}

Status Importer::importNodes(const std::vector<const onnx::NodeProto*>& nodes) {
  std::vector<std::string> refused;
  for (const onnx::NodeProto* node : nodes) {
    Status status;
    // Of a chain of nodes that cannot be imported, only the first is named.
    bool is_behind = inputAmong(*node, refused_values_).has_value();
    if (auto optional = inputAmong(*node, optional_values_)) {
      status = unsupported(
          fmt::format("its input '{}' is an optional output that is not supported", *optional));
    } else if (!is_behind) {
      status = importNode(*node);
    }
    if (is_behind || status.code() == StatusCode::kUnsupported) {
      refused_values_.insert(node->output().begin(), node->output().end());
    }
    if (status.code() == StatusCode::kUnsupported) {
      refused.push_back(status.withContext(nodeLabel(*node)).message());
    } else if (!status.ok()) {
      return status.withContext(nodeLabel(*node));
    }
  }
  if (refused.empty()) return {};
  return unsupported(
      fmt::format("{} unsupported node(s): {}", refused.size(), fmt::join(refused, "; ")));
}

Status Importer::createReturn() {
  std::vector<Value> results;
  std::vector<mlir::Type> types;
  for (const onnx::ValueInfoProto& output : graph_.output()) {
    if (!values_.contains(output.name())) VTA_RETURN_IF_ERROR(defineInitializer(output.name()));
    Value value = values_.lookup(output.name());
    if (!value) {
      return unsupported(
          fmt::format("the model's output '{}' is an optional output that is not "
                      "supported",
                      output.name()));
    }
    VTA_RETURN_IF_ERROR(checkDeclaredType(output.name(), value));
    results.push_back(value);
    types.push_back(value.getType());
  }
  builder_.create<mlir::func::ReturnOp>(function_.getLoc(), results);
  function_.setType(builder_.getFunctionType(function_.getFunctionType().getInputs(), types));
  for (int i = 0; i < graph_.output_size(); ++i) {
    function_.setResultAttr(i, "graph.name", builder_.getStringAttr(graph_.output(i).name()));
  }
  return {};
}

void Importer::eraseDeadOps() {
  for (mlir::Operation& op :
       llvm::make_early_inc_range(llvm::reverse(function_.front().getOperations()))) {
    if (mlir::isOpTriviallyDead(&op)) op.erase();
  }
}

Result<mlir::OwningOpRef<mlir::ModuleOp>> Importer::run() {
  VTA_ASSIGN_OR_RETURN(std::vector<const onnx::NodeProto*> nodes, sortNodes(graph_));
  VTA_RETURN_IF_ERROR(checkOperators(nodes));
  if (graph_.sparse_initializer_size() > 0) {
    return unsupported(fmt::format("sparse initializer '{}' is not supported; store it densely",
                                   graph_.sparse_initializer(0).values().name()));
  }
  for (const auto& tensor : graph_.initializer()) initializers_[tensor.name()] = &tensor;
  for (const auto& value : graph_.value_info()) declared_[value.name()] = &value;
  for (const auto& output : graph_.output()) declared_[output.name()] = &output;

  auto file_name = builder_.getStringAttr(file_.path.filename().string());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::NameLoc::get(file_name));
  VTA_RETURN_IF_ERROR(createFunction(*module));
  VTA_RETURN_IF_ERROR(importNodes(nodes));
  VTA_RETURN_IF_ERROR(createReturn());
  eraseDeadOps();
  return module;
}

Result<mlir::OwningOpRef<mlir::ModuleOp>> importFile(const Result<ModelFile>& file,
                                                     const std::filesystem::path& path,
                                                     const DimensionMap& dimensions,
                                                     mlir::MLIRContext& context) {
  context.loadDialect<graph::GraphDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  if (!file.ok()) return file.status().withContext(path.string());
  auto module = Importer(*file, dimensions, context).run();
  if (!module.ok()) return module.status().withContext(path.string());
  return module;
}

}  // namespace

Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnx(const std::filesystem::path& path,
                                                     const DimensionMap& dimensions,
                                                     mlir::MLIRContext& context) {
  return importFile(readModelFile(path), path, dimensions, context);
}

Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnxBytes(std::string_view bytes,
                                                          const std::filesystem::path& path,
                                                          const DimensionMap& dimensions,
                                                          mlir::MLIRContext& context) {
  return importFile(parseModelFile(bytes, path), path, dimensions, context);
}

}  // namespace vta::compiler
