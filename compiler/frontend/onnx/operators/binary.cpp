// Element-wise functions of two and more operands.
#include <fmt/format.h>

#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using mlir::Value;

template <BinaryKind kind>
Status importBinary(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value lhs, node.input(0, "A"));
  VTA_ASSIGN_OR_RETURN(Value rhs, node.input(1, "B"));
  return node.finish(node.build().binary(kind, lhs, rhs));
}

Result<Value> combineAll(Node& node, BinaryKind kind) {
  VTA_ASSIGN_OR_RETURN(std::vector<Value> inputs, node.allInputs());
  Value result = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) {
    VTA_ASSIGN_OR_RETURN(result, node.build().binary(kind, result, inputs[i]));
  }
  return result;
}

template <BinaryKind kind>
Status importVariadic(Node& node) {
  return node.finish(combineAll(node, kind));
}

Status importMean(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value sum, combineAll(node, BinaryKind::add));
  Value count =
      node.build().scalar(static_cast<double>(node.inputCount()), graph::elementTypeOf(sum));
  return node.finish(node.build().binary(BinaryKind::div, sum, count));
}

/// The exponent may have a type of its own.
Status importPow(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value base, node.input(0, "X"));
  VTA_ASSIGN_OR_RETURN(Value exponent, node.input(1, "Y"));
  mlir::Type type = graph::elementTypeOf(base), exponent_type = graph::elementTypeOf(exponent);
  mlir::Type computed = type;
  if (!mlir::isa<mlir::FloatType>(type) && type != exponent_type) {
    bool is_float = mlir::isa<mlir::FloatType>(exponent_type);
    computed = is_float ? mlir::Type(node.ir().getF64Type()) : node.ir().getI64Type();
  }
  VTA_ASSIGN_OR_RETURN(base, node.build().cast(base, computed));
  VTA_ASSIGN_OR_RETURN(exponent, node.build().cast(exponent, computed));
  VTA_ASSIGN_OR_RETURN(Value power, node.build().binary(BinaryKind::pow, base, exponent));
  return node.finish(node.build().cast(power, type));
}

Status importMod(Node& node) {
  return node.integer("fmod", 0) ? importBinary<BinaryKind::fmod>(node)
                                 : importBinary<BinaryKind::mod>(node);
}

Status importBitShift(Node& node) {
  std::string direction = node.text("direction", "");
  if (direction == "LEFT") return importBinary<BinaryKind::shift_left>(node);
  if (direction == "RIGHT") return importBinary<BinaryKind::shift_right>(node);
  return invalidArgument(fmt::format("direction '{}' is neither LEFT nor RIGHT", direction));
}

Status importWhere(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value condition, node.input(0, "condition"));
  VTA_ASSIGN_OR_RETURN(Value lhs, node.input(1, "X"));
  VTA_ASSIGN_OR_RETURN(Value rhs, node.input(2, "Y"));
  return node.finish(node.build().where(condition, lhs, rhs));
}

constexpr OpEntry kOps[] = {
    {"Add", 7, 21, importBinary<BinaryKind::add>},
    {"And", 7, 21, importBinary<BinaryKind::logical_and>},
    {"BitShift", 11, 21, importBitShift},
    {"BitwiseAnd", 18, 21, importBinary<BinaryKind::bitwise_and>},
    {"BitwiseOr", 18, 21, importBinary<BinaryKind::bitwise_or>},
    {"BitwiseXor", 18, 21, importBinary<BinaryKind::bitwise_xor>},
    {"Div", 7, 21, importBinary<BinaryKind::div>},
    {"Equal", 7, 21, importBinary<BinaryKind::equal>},
    {"Greater", 7, 21, importBinary<BinaryKind::greater>},
    {"GreaterOrEqual", 12, 21, importBinary<BinaryKind::greater_equal>},
    {"Less", 7, 21, importBinary<BinaryKind::less>},
    {"LessOrEqual", 12, 21, importBinary<BinaryKind::less_equal>},
    {"Max", 6, 21, importVariadic<BinaryKind::max>},
    {"Mean", 6, 21, importMean},
    {"Min", 6, 21, importVariadic<BinaryKind::min>},
    {"Mod", 10, 21, importMod},
    {"Mul", 7, 21, importBinary<BinaryKind::mul>},
    {"Or", 7, 21, importBinary<BinaryKind::logical_or>},
    {"PRelu", 7, 21, importBinary<BinaryKind::prelu>},
    {"Pow", 7, 21, importPow},
    {"Sub", 7, 21, importBinary<BinaryKind::sub>},
    {"Sum", 6, 21, importVariadic<BinaryKind::add>},
    {"Where", 9, 21, importWhere},
    {"Xor", 7, 21, importBinary<BinaryKind::logical_xor>},
};

}  // namespace

std::span<const OpEntry> binaryOps() { return kOps; }

}  // namespace vta::compiler
