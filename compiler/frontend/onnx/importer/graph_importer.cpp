#include "compiler/frontend/onnx/importer/graph_importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/common/current_node.h"
#include "compiler/common/kernel_node.h"
#include "compiler/frontend/onnx/domains.h"
#include "compiler/frontend/onnx/importer/function_body.h"
#include "compiler/frontend/onnx/importer/ports.h"
#include "compiler/frontend/onnx/operators/own_operator.h"
#include "compiler/frontend/onnx/rewrites/node_order.h"
#include "compiler/frontend/onnx/rows/row_rules.h"
#include "compiler/frontend/onnx/sparse_tensor.h"
#include "compiler/frontend/onnx/tensor_proto.h"
#include "module/operators/operator_libraries.h"

namespace vta::compiler {

using mlir::Value;

namespace {

/// More would not compile in a reasonable time, and a loop without end is a mistake.
constexpr int64_t kMostNodes = 200'000;
constexpr int kMostNestedGraphs = 64;

llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

GraphImporter::GraphImporter(ImportState& state, const onnx::GraphProto& graph, int64_t opset,
                             GraphImporter* outer, std::string prefix)
    : state_(state),
      graph_(graph),
      opset_(opset),
      outer_(outer),
      prefix_(std::move(prefix)),
      depth_(static_cast<int>(std::ranges::count(prefix_, '/'))) {
  for (const auto& tensor : graph.initializer()) initializers_[tensor.name()] = &tensor;
  // What inner graphs declare is often stale: exporters copy it from another iteration or branch.
  if (!prefix_.empty()) return;
  for (const auto& value : graph.value_info()) declared_[value.name()] = &value;
  for (const auto& output : graph.output()) declared_[output.name()] = &output;
}

Value GraphImporter::find(llvm::StringRef name) const {
  auto found = values_.find(name);
  if (found != values_.end()) return found->second;
  return outer_ ? outer_->find(name) : Value();
}

const Sequence* GraphImporter::findSequence(llvm::StringRef name) const {
  const auto found = sequences_.find(name);
  if (found != sequences_.end()) return &found->second;
  return outer_ && !values_.contains(name) ? outer_->findSequence(name) : nullptr;
}

Result<mlir::Type> GraphImporter::computedType(int32_t onnx_type) const {
  return compiler::computedType(onnx_type, state_.keeps_double, *state_.builder.getContext());
}

const RowCount* GraphImporter::rowCount(Value value) const {
  const auto found = state_.row_counts.find(value);
  return found == state_.row_counts.end() ? nullptr : &found->second;
}

void GraphImporter::setRowCount(Value value, const RowCount& rows) {
  state_.row_counts[value] = rows;
  const int64_t extent = graph::shapeOf(value)[rows.axis];
  const auto [most, is_new] = state_.most.try_emplace(rows.count, extent);
  if (!is_new) most->second = std::min(most->second, extent);
}

std::vector<Range> GraphImporter::rangesOf(Value value) const {
  return elementRanges(value, state_.most);
}

mlir::Block& GraphImporter::newBlock() {
  return state_.regions.emplace_back(std::make_unique<mlir::Region>())->emplaceBlock();
}

void GraphImporter::note(const std::string& text) {
  if (state_.notes == nullptr || std::ranges::count(*state_.notes, text) > 0) return;
  state_.notes->push_back(text);
}

bool GraphImporter::defines(std::string_view name) const {
  if (values_.contains(ref(name)) || initializers_.contains(ref(name)) || isRefused(name)) {
    return true;
  }
  if (sequences_.contains(ref(name))) return true;
  return optional_.contains(name) || (outer_ && outer_->defines(name));
}

bool GraphImporter::isRefused(std::string_view name) const {
  if (refused_.contains(name)) return true;
  return !values_.contains(ref(name)) && outer_ && outer_->isRefused(name);
}

Status GraphImporter::defineInitializer(const onnx::TensorProto& tensor) {
  auto attribute =
      toAttribute(tensor, state_.file.path.parent_path(), *state_.builder.getContext());
  if (!attribute.ok()) {
    return attribute.status().withContext(fmt::format("initializer '{}'", tensor.name()));
  }
  // A graph inside of an op may be the first to read it, but others will, too.
  const mlir::OpBuilder::InsertionGuard guard(state_.builder);
  if (home_ != nullptr && state_.builder.getInsertionBlock() != home_) {
    state_.builder.setInsertionPointToEnd(home_);
  }
  auto location = mlir::NameLoc::get(state_.builder.getStringAttr(prefix_ + tensor.name()));
  graph::GraphBuilder build(state_.builder, location, graph::Folding::kNone);
  mlir::Type type = attribute->getElementType();
  if (!isFourBit(tensor)) {
    VTA_ASSIGN_OR_RETURN(type, computedType(tensor.data_type()));
  }
  values_[tensor.name()] = build.constant(withElements(*attribute, type));
  return {};
}

/// Makes the value of an initializer, here or further out, if `name` has none yet.
Status GraphImporter::defineName(std::string_view name) {
  if (name.empty() || values_.contains(ref(name))) return {};
  if (const onnx::TensorProto* tensor = initializers_.lookup(ref(name))) {
    return defineInitializer(*tensor);
  }
  return outer_ ? outer_->defineName(name) : Status();
}

Status GraphImporter::checkDeclaredType(const std::string& name, Value value) const {
  const onnx::ValueInfoProto* declared = declared_.lookup(name);
  if (!declared || !declared->type().has_tensor_type()) return {};
  const auto& type = declared->type().tensor_type();
  auto found = graph::shapeOf(value);
  bool fits = true;
  if (type.has_shape()) {
    fits = type.shape().dim_size() == std::ssize(found);
    for (size_t i = 0; fits && i < found.size(); ++i) {
      // Symbols are not looked at: exporters give unrelated dimensions one name.
      int64_t extent = fixedExtent(type.shape().dim(static_cast<int>(i)));
      const RowCount* rows = rowCount(value);
      const bool is_counted = rows != nullptr && rows->axis == static_cast<int64_t>(i);
      fits = extent < 0 || extent == found[i] || (is_counted && extent < found[i]);
    }
  }
  if (!fits) {
    return invalidArgument(fmt::format("'{}' is declared as {}, but its shape comes out as {}",
                                       name, declaredShapeText(type.shape()),
                                       graph::shapeText(found)));
  }
  if (type.elem_type() == onnx::TensorProto::UNDEFINED) return {};
  VTA_ASSIGN_OR_RETURN(mlir::Type element_type, computedType(type.elem_type()));
  if (element_type == graph::elementTypeOf(value)) return {};
  auto onnx_type = static_cast<onnx::TensorProto::DataType>(type.elem_type());
  return invalidArgument(fmt::format("'{}' is declared as {}, but its elements come out otherwise",
                                     name, onnx::TensorProto::DataType_Name(onnx_type)));
}

Status GraphImporter::defineOutputs(const onnx::NodeProto& proto,
                                    const std::vector<Value>& outputs) {
  for (int i = 0; i < proto.output_size(); ++i) {
    const std::string& name = proto.output(i);
    if (name.empty()) continue;
    if (static_cast<size_t>(i) >= outputs.size() || !outputs[i]) {
      // Only an error if something reads it.
      optional_.insert(name);
      continue;
    }
    VTA_RETURN_IF_ERROR(checkDeclaredType(name, outputs[i]));
    values_[name] = outputs[i];
  }
  return {};
}

void GraphImporter::defineSequences(const onnx::NodeProto& proto,
                                    const std::map<size_t, Sequence>& sequences) {
  for (const auto& [index, elements] : sequences) {
    if (index >= static_cast<size_t>(proto.output_size())) continue;
    const std::string& name = proto.output(static_cast<int>(index));
    optional_.erase(name);
    sequences_[name] = elements;
  }
}

Status GraphImporter::importOperator(const onnx::NodeProto& proto,
                                     llvm::function_ref<Status(Node&)> import) {
  graph::GraphBuilder build(state_.builder,
                            mlir::NameLoc::get(state_.builder.getStringAttr(node_name_)),
                            graph::Folding::kSmall);
  Node node(proto, opset_, *this, build);
  VTA_ASSIGN_OR_RETURN(const std::optional<RowCount> rows, rowsOfOutputs(node));
  Status status = import(node);
  VTA_RETURN_IF_ERROR(node.attributeStatus());
  VTA_RETURN_IF_ERROR(status);
  VTA_RETURN_IF_ERROR(node.sequenceStatus());
  for (const Value output : node.outputs()) {
    if (output && rows) setRowCount(output, *rows);
  }
  VTA_RETURN_IF_ERROR(defineOutputs(proto, node.outputs()));
  defineSequences(proto, node.sequences());
  return {};
}

Status GraphImporter::importCall(const onnx::NodeProto& proto,
                                 const onnx::FunctionProto& function) {
  const onnx::GraphProto body = functionBody(function, proto);
  VTA_ASSIGN_OR_RETURN(const int64_t opset, opsetOf(function.opset_import(), opset_));
  if (proto.domain() == kKernels) {
    VTA_ASSIGN_OR_RETURN(const bool is_done, importKernel(proto, body, opset));
    if (is_done) return {};
  }
  GraphImporter inner(state_, body, opset, nullptr, node_name_ + "/");
  for (int i = 0; i < proto.input_size() && i < body.input_size(); ++i) {
    const std::string& name = proto.input(i);
    const Sequence* elements = name.empty() ? nullptr : findSequence(name);
    if (elements != nullptr) inner.sequences_[body.input(i).name()] = *elements;
    if (elements == nullptr && !name.empty()) inner.define(body.input(i).name(), find(name));
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<Value> outputs, importInner(inner, body));
  return defineOutputs(proto, outputs);
}

/// @main if nodes become its own ops, and not those of a graph inside.
mlir::func::FuncOp GraphImporter::functionAround() const {
  auto function =
      mlir::dyn_cast_or_null<mlir::func::FuncOp>(state_.builder.getInsertionBlock()->getParentOp());
  return function && function.isPublic() ? function : mlir::func::FuncOp();
}

/// What a call reads, if that is tensors of one size alone.
std::optional<std::vector<Value>> GraphImporter::plainInputs(const onnx::NodeProto& proto,
                                                             const onnx::GraphProto& body) const {
  std::vector<Value> inputs;
  if (proto.input_size() != body.input_size()) return std::nullopt;
  for (const std::string& name : proto.input()) {
    const Value value = name.empty() || findSequence(name) != nullptr ? Value() : find(name);
    if (!value || rowCount(value) != nullptr) return std::nullopt;
    inputs.push_back(value);
  }
  return inputs;
}

/// Imports a node of the user's kernels as a call of a function of the module, so that a kernel can
/// take its place. False where that is not possible.
Result<bool> GraphImporter::importKernel(const onnx::NodeProto& proto, const onnx::GraphProto& body,
                                         int64_t opset) {
  mlir::func::FuncOp around = functionAround();
  const std::optional<std::vector<Value>> inputs = plainInputs(proto, body);
  if (!around || !inputs) return false;
  mlir::OpBuilder& builder = state_.builder;
  const auto location = mlir::NameLoc::get(builder.getStringAttr(node_name_));
  const mlir::TypeRange types{mlir::ValueRange(*inputs)};
  std::vector<Value> outputs;
  mlir::func::FuncOp function;
  {
    const mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block* const module = around->getBlock();
    builder.setInsertionPointToEnd(module);
    function = builder.create<mlir::func::FuncOp>(
        location, fmt::format("kernel_{}", module->getOperations().size()),
        builder.getFunctionType(types, {}));
    function.setPrivate();
    function->setAttr(kKernelNodeAttr, builder.getStringAttr(proto.op_type()));
    builder.setInsertionPointToStart(function.addEntryBlock());
    GraphImporter inner(state_, body, opset, nullptr, node_name_ + "/");
    for (const auto& [input, argument] : llvm::zip_equal(body.input(), function.getArguments())) {
      inner.define(input.name(), argument);
    }
    auto imported = importInner(inner, body);
    if (imported.ok()) outputs = *std::move(imported);
    builder.create<mlir::func::ReturnOp>(location, outputs);
    const mlir::TypeRange results{mlir::ValueRange(outputs)};
    function.setFunctionType(builder.getFunctionType(types, results));
    if (!imported.ok()) return imported.status();
  }
  // The function stays, unused: what is known of its values is kept by their addresses.
  if (std::ranges::any_of(outputs, [this](Value output) { return rowCount(output) != nullptr; })) {
    return false;
  }
  auto call = builder.create<mlir::func::CallOp>(location, function, *inputs);
  const mlir::ResultRange results = call.getResults();
  VTA_RETURN_IF_ERROR(defineOutputs(proto, {results.begin(), results.end()}));
  return true;
}

Result<std::vector<Value>> GraphImporter::importInner(GraphImporter& inner,
                                                      const onnx::GraphProto& graph) {
  if (inner.depth_ > kMostNestedGraphs) {
    return invalidArgument(fmt::format(
        "graphs are nested more than {} deep; does a function call itself?", kMostNestedGraphs));
  }
  const std::string name = node_name_;
  const int64_t inner_graphs = inner_graphs_;
  VTA_RETURN_IF_ERROR(inner.importNodes());
  node_name_ = name;
  inner_graphs_ = inner_graphs;
  std::vector<Value> outputs;
  for (const auto& output : graph.output()) {
    VTA_ASSIGN_OR_RETURN(Value value, inner.output(output.name()));
    if (!value) return unsupported("a node inside of it is not supported");
    outputs.push_back(value);
  }
  return outputs;
}

Result<std::vector<Value>> GraphImporter::importSubgraph(const onnx::GraphProto& graph,
                                                         llvm::ArrayRef<Value> inputs) {
  const std::string number = inner_graphs_++ > 0 ? fmt::format("#{}", inner_graphs_) : "";
  GraphImporter inner(state_, graph, opset_, this, fmt::format("{}{}/", node_name_, number));
  if (static_cast<size_t>(graph.input_size()) != inputs.size()) {
    return invalidArgument(fmt::format("its graph '{}' has {} inputs, expected {}", graph.name(),
                                       graph.input_size(), inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    inner.define(graph.input(static_cast<int>(i)).name(), inputs[i]);
  }
  return importInner(inner, graph);
}

const onnx::TensorProto* GraphImporter::findInitializer(std::string_view name) const {
  if (values_.contains(ref(name)) && !initializers_.contains(ref(name))) return nullptr;
  if (const onnx::TensorProto* tensor = initializers_.lookup(ref(name))) return tensor;
  return outer_ ? outer_->findInitializer(name) : nullptr;
}

/// Whether all that the node reads has a value, and one that it may read.
Status GraphImporter::checkReads(const onnx::NodeProto& proto) const {
  for (const std::string& input : proto.input()) {
    const onnx::TensorProto* initializer = findInitializer(input);
    if (initializer && isFourBit(*initializer) && proto.op_type() != "DequantizeLinear") {
      return unsupported(fmt::format(
          "its input '{}' has elements of 4 bits, which only DequantizeLinear may read", input));
    }
    if (!optional_.contains(input)) continue;
    return unsupported(
        fmt::format("its input '{}' is an optional output that is not supported", input));
  }
  return {};
}

Status GraphImporter::importNode(const onnx::NodeProto& proto) {
  if (++state_.node_count > kMostNodes) {
    return unsupported(
        fmt::format("the model has more than {} nodes with its loops unrolled", kMostNodes));
  }
  const std::string label = nodeLabel(proto);
  const WorkingOn working_on(label);
  VTA_RETURN_IF_ERROR(checkReads(proto));
  for (std::string_view name : namesRead(proto)) VTA_RETURN_IF_ERROR(defineName(name));
  node_name_ = prefix_ + (!proto.name().empty()     ? proto.name()
                          : proto.output_size() > 0 ? proto.output(0)
                                                    : proto.op_type());
  inner_graphs_ = 0;
  // What the user brings comes first.
  if (const vta_operator* own = findOwnOperator(proto.domain(), proto.op_type())) {
    return importOperator(proto, [&](Node& node) { return importOwnOperator(node, proto, *own); });
  }
  if (const onnx::FunctionProto* function = findFunction(state_.file.proto, proto)) {
    return importCall(proto, *function);
  }
  return importOperator(proto, findOp(proto.domain(), proto.op_type(), opset_)->import);
}

/// The version that the model imports of a domain; of the default one, this graph's.
int64_t GraphImporter::opsetOfDomain(const std::string& domain) const {
  if (domain.empty() || domain == "ai.onnx") return opset_;
  for (const auto& import : state_.file.proto.opset_import()) {
    if (import.domain() == domain) return import.version();
  }
  return 1;
}

bool GraphImporter::isKnown(const onnx::NodeProto& proto) const {
  return findOwnOperator(proto.domain(), proto.op_type()) != nullptr ||
         findFunction(state_.file.proto, proto) != nullptr ||
         findOp(proto.domain(), proto.op_type(), opset_) != nullptr;
}

/// Imports a node that may read anything.
Status GraphImporter::tryNode(const onnx::NodeProto& proto) {
  for (const std::string_view name : namesRead(proto)) {
    if (!isRefused(name)) continue;
    return unsupported(fmt::format("it reads '{}', whose type or shape is not fixed", name));
  }
  if (isKnown(proto)) return importNode(proto);
  return unsupported(
      fmt::format("the operator is not supported in opset {}", opsetOfDomain(proto.domain())));
}

Status GraphImporter::importOrRefuse(const onnx::NodeProto& proto) {
  if (state_.refuse && outer_ == nullptr && prefix_.empty()) {
    const Status status = tryNode(proto);
    if (!status.ok()) state_.refuse(proto, status);
    return {};
  }
  const auto names = namesRead(proto);
  // Of a chain of nodes that cannot be imported, only the first is named.
  bool refused = std::ranges::any_of(names, [&](auto name) { return isRefused(name); });
  if (!isKnown(proto)) {
    state_.refusals.addOperator(proto, opsetOfDomain(proto.domain()));
    refused = true;
  }
  if (!refused) {
    const size_t before = state_.refusals.count();
    const Status status = importNode(proto);
    refused = status.code() == StatusCode::kUnsupported;
    if (!refused && !status.ok()) return status.withContext(nodeLabel(proto));
    // A node inside of it says more.
    if (refused && state_.refusals.count() == before) {
      state_.refusals.addUse(proto, status.message());
    }
  }
  if (refused) refused_.insert(proto.output().begin(), proto.output().end());
  return {};
}

Status GraphImporter::importNodes() {
  home_ = state_.builder.getInsertionBlock();
  const auto is_outer = [this](std::string_view name) { return outer_ && outer_->defines(name); };
  VTA_ASSIGN_OR_RETURN(const std::vector<const onnx::NodeProto*> nodes,
                       sortNodes(graph_, is_outer));
  for (const onnx::SparseTensorProto& sparse : graph_.sparse_initializer()) {
    auto tensor = denseTensor(sparse, state_.file.path.parent_path());
    if (!tensor.ok()) {
      return tensor.status().withContext(
          fmt::format("sparse initializer '{}'", sparse.values().name()));
    }
    initializers_[sparse.values().name()] = &dense_.emplace_back(std::move(*tensor));
  }
  for (const onnx::NodeProto* node : nodes) VTA_RETURN_IF_ERROR(importOrRefuse(*node));
  return {};
}

Result<Value> GraphImporter::output(const std::string& name) {
  if (isRefused(name)) return Value();
  VTA_RETURN_IF_ERROR(defineName(name));
  if (Value value = find(name)) {
    VTA_RETURN_IF_ERROR(checkDeclaredType(name, value));
    return value;
  }
  if (findSequence(name) != nullptr) {
    return unsupported(
        fmt::format("output '{}' is a sequence; make its elements outputs with SequenceAt, or "
                    "one tensor of them with ConcatFromSequence",
                    name));
  }
  return unsupported(
      fmt::format("the model's output '{}' is an optional output that is not supported; leave it "
                  "out of the model's outputs",
                  name));
}

}  // namespace vta::compiler
