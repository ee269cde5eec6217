#include "host_gpu/backend/supported_ops.h"

#include <algorithm>

#include "compiler/dialects/graph/graph.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace vta::codegen {
namespace {

using namespace mlir;
using graph::BinaryKind;

/// What every Vulkan device can bind.
constexpr int64_t kMostBytes = int64_t{1} << 27;
/// llvmpipe ends loops behind so many rounds.
constexpr int64_t kMostRounds = 65535;

bool hasKernels(Type element) {
  if (element.isF32() || element.isInteger(1)) return true;
  return element.isInteger(8) || element.isInteger(16) || element.isInteger(32);
}

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Status checkType(Type type) {
  const auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !hasKernels(tensor.getElementType())) {
    return unsupported("a value is a " + textOf(type) +
                       ", not a static tensor of floats, booleans or integers of 8 to 32 bits");
  }
  if (tensor.getNumElements() == 0) return unsupported("a value has no elements");
  const int64_t bits = std::max<int64_t>(tensor.getElementTypeBitWidth(), 8);
  if (tensor.getNumElements() * bits / 8 > kMostBytes) {
    return unsupported("a value has more than 128 MiB, which not all GPUs bind");
  }
  return {};
}

bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); }

Status checkUnary(graph::UnaryOp op) {
  const graph::UnaryKind kind = op.getKind();
  if (kind == graph::UnaryKind::asin || kind == graph::UnaryKind::acos) {
    return unsupported("GPUs compute arc sines with a third of a float's digits");
  }
  return {};
}

Status checkBinary(graph::BinaryOp op) {
  const BinaryKind kind = op.getKind();
  if (isFloat(op.getLhs()) && (kind == BinaryKind::fmod || kind == BinaryKind::mod)) {
    return unsupported("GPUs have no exact remainders of floats");
  }
  if (!isFloat(op.getLhs()) && kind == BinaryKind::pow) {
    return unsupported("there is no kernel of powers of integers");
  }
  return {};
}

Status checkCast(graph::CastOp op) {
  const Type to = getElementTypeOrSelf(op.getType());
  if (isFloat(op.getInput()) && to.isUnsignedInteger(32)) {
    return unsupported("there is no kernel from floats to unsigned integers of 32 bits");
  }
  return {};
}

/// Sums along a dimension are loops of one invocation.
Status checkRounds(Value input) {
  for (const int64_t extent : cast<RankedTensorType>(input.getType()).getShape()) {
    if (extent > kMostRounds) {
      return unsupported(
          "it has a dimension of more than 65535 elements, for which not all GPUs "
          "have loops");
    }
  }
  return {};
}

Status checkReduce(graph::ReduceOp op) {
  if (!isFloat(op.getInput()) && op.getKind() == graph::ReduceKind::mean) {
    return unsupported("there is no kernel of means of integers");
  }
  return checkRounds(op.getInput());
}

Status checkKind(Operation* op) {
  return llvm::TypeSwitch<Operation*, Status>(op)
      .Case<graph::UnaryOp>(checkUnary)
      .Case<graph::BinaryOp>(checkBinary)
      .Case<graph::CastOp>(checkCast)
      .Case<graph::ReduceOp>(checkReduce)
      .Case<graph::SoftmaxOp>(
          [](graph::SoftmaxOp softmax) { return checkRounds(softmax.getInput()); })
      .Case<graph::MatMulOp>([](graph::MatMulOp product) { return checkRounds(product.getLhs()); })
      .Case<graph::AvgPoolOp, graph::BatchNormOp, graph::ClipIntOp, graph::ClipOp, graph::ConcatOp,
            graph::ConvOp, graph::ConvTransposeOp, graph::DequantizeOp, graph::ExpandOp,
            graph::GatherOp, graph::InterleaveOp, graph::LrnOp, graph::MaxPoolOp, graph::PadOp,
            graph::QmulOp, graph::QuantizeOp, graph::ReshapeOp, graph::ShrOp, graph::SliceOp,
            graph::SumPoolOp, graph::TableOp, graph::TransposeOp, graph::WhereOp>(
          [](auto) { return Status(); })
      .Default([](Operation*) { return unsupported("GPUs have no kernel of it"); });
}

}  // namespace

Status checkGpuOp(Operation* op) {
  VTA_RETURN_IF_ERROR(checkKind(op));
  for (const Type type : op->getOperandTypes()) VTA_RETURN_IF_ERROR(checkType(type));
  for (const Type type : op->getResultTypes()) VTA_RETURN_IF_ERROR(checkType(type));
  return {};
}

}  // namespace vta::codegen
