// Element-wise functions of two and more operands.
#include <fmt/format.h>

#include "compiler/frontend/onnx/op_table.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using mlir::Value;

/// The second operand. Before opset 7, `broadcast` and `axis` said which dimensions of the first
/// one it has, by default the last ones.
Result<Value> readSecond(Node& node, Value lhs, std::string_view name) {
  VTA_ASSIGN_OR_RETURN(Value rhs, node.input(1, name));
  if (node.opset() >= 7 || node.integer("broadcast", 0) == 0 || !node.hasAttribute("axis")) {
    return rhs;
  }
  const graph::ShapeRef shape = graph::shapeOf(rhs);
  const int64_t rank = std::ssize(graph::shapeOf(lhs));
  VTA_ASSIGN_OR_RETURN(const int64_t axis, normalizeAxis(node.integer("axis", 0), rank));
  graph::Shape aligned(shape.begin(), shape.end());
  if (axis + std::ssize(aligned) > rank) {
    return invalidArgument(
        fmt::format("axis {} leaves no room for {}", axis, graph::shapeText(shape)));
  }
  aligned.resize(rank - axis, 1);
  return node.build().reshape(rhs, aligned);
}

template <BinaryKind kind>
Status importBinary(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value lhs, node.input(0, "A"));
  VTA_ASSIGN_OR_RETURN(Value rhs, readSecond(node, lhs, "B"));
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

/// Before opset 7, the slope had one value or one for each channel.
Status importPRelu(Node& node) {
  if (node.opset() >= 7) return importBinary<BinaryKind::prelu>(node);
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  VTA_ASSIGN_OR_RETURN(Value slope, node.input(1, "slope"));
  const int64_t rank = std::ssize(graph::shapeOf(input));
  const graph::ShapeRef shape = graph::shapeOf(slope);
  if (shape.size() == 1 && rank > 2) {
    graph::Shape per_channel(rank - 1, 1);
    per_channel[0] = shape[0];
    VTA_ASSIGN_OR_RETURN(slope, node.build().reshape(slope, per_channel));
  }
  return node.finish(node.build().binary(BinaryKind::prelu, input, slope));
}

/// The exponent may have a type of its own.
Status importPow(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value base, node.input(0, "X"));
  VTA_ASSIGN_OR_RETURN(Value exponent, readSecond(node, base, "Y"));
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

}  // namespace

std::span<const OpEntry> binaryOps() {
  static constexpr OpEntry kOps[] = {
      {"Add", 1, kLatest, importBinary<BinaryKind::add>},
      {"And", 1, kLatest, importBinary<BinaryKind::logical_and>},
      {"BitShift", 11, kLatest, importBitShift},
      {"BitwiseAnd", 18, kLatest, importBinary<BinaryKind::bitwise_and>},
      {"BitwiseOr", 18, kLatest, importBinary<BinaryKind::bitwise_or>},
      {"BitwiseXor", 18, kLatest, importBinary<BinaryKind::bitwise_xor>},
      {"Div", 1, kLatest, importBinary<BinaryKind::div>},
      {"Equal", 1, kLatest, importBinary<BinaryKind::equal>},
      {"Greater", 1, kLatest, importBinary<BinaryKind::greater>},
      {"GreaterOrEqual", 12, kLatest, importBinary<BinaryKind::greater_equal>},
      {"Less", 1, kLatest, importBinary<BinaryKind::less>},
      {"LessOrEqual", 12, kLatest, importBinary<BinaryKind::less_equal>},
      {"Max", 1, kLatest, importVariadic<BinaryKind::max>},
      {"Mean", 1, kLatest, importMean},
      {"Min", 1, kLatest, importVariadic<BinaryKind::min>},
      {"Mod", 10, kLatest, importMod},
      {"Mul", 1, kLatest, importBinary<BinaryKind::mul>},
      {"Or", 1, kLatest, importBinary<BinaryKind::logical_or>},
      {"PRelu", 1, kLatest, importPRelu},
      {"Pow", 1, kLatest, importPow},
      {"Sub", 1, kLatest, importBinary<BinaryKind::sub>},
      {"Sum", 1, kLatest, importVariadic<BinaryKind::add>},
      {"Where", 9, kLatest, importWhere},
      {"Xor", 1, kLatest, importBinary<BinaryKind::logical_xor>},
  };
  return kOps;
}

}  // namespace vta::compiler
