#include "compiler/dialects/vta/vta.h"

#include <utility>

#include "compiler/dialects/vta/shape.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

// Generated code has unused parameters.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "compiler/dialects/vta/vta_dialect.cpp.inc"

void vta::compiler::VtaDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialects/vta/vta_ops.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "compiler/dialects/vta/vta_ops.cpp.inc"

namespace vta::compiler {

namespace {

using mlir::ArrayRef;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::SmallVector;
using mlir::Value;

/// Checks `value`'s shape; `rank` is `expected`'s size.
LogicalResult checkShape(KernelOp op, const char* what, Value value, ArrayRef<int64_t> expected) {
  if (shapeOf(value) == expected) return mlir::success();
  auto diagnostic = op.emitOpError() << what << " has shape [" << shapeOf(value)
                                     << "], but the description needs [" << expected << "]";
  return diagnostic;
}

LogicalResult checkPresence(KernelOp op, const char* what, Value value, bool expected) {
  if (static_cast<bool>(value) == expected) return mlir::success();
  return op.emitOpError() << (expected ? "needs a " : "takes no ") << what << " operand";
}

/// Ranges of `shape` along `axis` lie in a row.
LogicalResult checkLiesInARow(mlir::Operation* op, ArrayRef<int64_t> shape, int64_t axis) {
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size())) {
    return op->emitOpError() << "axis is " << axis << ", legal: 0 to " << shape.size() - 1;
  }
  if (liesInARow(shape, axis)) return mlir::success();
  return op->emitOpError("the extents in front of the axis must be 1");
}

/// The last output position reads inside the padded input.
bool windowFits(int64_t in, int64_t pads, int64_t out, int64_t kernel, int64_t stride,
                int64_t dilation) {
  return (out - 1) * stride + (kernel - 1) * dilation + 1 <= in + pads;
}

LogicalResult checkPacked(mlir::Operation* op, Value plain, Value packed) {
  auto plain_type = mlir::cast<RankedTensorType>(plain.getType());
  auto packed_type = mlir::cast<RankedTensorType>(packed.getType());
  if (plain_type.getRank() != 4 && plain_type.getRank() != 2) {
    return op->emitOpError("the plain tensor must have rank 4 (NCHW) or 2 (rows, channels)");
  }
  if (packed_type.getRank() != 6) return op->emitOpError("the packed tensor must have rank 6");
  auto expected = packedType(plain_type, packed_type.getDimSize(4), packed_type.getDimSize(5));
  if (expected == packed_type) return mlir::success();
  return op->emitOpError() << "the packed tensor should be " << expected;
}

}  // namespace

RankedTensorType packedType(RankedTensorType plain, int64_t batch, int64_t block) {
  auto blocks = [](int64_t extent, int64_t size) {
    return static_cast<int64_t>(llvm::divideCeil(extent, size));
  };
  ArrayRef<int64_t> shape = plain.getShape();
  SmallVector<int64_t> packed;
  if (shape.size() == 2) {
    packed = {1, blocks(shape[1], block), 1, blocks(shape[0], batch), batch, block};
  } else {
    packed = {blocks(shape[0], batch), blocks(shape[1], block), shape[2], shape[3], batch, block};
  }
  return RankedTensorType::get(packed, plain.getElementType());
}

LogicalResult PackOp::verify() { return checkPacked(*this, getInput(), getOutput()); }

LogicalResult UnpackOp::verify() { return checkPacked(*this, getOutput(), getInput()); }

mlir::OpFoldResult PackOp::fold(FoldAdaptor) {
  // Padding lanes are unspecified, so the round trip is the identity even for ragged channels.
  auto unpack = getInput().getDefiningOp<UnpackOp>();
  if (unpack && unpack.getInput().getType() == getType()) return unpack.getInput();
  return {};
}

mlir::OpFoldResult UnpackOp::fold(FoldAdaptor) {
  auto pack = getInput().getDefiningOp<PackOp>();
  if (pack && pack.getInput().getType() == getType()) return pack.getInput();
  return {};
}

