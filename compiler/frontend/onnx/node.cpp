#include "compiler/frontend/onnx/node.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/frontend/onnx/model_file.h"
#include "compiler/frontend/onnx/sparse_tensor.h"
#include "compiler/frontend/onnx/tensor_proto.h"

namespace vta::compiler {

using onnx::AttributeProto;

std::string Node::label() const { return nodeLabel(proto_); }

bool Node::hasInput(size_t index) const {
  return index < inputCount() && !proto_.input(static_cast<int>(index)).empty();
}

mlir::Value Node::optionalInput(size_t index) const {
  if (const auto replaced = replaced_.find(index); replaced != replaced_.end()) {
    return replaced->second;
  }
  return hasInput(index) ? scope_.find(proto_.input(static_cast<int>(index))) : mlir::Value();
}

Result<mlir::Value> Node::input(size_t index, std::string_view name) const {
  mlir::Value value = optionalInput(index);
  if (!value && isSequence(index)) return notATensor(index);
  if (!value) return invalidArgument(fmt::format("input {} ('{}') is missing", index, name));
  return value;
}

Result<Sequence> Node::sequence(size_t index, std::string_view name) {
  if (!hasInput(index)) {
    return invalidArgument(fmt::format("input {} ('{}') is missing", index, name));
  }
  if (!isSequence(index)) {
    return invalidArgument(fmt::format("input {} ('{}') is a tensor, not a sequence", index, name));
  }
  sequences_read_.insert(index);
  return *scope_.findSequence(proto_.input(static_cast<int>(index)));
}

bool Node::isSequence(size_t index) const {
  return hasInput(index) && scope_.findSequence(proto_.input(static_cast<int>(index))) != nullptr;
}

Status Node::notATensor(size_t index) const {
  return unsupported(fmt::format("input {} ('{}') is a sequence, not a tensor", index,
                                 proto_.input(static_cast<int>(index))));
}

Status Node::sequenceStatus() const {
  for (size_t i = 0; i < inputCount(); ++i) {
    if (isSequence(i) && !sequences_read_.contains(i)) return notATensor(i);
  }
  return {};
}

Result<std::vector<mlir::Value>> Node::allInputs() const {
  std::vector<mlir::Value> values;
  for (size_t i = 0; i < std::max<size_t>(inputCount(), 1); ++i) {
    VTA_ASSIGN_OR_RETURN(mlir::Value value, input(i, "inputs"));
    values.push_back(value);
  }
  return values;
}

Result<mlir::DenseElementsAttr> Node::constant(size_t index, std::string_view name) const {
  VTA_ASSIGN_OR_RETURN(mlir::Value value, input(index, name));
  mlir::DenseElementsAttr attribute = graph::constantOf(value);
  if (attribute) return attribute;
  return hasToBeConstant(index, name, "");
}

Status Node::hasToBeConstant(size_t index, std::string_view name, std::string_view or_else) const {
  return unsupported(
      fmt::format("input '{}' ('{}') has to be a constant{}, but depends on the model's inputs",
                  name, proto_.input(static_cast<int>(index)), or_else));
}

Result<std::vector<Range>> Node::ranges(size_t index, std::string_view name) const {
  VTA_ASSIGN_OR_RETURN(const mlir::Value value, input(index, name));
  if (!graph::elementTypeOf(value).isIntOrIndex()) {
    return invalidArgument(fmt::format("input '{}' has to hold integers", name));
  }
  return scope_.rangesOf(value);
}

Result<graph::Shape> Node::integers(size_t index, std::string_view name) const {
  // A part of a shape may be known although another part is not.
  VTA_ASSIGN_OR_RETURN(const mlir::Value value, input(index, name));
  if (!graph::constantOf(value)) {
    const std::vector<Range> ranges = scope_.rangesOf(value);
    graph::Shape known;
    for (const Range& range : ranges) {
      if (range.isExact()) known.push_back(range.low);
    }
    if (!ranges.empty() && known.size() == ranges.size()) return known;
  }
  VTA_ASSIGN_OR_RETURN(mlir::DenseElementsAttr attribute, constant(index, name));
  if (!attribute.getElementType().isIntOrIndex()) {
    return invalidArgument(fmt::format("input '{}' has to hold integers", name));
  }
  return graph::ConstantTensor(attribute).asIntegers();
}

Result<std::vector<double>> Node::numbers(size_t index, std::string_view name) const {
  VTA_ASSIGN_OR_RETURN(mlir::DenseElementsAttr attribute, constant(index, name));
  return graph::ConstantTensor(attribute).asDoubles();
}

const AttributeProto* Node::find(std::string_view name) const {
  auto attribute = std::ranges::find(proto_.attribute(), name, &AttributeProto::name);
  return attribute == proto_.attribute().end() ? nullptr : &*attribute;
}

const AttributeProto* Node::find(std::string_view name, AttributeProto::AttributeType type) {
  const AttributeProto* attribute = find(name);
  if (!attribute || attribute->type() == type) return attribute;
  attribute_status_ =
      invalidArgument(fmt::format("attribute '{}' has type {}, expected {}", name,
                                  AttributeProto::AttributeType_Name(attribute->type()),
                                  AttributeProto::AttributeType_Name(type)));
  return nullptr;
}

int64_t Node::integer(std::string_view name, int64_t otherwise) {
  const AttributeProto* attribute = find(name, AttributeProto::INT);
  return attribute ? attribute->i() : otherwise;
}

double Node::number(std::string_view name, double otherwise) {
  const AttributeProto* attribute = find(name, AttributeProto::FLOAT);
  return attribute ? attribute->f() : otherwise;
}

std::string Node::text(std::string_view name, std::string_view otherwise) {
  const AttributeProto* attribute = find(name, AttributeProto::STRING);
  return attribute ? attribute->s() : std::string(otherwise);
}

std::optional<graph::Shape> Node::integerList(std::string_view name) {
  const AttributeProto* attribute = find(name, AttributeProto::INTS);
  if (!attribute) return std::nullopt;
  return graph::Shape(attribute->ints().begin(), attribute->ints().end());
}

std::optional<std::vector<double>> Node::numberList(std::string_view name) {
  const AttributeProto* attribute = find(name, AttributeProto::FLOATS);
  if (!attribute) return std::nullopt;
  return std::vector<double>(attribute->floats().begin(), attribute->floats().end());
}

const onnx::TensorProto* Node::tensor(std::string_view name) {
  const AttributeProto* attribute = find(name, AttributeProto::TENSOR);
  return attribute ? &attribute->t() : nullptr;
}

Result<mlir::DenseElementsAttr> Node::elementsOf(const onnx::TensorProto& tensor) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    return unsupported("only initializers may have external data");
  }
  VTA_ASSIGN_OR_RETURN(mlir::DenseElementsAttr value, toAttribute(tensor, {}, *ir().getContext()));
  VTA_ASSIGN_OR_RETURN(mlir::Type type, computedType(tensor.data_type()));
  return withElements(value, type);
}

