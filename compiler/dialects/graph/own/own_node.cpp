#include "compiler/dialects/graph/own/own_node.h"

#include <bit>

#include "compiler/dialects/graph/element_type.h"

namespace vta::graph {
namespace {

using Kind = OperatorAttribute::Kind;

mlir::Attribute valueOf(mlir::Builder& b, const OperatorAttribute& attribute) {
  if (attribute.kind == Kind::kText) return b.getStringAttr(attribute.text);
  if (attribute.kind == Kind::kIntegers) return b.getDenseI64ArrayAttr(attribute.integers);
  llvm::SmallVector<float> floats;
  for (const uint32_t bits : attribute.floats) floats.push_back(std::bit_cast<float>(bits));
  return b.getDenseF32ArrayAttr(floats);
}

OperatorAttribute attributeOf(const mlir::NamedAttribute& named) {
  OperatorAttribute made{.name = named.getName().str()};
  if (auto text = mlir::dyn_cast<mlir::StringAttr>(named.getValue())) {
    made.kind = Kind::kText;
    made.text = text.str();
  } else if (auto integers = mlir::dyn_cast<mlir::DenseI64ArrayAttr>(named.getValue())) {
    made.integers.assign(integers.asArrayRef().begin(), integers.asArrayRef().end());
  } else {
    made.kind = Kind::kFloats;
    for (const float value : mlir::cast<mlir::DenseF32ArrayAttr>(named.getValue()).asArrayRef()) {
      made.floats.push_back(std::bit_cast<uint32_t>(value));
    }
  }
  return made;
}

OperatorTensor tensorOf(mlir::Type type) {
  auto tensor = mlir::cast<mlir::RankedTensorType>(type);
  return {.dtype = dtypeOf(tensor.getElementType()).value_or(DType::kF32),
          .shape = {tensor.getShape().begin(), tensor.getShape().end()}};
}

}  // namespace

OperatorNode ownNode(OwnOp op) {
  OperatorNode node{.domain = op.getDomain().str(), .name = op.getOperatorName().str()};
  if (auto named = mlir::dyn_cast<mlir::NameLoc>(op.getLoc())) node.node = named.getName().str();
  for (const mlir::NamedAttribute& named : op.getNodeAttributes()) {
    node.attributes.push_back(attributeOf(named));
  }
  size_t next = 0;
  for (const bool is_present : op.getPresent()) {
    node.inputs.push_back(is_present ? tensorOf(op.getInputs()[next++].getType())
                                     : OperatorTensor{.is_absent = true});
  }
  for (const mlir::Type output : op.getResultTypes()) node.outputs.push_back(tensorOf(output));
  return node;
}

OwnOp createOwn(mlir::OpBuilder& builder, mlir::Location location, const OperatorNode& node,
                mlir::ValueRange inputs) {
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  for (const OperatorAttribute& attribute : node.attributes) {
    attributes.push_back(builder.getNamedAttr(attribute.name, valueOf(builder, attribute)));
  }
  llvm::SmallVector<bool> present;
  for (const OperatorTensor& input : node.inputs) present.push_back(!input.is_absent);
  llvm::SmallVector<mlir::Type> types;
  for (const OperatorTensor& output : node.outputs) {
    types.push_back(mlir::RankedTensorType::get(
        output.shape, elementTypeOf(output.dtype, *builder.getContext())));
  }
  return builder.create<OwnOp>(location, types, inputs, node.domain, node.name,
                               builder.getDictionaryAttr(attributes), present);
}

}  // namespace vta::graph