LogicalResult ConcatOp::verify() {
  const ArrayRef<int64_t> joined = shapeOf(getOutput());
  const auto axis = static_cast<int64_t>(getAxis());
  if (getInputs().empty()) return emitOpError("needs an input");
  if (failed(checkLiesInARow(*this, joined, axis))) return mlir::failure();
  int64_t extent = 0;
  for (Value input : getInputs()) {
    SmallVector<int64_t> shape(shapeOf(input));
    if (shape.size() == joined.size()) extent += std::exchange(shape[axis], joined[axis]);
    if (ArrayRef<int64_t>(shape) != joined) {
      return emitOpError() << "an input has shape [" << shapeOf(input) << "], the result ["
                           << joined << "]";
    }
  }
  if (extent == joined[axis]) return mlir::success();
  return emitOpError() << "the inputs have " << extent
                       << " together along the axis, the result has " << joined[axis];
}

LogicalResult SliceOp::verify() {
  const ArrayRef<int64_t> whole = shapeOf(getInput());
  const auto axis = static_cast<int64_t>(getAxis()), start = static_cast<int64_t>(getStart());
  if (failed(checkLiesInARow(*this, whole, axis))) return mlir::failure();
  SmallVector<int64_t> shape(shapeOf(getOutput()));
  const int64_t extent = shape.size() == whole.size() ? std::exchange(shape[axis], whole[axis]) : 0;
  if (ArrayRef<int64_t>(shape) != whole) {
    return emitOpError() << "the input has shape [" << whole << "], the result ["
                         << shapeOf(getOutput()) << "]";
  }
  if (start >= 0 && extent <= whole[axis] - start) return mlir::success();
  return emitOpError() << "takes " << extent << " from " << start
                       << " on along the axis, which has " << whole[axis];
}

// BLOCK_IN by the weights, which say it themselves unless they are narrow or lie in rows.
static int64_t weightBlockIn(KernelOp op, int64_t block_out) {
  const kernel::KernelDesc& desc = op.getDesc().getValue();
  if (desc.weight_layout == kernel::WeightLayout::kInputRows) {
    const auto matrix = shapeOf(op.getWeight());
    const int64_t elems = desc.geometry.inBlocksPerGroup() * desc.geometry.kernel_width;
    return matrix[2] * matrix[3] * matrix[4] / elems;
  }
  const auto width_bits = op.getWeightWidthBits();
  if (!width_bits) return shapeOf(op.getWeight())[5];
  const auto row_bits = block_out * static_cast<int64_t>(*width_bits);
  return row_bits > 0 ? shapeOf(op.getWeight())[4] * 8 / row_bits : 0;
}

// The weights in tiles, or in rows behind each other over the height, the width and the batch.
static SmallVector<int64_t> weightShape(KernelOp op, int64_t block_in, int64_t block_out) {
  const kernel::KernelDesc& desc = op.getDesc().getValue();
  const kernel::Geometry& g = desc.geometry;
  const int64_t batch = shapeOf(op.getOutput())[4];
  if (desc.weight_layout == kernel::WeightLayout::kTiles) {
    SmallVector<int64_t> tiles = {g.out_channel_blocks, g.inBlocksPerGroup(), g.kernel_height,
                                  g.tapGroups()};
    if (const auto width_bits = op.getWeightWidthBits()) {
      tiles.push_back(block_out * block_in * static_cast<int64_t>(*width_bits) / 8);
    } else {
      tiles.append({block_out, block_in});
    }
    return tiles;
  }
  const bool by_outputs = desc.weight_layout == kernel::WeightLayout::kOutputRows;
  const int64_t rows = by_outputs ? g.outBlocksPerGroup() * block_out
                                  : g.inBlocksPerGroup() * g.kernel_width * block_in;
  const int64_t height = std::max<int64_t>(1, shapeOf(op.getWeight())[2]);
  return {1,      by_outputs ? g.in_channel_blocks : g.out_channel_blocks,
          height, rows / height / batch,
          batch,  by_outputs ? block_in : block_out};
}

