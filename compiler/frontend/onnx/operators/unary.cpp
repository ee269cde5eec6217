// Element-wise functions of one operand, Clip and Cast.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "compiler/frontend/onnx/compose.h"
#include "compiler/frontend/onnx/op_table.h"
#include "compiler/frontend/onnx/operators/layers.h"

namespace vta::compiler {
namespace {

using graph::BinaryKind;
using graph::UnaryKind;
using mlir::Value;

/// A function without parameters.
template <UnaryKind kind>
Status importUnary(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  return node.finish(node.build().unary(kind, input));
}

/// `alpha` is the attribute of that name, or the default.
Status importWithAlpha(Node& node, UnaryKind kind, double alpha) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  return node.finish(node.build().unary(kind, input, node.number("alpha", alpha)));
}

Status importLeakyRelu(Node& node) { return importWithAlpha(node, UnaryKind::leaky_relu, 0.01); }
Status importElu(Node& node) { return importWithAlpha(node, UnaryKind::elu, 1); }
Status importCelu(Node& node) { return importWithAlpha(node, UnaryKind::celu, 1); }
Status importThresholdedRelu(Node& node) {
  return importWithAlpha(node, UnaryKind::thresholded_relu, 1);
}

Status importSelu(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  return node.finish(node.build().unary(UnaryKind::selu, input,
                                        node.number("alpha", 1.67326319217681884765625),
                                        node.number("gamma", 1.05070102214813232421875)));
}

Status importHardSigmoid(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "X"));
  return node.finish(node.build().unary(UnaryKind::hard_sigmoid, input, node.number("alpha", 0.2),
                                        node.number("beta", 0.5)));
}

Status importGelu(Node& node) {
  const std::string approximation = node.text("approximate", "none");
  if (approximation != "none" && approximation != "tanh") {
    return invalidArgument(fmt::format("approximate='{}' is unknown", approximation));
  }
  Composer c(node);
  return c.finish(gelu(c, c.input(0, "X"), approximation == "tanh"));
}

Status importSwish(Node& node) {
  Composer c(node);
  return c.finish(swish(c, c.input(0, "X"), node.number("alpha", 1)));
}

Status importIsInf(Node& node) {
  bool negative = node.integer("detect_negative", 1) != 0;
  bool positive = node.integer("detect_positive", 1) != 0;
  if (negative && positive) return importUnary<UnaryKind::is_inf>(node);
  Composer c(node);
  Value input = c.input(0, "X"), zero = c.numberLike(0, input);
  // Zero has no sign to detect: never true.
  Value is_wanted = negative ? c.less(input, zero) : c.less(zero, input);
  if (!negative && !positive) is_wanted = c.less(zero, zero);
  Value is_infinite = c.unary(UnaryKind::is_inf, input);
  return c.finish(c.where(is_infinite, is_wanted, c.numberLike(0, is_wanted)));
}

/// 0 between -lambd and lambd; outside moved towards it by `bias`.
Status importShrink(Node& node) {
  Composer c(node);
  Value input = c.input(0, "input");
  double bias = node.number("bias", 0), lambda = node.number("lambd", 0.5);
  // In f64 the bounds of integer tensors keep their fractions.
  Value wide = c.cast(input, node.ir().getF64Type());
  Value is_low = c.less(wide, c.numberLike(-lambda, wide));
  Value is_high = c.less(c.numberLike(lambda, wide), wide);
  Value low = c.add(wide, c.numberLike(bias, wide)), high = c.sub(wide, c.numberLike(bias, wide));
  Value result = c.where(is_low, low, c.keep(is_high, high));
  return c.ok() ? c.finish(c.cast(result, graph::elementTypeOf(input))) : c.status();
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Bounds at the end of float's range do not bound.
double openBound(double bound) {
  return std::abs(bound) >= std::numeric_limits<float>::max() ? std::copysign(kInfinity, bound)
                                                              : bound;
}

Status importClipAttributes(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "input"));
  return node.finish(node.build().clip(input, openBound(node.number("min", -kInfinity)),
                                       openBound(node.number("max", kInfinity))));
}

/// A bound that is a constant of a float type; `otherwise` if absent; nothing if computed.
std::optional<double> constantBound(Node& node, size_t index, double otherwise) {
  if (!node.hasInput(index)) return otherwise;
  auto values = node.numbers(index, "bound");
  if (!values.ok() || values->size() != 1) return std::nullopt;
  return openBound((*values)[0]);
}

Status importClip(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "input"));
  std::optional<double> low = constantBound(node, 1, -kInfinity);
  std::optional<double> high = constantBound(node, 2, kInfinity);
  if (mlir::isa<mlir::FloatType>(graph::elementTypeOf(input)) && low && high) {
    return node.finish(node.build().clip(input, *low, *high));
  }
  if (Value bound = node.optionalInput(1)) {
    VTA_ASSIGN_OR_RETURN(input, node.build().binary(BinaryKind::max, input, bound));
  }
  if (Value bound = node.optionalInput(2)) {
    VTA_ASSIGN_OR_RETURN(input, node.build().binary(BinaryKind::min, input, bound));
  }
  return node.finish(input);
}

