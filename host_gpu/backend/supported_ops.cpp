#include "host_gpu/backend/supported_ops.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/integer_math.h"
#include "compiler/dialects/graph/graph.h"
#include "host_gpu/kernels/buffer_ranges.h"
#include "host_gpu/schedule/gemm_schedule.h"
#include "host_gpu/schedule/row_schedule.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "module/gpu/gpu_ranges.h"

namespace vta::codegen {
namespace {

using namespace mlir;

/// Of integers that a kernel computes with.
constexpr unsigned kMostBits = 32;

bool isShortFloat(Type element) { return element.isF16() || element.isBF16(); }

/// What converts floats of 16 bits, or moves their bits.
bool takesHalves(Operation* op) {
  return isa<graph::CastOp, graph::ConcatOp, graph::ExpandOp, graph::GatherOp, graph::InterleaveOp,
             graph::ReshapeOp, graph::SliceOp, graph::TransposeOp, graph::WhereOp>(op);
}

bool hasKernels(Type element) {
  if (isShortFloat(element)) return true;
  if (element.isF32() || element.isInteger(1)) return true;
  return element.isInteger(8) || element.isInteger(16) || element.isInteger(32) ||
         element.isInteger(64);
}

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Status checkType(Operation* op, Type type) {
  const auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !hasKernels(tensor.getElementType())) {
    return unsupported("a value is a " + textOf(type) +
                       ", not a static tensor of floats, booleans or integers of 8 to 64 bits");
  }
  if (isShortFloat(tensor.getElementType()) && !takesHalves(op)) {
    return unsupported("there is no kernel of it for a " + textOf(type));
  }
  if (tensor.getNumElements() == 0) return unsupported("a value has no elements");
  return {};
}

/// How many ranges of what every GPU binds at once a value is.
int64_t rangesOfValue(Value value) {
  const auto tensor = cast<RankedTensorType>(value.getType());
  const int64_t bytes = std::max<int64_t>(tensor.getElementTypeBitWidth() / 8, 1);
  return ceilDiv(tensor.getNumElements(), static_cast<int64_t>(kGpuRangeBytes) / bytes);
}

/// A large value is bound as several ranges, and a kernel may not bind too many of them. Kernels of
/// small values are never too large, because gpu-group-ops limits their buffers. A concatenation
/// copies one operand at a time.
Status checkRanges(Operation* op) {
  int64_t of_operands = 0, of_results = 0, most = 0;
  for (const Value operand : op->getOperands()) {
    const int64_t ranges = rangesOfValue(operand);
    most = std::max(most, ranges);
    of_operands = isa<graph::ConcatOp>(op) ? most : of_operands + ranges;
  }
  for (const Value result : op->getResults()) {
    of_results += rangesOfValue(result);
    most = std::max(most, rangesOfValue(result));
  }
  // A copy of one operand binds a part of the result, which may begin and end inside of ranges.
  if (isa<graph::ConcatOp>(op)) of_results = std::min(of_results, of_operands + 1);
  if (most == 1 || of_operands + of_results <= kMostRanges) return {};
  return unsupported(
      fmt::format("it uses {} ranges of {} MiB at once, and not all GPUs bind more "
                  "than {}",
                  of_operands + of_results, kGpuRangeBytes >> 20, kMostRanges));
}

Status checkBinary(graph::BinaryOp op) {
  const auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getLhs().getType()));
  if (element && element.getWidth() > kMostBits && op.getKind() == graph::BinaryKind::pow) {
    return unsupported("there is no kernel of powers of integers of 64 bits");
  }
  return {};
}

Status tooManyRounds() {
  return unsupported(fmt::format(
      "each of its results takes loops of more than {} rounds, which not all GPUs finish",
      kMostLoopRounds));
}