LogicalResult KernelOp::verify() {
  const kernel::KernelDesc& desc = getDesc().getValue();
  const kernel::Geometry& g = desc.geometry;
  if (getProgram() && !getSchedule()) {
    return emitOpError("a program comes with the schedule that it was made from");
  }
  const bool contraction = desc.kind == kernel::KernelKind::kContraction;
  if (failed(checkPresence(*this, "weight", getWeight(), contraction)) ||
      failed(checkPresence(*this, "param", getParam(), desc.num_params > 0)) ||
      failed(checkPresence(*this, "residual", getResidual(), desc.residual.has_value()))) {
    return mlir::failure();
  }
  for (Value activation : {Value(getInput()), Value(getOutput())}) {
    if (shapeOf(activation).size() != 6) return emitOpError("activations must have rank 6");
  }
  const int64_t batch = shapeOf(getOutput())[4];
  const int64_t pixel_block = shapeOf(getInput())[5];
  const int64_t block_out = shapeOf(getOutput())[5];
  const size_t weight_rank = getWeightWidthBits() ? 5 : 6;
  if (getWeight() && shapeOf(getWeight()).size() != weight_rank) {
    return emitOpError() << "weights must have rank " << weight_rank;
  }
  const int64_t block_in = getWeight() ? weightBlockIn(*this, block_out) : pixel_block;
  const int64_t pixel_elems = pixel_block / std::max<int64_t>(1, block_in);
  if (pixel_elems < 1 || pixel_elems * block_in != pixel_block || g.in_width % pixel_elems != 0 ||
      (pixel_elems > 1 && batch != 1)) {
    return emitOpError("a pixel of the input is not whole elements of INP");
  }
  const SmallVector<int64_t> input = {g.batch_blocks, g.in_channel_blocks,
                                      g.in_height,    g.in_width / pixel_elems,
                                      batch,          pixel_block};
  const SmallVector<int64_t> accumulators = {
      g.batch_blocks, g.out_channel_blocks, g.out_height, g.out_width, batch, block_out};
  SmallVector<int64_t> residual = accumulators;
  if (desc.residual_per_image) residual[2] = residual[3] = 1;
  const kernel::Geometry stored = desc.outputGeometry();
  const SmallVector<int64_t> output = {
      g.batch_blocks, g.storedBlocks(), stored.storedHeight(), stored.storedWidth(),
      batch,          block_out};
  if (failed(checkShape(*this, "input", getInput(), input)) ||
      failed(checkShape(*this, "output", getOutput(), output))) {
    return mlir::failure();
  }
  if (getWeight() &&
      failed(checkShape(*this, "weight", getWeight(), weightShape(*this, block_in, block_out)))) {
    return mlir::failure();
  }
  if (getParam() && failed(checkShape(*this, "param", getParam(),
                                      {desc.num_params, g.out_channel_blocks, batch, block_out}))) {
    return mlir::failure();
  }
  if (getResidual() && failed(checkShape(*this, "residual", getResidual(), residual))) {
    return mlir::failure();
  }
  if (!windowFits(g.in_height, g.pad_top + g.pad_bottom, g.out_height, g.kernel_height, g.stride_y,
                  g.dilation_y) ||
      !windowFits(g.in_width, g.pad_left + g.pad_right, g.out_width, g.kernel_width, g.stride_x,
                  g.dilation_x)) {
    return emitOpError("the last window reaches past the padded input");
  }
  return mlir::success();
}

LogicalResult KernelOp::verifySymbolUses(mlir::SymbolTableCollection& symbols) {
  auto function = symbols.lookupNearestSymbolFrom<mlir::func::FuncOp>(*this, getReferenceAttr());
  if (!function) return emitOpError() << "reference " << getReferenceAttr() << " is not a function";
  auto expected =
      mlir::FunctionType::get(getContext(), getOperandTypes(), (*this)->getResultTypes());
  if (function.getFunctionType() == expected) return mlir::success();
  return emitOpError() << "reference " << getReferenceAttr() << " has type "
                       << function.getFunctionType() << " instead of " << expected;
}

}  // namespace vta::compiler