/// Before opset 6, `to` was the type's name.
int64_t castTarget(Node& node) {
  if (node.opset() >= 6) return node.integer("to", 0);
  onnx::TensorProto::DataType type = onnx::TensorProto::UNDEFINED;
  return onnx::TensorProto::DataType_Parse(node.text("to", ""), &type) ? type : 0;
}

Status importCast(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "input"));
  if (!node.hasAttribute("to")) return invalidArgument("attribute 'to' is missing");
  VTA_ASSIGN_OR_RETURN(mlir::Type type, node.computedType(castTarget(node)));
  return node.finish(node.build().cast(input, type));
}

Status importCastLike(Node& node) {
  VTA_ASSIGN_OR_RETURN(Value input, node.input(0, "input"));
  VTA_ASSIGN_OR_RETURN(Value target, node.input(1, "target_type"));
  return node.finish(node.build().cast(input, graph::elementTypeOf(target)));
}

Status importIdentity(Node& node) { return node.finish(node.input(0, "input")); }

}  // namespace

Value swish(Composer& c, Value input, double alpha) {
  return c.mul(input, c.unary(UnaryKind::sigmoid, c.scale(input, alpha)));
}

Value gelu(Composer& c, Value input, bool fast) {
  if (!fast) return c.unary(UnaryKind::gelu, input);
  // x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  const Value cube = c.mul(input, c.mul(input, input));
  const Value inner = c.add(input, c.scale(cube, 0.044715));
  const Value tanh = c.unary(UnaryKind::tanh, c.scale(inner, std::sqrt(2 / M_PI)));
  return c.mul(c.scale(input, 0.5), c.add(c.numberLike(1, tanh), tanh));
}

std::span<const OpEntry> unaryOps() {
  static constexpr OpEntry kOps[] = {
      {"Abs", 1, kLatest, importUnary<UnaryKind::abs>},
      {"Acos", 7, kLatest, importUnary<UnaryKind::acos>},
      {"Acosh", 9, kLatest, importUnary<UnaryKind::acosh>},
      {"Asin", 7, kLatest, importUnary<UnaryKind::asin>},
      {"Asinh", 9, kLatest, importUnary<UnaryKind::asinh>},
      {"Atan", 7, kLatest, importUnary<UnaryKind::atan>},
      {"Atanh", 9, kLatest, importUnary<UnaryKind::atanh>},
      {"BitwiseNot", 18, kLatest, importUnary<UnaryKind::bitwise_not>},
      {"Cast", 1, kLatest, importCast},
      {"CastLike", 15, kLatest, importCastLike},
      {"Ceil", 1, kLatest, importUnary<UnaryKind::ceil>},
      {"Celu", 12, kLatest, importCelu},
      {"Clip", 1, 10, importClipAttributes},
      {"Clip", 11, kLatest, importClip},
      {"Cos", 7, kLatest, importUnary<UnaryKind::cos>},
      {"Cosh", 9, kLatest, importUnary<UnaryKind::cosh>},
      {"Elu", 1, kLatest, importElu},
      {"Erf", 9, kLatest, importUnary<UnaryKind::erf>},
      {"Exp", 1, kLatest, importUnary<UnaryKind::exp>},
      {"Floor", 1, kLatest, importUnary<UnaryKind::floor>},
      {"Gelu", 20, kLatest, importGelu},
      {"HardSigmoid", 1, kLatest, importHardSigmoid},
      {"HardSwish", 14, kLatest, importUnary<UnaryKind::hard_swish>},
      {"Identity", 1, kLatest, importIdentity},
      {"IsInf", 10, kLatest, importIsInf},
      {"IsNaN", 9, kLatest, importUnary<UnaryKind::is_nan>},
      {"LeakyRelu", 1, kLatest, importLeakyRelu},
      {"Log", 1, kLatest, importUnary<UnaryKind::log>},
      {"Mish", 18, kLatest, importUnary<UnaryKind::mish>},
      {"Neg", 1, kLatest, importUnary<UnaryKind::neg>},
      {"Not", 1, kLatest, importUnary<UnaryKind::logical_not>},
      {"Reciprocal", 1, kLatest, importUnary<UnaryKind::reciprocal>},
      {"Relu", 1, kLatest, importUnary<UnaryKind::relu>},
      {"Round", 11, kLatest, importUnary<UnaryKind::round>},
      {"Selu", 1, kLatest, importSelu},
      {"Shrink", 9, kLatest, importShrink},
      {"Sigmoid", 1, kLatest, importUnary<UnaryKind::sigmoid>},
      {"Sign", 9, kLatest, importUnary<UnaryKind::sign>},
      {"Sin", 7, kLatest, importUnary<UnaryKind::sin>},
      {"Sinh", 9, kLatest, importUnary<UnaryKind::sinh>},
      {"Softplus", 1, kLatest, importUnary<UnaryKind::softplus>},
      {"Softsign", 1, kLatest, importUnary<UnaryKind::softsign>},
      {"Sqrt", 1, kLatest, importUnary<UnaryKind::sqrt>},
      {"Swish", 24, kLatest, importSwish},
      {"Tan", 7, kLatest, importUnary<UnaryKind::tan>},
      {"Tanh", 1, kLatest, importUnary<UnaryKind::tanh>},
      {"ThresholdedRelu", 10, kLatest, importThresholdedRelu},
  };
  return kOps;
}

}  // namespace vta::compiler