/// Of sums over loops of these extents, each of which several invocations share if it is long.
Status checkSum(ArrayRef<int64_t> extents) {
  constexpr int64_t kEndless = int64_t{1} << 32;
  RowSpec spec;
  for (const int64_t extent : extents) {
    spec.terms = std::min(spec.terms * std::min(extent, kEndless), kEndless);
  }
  return brokenRule(spec, defaultRowSchedule(spec, {}), {}).empty() ? Status() : tooManyRounds();
}

/// Of sums of products: one by one, or in blocks.
Status checkContraction(ArrayRef<int64_t> extents) {
  VTA_RETURN_IF_ERROR(checkSum(extents));
  GemmSpec spec{.rows = 8, .columns = 8};
  for (const int64_t extent : extents) spec.depth *= extent;
  return brokenRule(spec, defaultGemmSchedule(spec, {}), {}).empty() ? Status() : tooManyRounds();
}

Status checkMatMul(graph::MatMulOp op) {
  return checkContraction(cast<RankedTensorType>(op.getLhs().getType()).getShape().take_back());
}

Status checkConv(graph::ConvOp op) {
  return checkContraction(cast<RankedTensorType>(op.getWeight().getType()).getShape().drop_front());
}

Status checkConvTranspose(graph::ConvTransposeOp op) {
  SmallVector<int64_t> extents(cast<RankedTensorType>(op.getWeight().getType()).getShape());
  extents.erase(extents.begin() + 1);
  extents.front() /= static_cast<int64_t>(op.getGroup());
  return checkContraction(extents);
}

template <typename Pool>
Status checkPool(Pool op) {
  return checkSum(op.getKernel());
}

Status checkLrn(graph::LrnOp op) { return checkSum({static_cast<int64_t>(op.getSize())}); }

Status checkSoftmax(graph::SoftmaxOp op) {
  const auto input = cast<RankedTensorType>(op.getInput().getType());
  return checkSum(input.getDimSize(static_cast<unsigned>(op.getAxis())));
}

Status checkReduce(graph::ReduceOp op) {
  const auto input = cast<RankedTensorType>(op.getInput().getType());
  SmallVector<int64_t> extents;
  for (const int64_t axis : op.getAxes()) extents.push_back(input.getDimSize(axis));
  return checkSum(extents);
}

Status checkKind(Operation* op) {
  return llvm::TypeSwitch<Operation*, Status>(op)
      .Case<graph::BinaryOp>(checkBinary)
      .Case<graph::ReduceOp>(checkReduce)
      .Case<graph::SoftmaxOp>(checkSoftmax)
      .Case<graph::MatMulOp>(checkMatMul)
      .Case<graph::ConvOp>(checkConv)
      .Case<graph::ConvTransposeOp>(checkConvTranspose)
      .Case<graph::LrnOp>(checkLrn)
      .Case<graph::AvgPoolOp, graph::MaxPoolOp, graph::SumPoolOp>(
          [](auto pool) { return checkPool(pool); })
      .Case<graph::BatchNormOp, graph::CastOp, graph::ClipIntOp, graph::ClipOp, graph::ConcatOp,
            graph::DequantizeOp, graph::ExpandOp, graph::GatherOp, graph::InterleaveOp,
            graph::PadOp, graph::QmulOp, graph::QuantizeOp, graph::ReshapeOp, graph::ShrOp,
            graph::SliceOp, graph::TableOp, graph::TransposeOp, graph::UnaryOp, graph::WhereOp>(
          [](auto) { return Status(); })
      .Default([](Operation*) { return unsupported("GPUs have no kernel of it"); });
}

}  // namespace

Status checkGpuOp(Operation* op) {
  VTA_RETURN_IF_ERROR(checkKind(op));
  for (const Type type : op->getOperandTypes()) VTA_RETURN_IF_ERROR(checkType(op, type));
  for (const Type type : op->getResultTypes()) VTA_RETURN_IF_ERROR(checkType(op, type));
  return checkRanges(op);
}

}  // namespace vta::codegen
