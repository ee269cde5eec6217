#include "host_gpu/text/expressions.h"

#include <fmt/format.h>

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vta::codegen {
namespace {

using namespace mlir;
using Text = std::string;

/// A pattern with {0}, {1} and {2} for the names of the operands.
Text filled(StringRef pattern, Operation* op, NameOf name) {
  SmallVector<Text, 3> names;
  for (const Value operand : op->getOperands().take_front(3)) names.push_back(name(operand));
  names.resize(3);
  return fmt::format(fmt::runtime(pattern.str()), names[0], names[1], names[2]);
}

/// Sums and products wrap, which C says of unsigned numbers only.
Text patternOfInteger(Operation* op) {
  return llvm::TypeSwitch<Operation*, Text>(op)
      .Case<arith::AddIOp>([](auto) { return "(int)((uint){0} + (uint){1})"; })
      .Case<arith::SubIOp>([](auto) { return "(int)((uint){0} - (uint){1})"; })
      .Case<arith::MulIOp>([](auto) { return "(int)((uint){0} * (uint){1})"; })
      .Case<arith::DivUIOp>([](auto) { return "(int)((uint){0} / (uint){1})"; })
      .Case<arith::RemUIOp>([](auto) { return "(int)((uint){0} % (uint){1})"; })
      .Case<arith::DivSIOp>([](auto) { return "{0} / {1}"; })
      .Case<arith::RemSIOp>([](auto) { return "{0} % {1}"; })
      .Case<arith::AndIOp>([](auto) { return "{0} & {1}"; })
      .Case<arith::OrIOp>([](auto) { return "{0} | {1}"; })
      .Case<arith::XOrIOp>([](auto) { return "{0} ^ {1}"; })
      .Case<arith::ShLIOp>([](auto) { return "(int)((uint){0} << (uint){1})"; })
      .Case<arith::ShRSIOp>([](auto) { return "{0} >> {1}"; })
      .Case<arith::ShRUIOp>([](auto) { return "(int)((uint){0} >> (uint){1})"; })
      .Case<arith::MaxSIOp>([](auto) { return "max({0}, {1})"; })
      .Case<arith::MinSIOp>([](auto) { return "min({0}, {1})"; })
      .Case<arith::MaxUIOp>([](auto) { return "(int)max((uint){0}, (uint){1})"; })
      .Case<arith::MinUIOp>([](auto) { return "(int)min((uint){0}, (uint){1})"; })
      .Case<math::AbsIOp>([](auto) { return "(int)abs({0})"; })
      .Case<math::CountLeadingZerosOp>([](auto) { return "(int)clz((uint){0})"; })
      .Default([](Operation*) { return ""; });
}

/// The larger or smaller one, or a NaN if one of them is.
Text patternOfReal(Operation* op) {
  return llvm::TypeSwitch<Operation*, Text>(op)
      .Case<arith::AddFOp>([](auto) { return "{0} + {1}"; })
      .Case<arith::SubFOp>([](auto) { return "{0} - {1}"; })
      .Case<arith::MulFOp>([](auto) { return "{0} * {1}"; })
      .Case<arith::DivFOp>([](auto) { return "{0} / {1}"; })
      .Case<arith::NegFOp>([](auto) { return "-{0}"; })
      .Case<arith::MaximumFOp>([](auto) { return "({0} > {1} || {0} != {0}) ? {0} : {1}"; })
      .Case<arith::MinimumFOp>([](auto) { return "({0} < {1} || {0} != {0}) ? {0} : {1}"; })
      .Case<arith::MaxNumFOp>([](auto) { return "fmax({0}, {1})"; })
      .Case<arith::MinNumFOp>([](auto) { return "fmin({0}, {1})"; })
      .Case<math::AbsFOp>([](auto) { return "fabs({0})"; })
      .Case<math::CeilOp>([](auto) { return "ceil({0})"; })
      .Case<math::CopySignOp>([](auto) { return "copysign({0}, {1})"; })
      .Case<math::ExpOp>([](auto) { return "exp({0})"; })
      .Case<math::FloorOp>([](auto) { return "floor({0})"; })
      .Case<math::FmaOp>([](auto) { return "fma({0}, {1}, {2})"; })
      .Case<math::LogOp>([](auto) { return "log({0})"; })
      .Case<math::PowFOp>([](auto) { return "pow({0}, {1})"; })
      .Case<math::RoundEvenOp>([](auto) { return "rint({0})"; })
      .Case<math::SqrtOp>([](auto) { return "sqrt({0})"; })
      .Case<math::TruncOp>([](auto) { return "trunc({0})"; })
      .Default([](Operation*) { return ""; });
}

Text patternOfConversion(Operation* op) {
  const bool from_bool = op->getNumOperands() == 1 && op->getOperand(0).getType().isInteger(1);
  return llvm::TypeSwitch<Operation*, Text>(op)
      .Case<arith::ExtSIOp>([](auto) { return "-(int){0}"; })
      .Case<arith::ExtUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(
          [](auto) { return "(int){0}"; })
      .Case<arith::TruncIOp>([](auto) { return "({0} & 1) != 0"; })
      .Case<arith::SIToFPOp>([&](auto) { return from_bool ? "-(float){0}" : "(float){0}"; })
      .Case<arith::UIToFPOp>([&](auto) { return from_bool ? "(float){0}" : "(float)(uint){0}"; })
      .Case<arith::FPToSIOp>([](auto) { return "(int){0}"; })
      .Case<arith::SelectOp>([](auto) { return "{0} ? {1} : {2}"; })
      .Case<arith::BitcastOp>(
          [](auto cast) { return "as_" + openClType(cast.getType()) + "({0})"; })
      .Default([](Operation*) { return ""; });
}

Text patternOf(arith::CmpIPredicate predicate) {
  using enum arith::CmpIPredicate;
  switch (predicate) {
    case eq:
      return "{0} == {1}";
    case ne:
      return "{0} != {1}";
    case slt:
      return "{0} < {1}";
    case sle:
      return "{0} <= {1}";
    case sgt:
      return "{0} > {1}";
    case sge:
      return "{0} >= {1}";
    case ult:
      return "(uint){0} < (uint){1}";
    case ule:
      return "(uint){0} <= (uint){1}";
    case ugt:
      return "(uint){0} > (uint){1}";
    case uge:
      return "(uint){0} >= (uint){1}";
  }
  return "";
}

/// Comparisons of C are false for NaN, but for unequal.
Text patternOf(arith::CmpFPredicate predicate) {
  return llvm::StringSwitch<Text>(arith::stringifyCmpFPredicate(predicate))
      .Case("oeq", "{0} == {1}")
      .Case("ogt", "{0} > {1}")
      .Case("oge", "{0} >= {1}")
      .Case("olt", "{0} < {1}")
      .Case("ole", "{0} <= {1}")
      .Case("one", "{0} < {1} || {0} > {1}")
      .Case("ord", "{0} == {0} && {1} == {1}")
      .Case("ueq", "!({0} < {1} || {0} > {1})")
      .Case("ugt", "!({0} <= {1})")
      .Case("uge", "!({0} < {1})")
      .Case("ult", "!({0} >= {1})")
      .Case("ule", "!({0} > {1})")
      .Case("une", "{0} != {1}")
      .Case("uno", "{0} != {0} || {1} != {1}")
      .Default("");
}

/// Bit for bit.
Text constantText(Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    if (integer.getType().isInteger(1)) return integer.getValue().getBoolValue() ? "true" : "false";
    return fmt::format("(int)0x{:x}u", static_cast<uint32_t>(integer.getValue().getSExtValue()));
  }
  const auto real = dyn_cast<FloatAttr>(value);
  if (!real || !real.getType().isF32()) return "";
  return fmt::format("as_float(0x{:x}u)", real.getValue().bitcastToAPInt().getZExtValue());
}

Text gridText(Operation* op) {
  const auto number = [](gpu::Dimension dimension) { return static_cast<unsigned>(dimension); };
  if (auto thread = dyn_cast<gpu::ThreadIdOp>(op)) {
    return fmt::format("(int)get_local_id({})", number(thread.getDimension()));
  }
  if (auto block = dyn_cast<gpu::BlockIdOp>(op)) {
    return fmt::format("(int)get_group_id({})", number(block.getDimension()));
  }
  return "";
}

/// Ops with two results: a low and a high word, or a sum and its carry.
Text patternOfPair(Operation* op, unsigned number) {
  if (isa<arith::MulUIExtendedOp>(op)) {
    return number == 0 ? "(int)((uint){0} * (uint){1})" : "(int)mul_hi((uint){0}, (uint){1})";
  }
  if (isa<arith::MulSIExtendedOp>(op)) {
    return number == 0 ? "(int)((uint){0} * (uint){1})" : "mul_hi({0}, {1})";
  }
  if (isa<arith::AddUIExtendedOp>(op)) {
    return number == 0 ? "(int)((uint){0} + (uint){1})" : "(uint){0} + (uint){1} < (uint){0}";
  }
  return "";
}

}  // namespace

std::string openClType(Type type) {
  if (type.isIndex() || type.isInteger(32)) return "int";
  if (type.isInteger(1)) return "bool";
  return type.isF32() ? "float" : "";
}

std::string openClExpression(Operation* op, unsigned number, NameOf name) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) return constantText(constant.getValue());
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    return name(load.getMemRef()) + "[" + name(load.getIndices().front()) + "]";
  }
  if (Text text = gridText(op); !text.empty()) return text;
  Text pattern = op->getNumResults() == 2 ? patternOfPair(op, number) : patternOfInteger(op);
  if (pattern.empty()) pattern = patternOfReal(op);
  if (pattern.empty()) pattern = patternOfConversion(op);
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) pattern = patternOf(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) pattern = patternOf(compare.getPredicate());
  return pattern.empty() ? "" : filled(pattern, op, name);
}

}  // namespace vta::codegen