Result<mlir::DenseElementsAttr> Node::sparseElements(std::string_view name) {
  const AttributeProto* attribute = find(name, AttributeProto::SPARSE_TENSOR);
  if (!attribute) return attribute_status_;
  const onnx::SparseTensorProto& sparse = attribute->sparse_tensor();
  for (const onnx::TensorProto* part : {&sparse.values(), &sparse.indices()}) {
    if (part->data_location() == onnx::TensorProto::EXTERNAL) {
      return unsupported("only initializers may have external data");
    }
  }
  const auto dense = denseTensor(sparse, {});
  if (!dense.ok()) return dense.status().withContext(fmt::format("'{}'", name));
  return elementsOf(*dense);
}

std::vector<std::string> Node::textList(std::string_view name) {
  const AttributeProto* attribute = find(name, AttributeProto::STRINGS);
  if (!attribute) return {};
  return {attribute->strings().begin(), attribute->strings().end()};
}

Result<const onnx::GraphProto*> Node::subgraph(std::string_view name) {
  const AttributeProto* attribute = find(name, AttributeProto::GRAPH);
  if (attribute) return &attribute->g();
  return invalidArgument(fmt::format("attribute '{}' is missing or no graph", name));
}

Result<std::vector<mlir::Value>> Node::importInto(mlir::Block& block, const onnx::GraphProto& graph,
                                                  llvm::ArrayRef<mlir::Value> inputs) {
  const mlir::OpBuilder::InsertionGuard guard(ir());
  ir().setInsertionPointToEnd(&block);
  return importSubgraph(graph, inputs);
}

bool Node::isOutputUsed(size_t index) const {
  return index < static_cast<size_t>(proto_.output_size()) &&
         !proto_.output(static_cast<int>(index)).empty();
}

void Node::setOutput(size_t index, mlir::Value value) {
  if (outputs_.size() <= index) outputs_.resize(index + 1);
  outputs_[index] = value;
}

Status Node::finish(Result<mlir::Value> value) {
  if (!value.ok()) return value.status();
  setOutput(0, *value);
  return {};
}

Result<int64_t> normalizeAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  return invalidArgument(
      fmt::format("axis {} is outside [{}, {}) of a tensor of rank {}", axis, -rank, rank, rank));
}

Result<graph::Shape> normalizeAxes(graph::Shape axes, int64_t rank) {
  for (int64_t& axis : axes) {
    VTA_ASSIGN_OR_RETURN(axis, normalizeAxis(axis, rank));
  }
  std::ranges::sort(axes);
  if (std::ranges::adjacent_find(axes) != axes.end()) {
    return invalidArgument("axes occur twice in " + graph::shapeText(axes));
  }
  return axes;
}

}  // namespace vta::compiler
