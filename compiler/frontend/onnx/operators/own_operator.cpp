#include "compiler/frontend/onnx/operators/own_operator.h"

#include <fmt/format.h>

#include <bit>

#include "compiler/dialects/graph/element_type.h"
#include "compiler/dialects/graph/own/own_node.h"
#include "module/operators/operator_libraries.h"

namespace vta::compiler {
namespace {

using Kind = OperatorAttribute::Kind;

Result<OperatorAttribute> attributeOf(const onnx::AttributeProto& proto) {
  OperatorAttribute made{.name = proto.name()};
  const auto add_float = [&made](float value) {
    made.kind = Kind::kFloats;
    made.floats.push_back(std::bit_cast<uint32_t>(value));
  };
  switch (proto.type()) {
    case onnx::AttributeProto::INT:
      made.integers = {proto.i()};
      return made;
    case onnx::AttributeProto::INTS:
      made.integers.assign(proto.ints().begin(), proto.ints().end());
      return made;
    case onnx::AttributeProto::FLOAT:
      add_float(proto.f());
      return made;
    case onnx::AttributeProto::FLOATS:
      made.kind = Kind::kFloats;
      for (const float value : proto.floats()) add_float(value);
      return made;
    case onnx::AttributeProto::STRING:
      made.kind = Kind::kText;
      made.text = proto.s();
      return made;
    default:
      return unsupported(
          fmt::format("attribute '{}' has the type {}; operators of libraries take INT, INTS, "
                      "FLOAT, FLOATS and STRING",
                      proto.name(), onnx::AttributeProto::AttributeType_Name(proto.type())));
  }
}

OperatorTensor describe(mlir::Value value) {
  return {.dtype = *graph::dtypeOf(graph::elementTypeOf(value)),
          .shape = {graph::shapeOf(value).begin(), graph::shapeOf(value).end()}};
}

}  // namespace

Status importOwnOperator(Node& node, const onnx::NodeProto& proto, const vta_operator& own) {
  OperatorNode call{.domain = own.domain,
                    .name = own.name,
                    .node = mlir::cast<mlir::NameLoc>(node.build().location()).getName().str()};
  for (const onnx::AttributeProto& attribute : proto.attribute()) {
    VTA_ASSIGN_OR_RETURN(call.attributes.emplace_back(), attributeOf(attribute));
  }
  std::vector<mlir::Value> inputs;
  std::vector<std::optional<Tensor>> elements;  // of constants
  for (size_t i = 0; i < node.inputCount(); ++i) {
    const mlir::Value value = node.optionalInput(i);
    call.inputs.push_back(value ? describe(value) : OperatorTensor{.is_absent = true});
    if (value) inputs.push_back(value);
    const mlir::DenseElementsAttr constant = value ? graph::constantOf(value) : nullptr;
    elements.push_back(constant ? graph::tensorOf(constant) : std::nullopt);
  }
  std::vector<const std::byte*> constants;
  for (const std::optional<Tensor>& tensor : elements) {
    constants.push_back(tensor ? tensor->data.data() : nullptr);
  }
  call.outputs.resize(node.outputCount());
  VTA_RETURN_IF_ERROR(inferOwnOperator(own, call, constants));
  graph::OwnOp op = graph::createOwn(node.ir(), node.build().location(), call, inputs);
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    // Floats are computed in the type that the model's are.
    mlir::Value output = op.getOutputs()[i];
    if (call.outputs[i].dtype == DType::kF64) {
      VTA_ASSIGN_OR_RETURN(const mlir::Type type, node.computedType(onnx::TensorProto::DOUBLE));
      VTA_ASSIGN_OR_RETURN(output, node.build().cast(output, type));
    }
    node.setOutput(i, output);
  }
  return {};
}

}  // namespace vta::compiler
