#include "compiler/dialects/vta/vta.h"

#include <algorithm>
#include <optional>
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

/// The shapes of what a kernel works on; what it does not have is empty.
struct KernelShapes {
  SmallVector<int64_t> input, weight, param, residual, output;
  std::optional<int64_t> weight_width_bits = {};
};

SmallVector<int64_t> shapeOrNone(Value value) {
  return value ? SmallVector<int64_t>(shapeOf(value)) : SmallVector<int64_t>();
}

LogicalResult checkShape(mlir::Operation* op, const char* what, ArrayRef<int64_t> shape,
                         ArrayRef<int64_t> expected) {
  if (shape == expected) return mlir::success();
  return op->emitOpError() << what << " has shape [" << shape << "], but the description needs ["
                           << expected << "]";
}

LogicalResult checkPresence(mlir::Operation* op, const char* what, ArrayRef<int64_t> shape,
                            bool expected) {
  if (shape.empty() != expected) return mlir::success();
  return op->emitOpError() << (expected ? "needs a " : "takes no ") << what << " operand";
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
static int64_t weightBlockIn(const kernel::KernelDesc& desc, const KernelShapes& shapes) {
  const ArrayRef<int64_t> weight = shapes.weight;
  if (desc.weight_layout == kernel::WeightLayout::kInputRows) {
    const int64_t elems = desc.geometry.inBlocksPerGroup() * desc.geometry.kernel_width;
    return weight[2] * weight[3] * weight[4] / elems;
  }
  if (!shapes.weight_width_bits) return weight[5];
  const int64_t row_bits = shapes.output[5] * *shapes.weight_width_bits;
  return row_bits > 0 ? weight[4] * 8 / row_bits : 0;
}

// The weights in tiles, or in rows behind each other over the height, the width and the batch.
static SmallVector<int64_t> weightShape(const kernel::KernelDesc& desc, const KernelShapes& shapes,
                                        int64_t block_in) {
  const kernel::Geometry& g = desc.geometry;
  const int64_t batch = shapes.output[4], block_out = shapes.output[5];
  if (desc.weight_layout == kernel::WeightLayout::kTiles) {
    SmallVector<int64_t> tiles = {g.out_channel_blocks, g.inBlocksPerGroup(), g.kernel_height,
                                  g.tapGroups()};
    if (const auto width_bits = shapes.weight_width_bits) {
      tiles.push_back(block_out * block_in * *width_bits / 8);
    } else {
      tiles.append({block_out, block_in});
    }
    return tiles;
  }
  const bool by_outputs = desc.weight_layout == kernel::WeightLayout::kOutputRows;
  const int64_t rows = by_outputs ? g.outBlocksPerGroup() * block_out
                                  : g.inBlocksPerGroup() * g.kernel_width * block_in;
  const int64_t height = std::max<int64_t>(1, shapes.weight[2]);
  return {1,      by_outputs ? g.in_channel_blocks : g.out_channel_blocks,
          height, rows / height / batch,
          batch,  by_outputs ? block_in : block_out};
}

// What the output of a kernel is stored as.
static SmallVector<int64_t> storedShape(const kernel::KernelDesc& desc, int64_t batch,
                                        int64_t block_out) {
  const kernel::Geometry& g = desc.geometry;
  const kernel::Geometry stored = desc.outputGeometry();
  return {g.batch_blocks, g.storedBlocks(), stored.storedHeight(), stored.storedWidth(),
          batch,          block_out};
}

// Whether the shapes are those that the description needs.
static LogicalResult checkKernel(mlir::Operation* op, const kernel::KernelDesc& desc,
                                 const KernelShapes& shapes) {
  const kernel::Geometry& g = desc.geometry;
  const bool contraction = desc.kind == kernel::KernelKind::kContraction;
  if (failed(checkPresence(op, "weight", shapes.weight, contraction)) ||
      failed(checkPresence(op, "param", shapes.param, desc.num_params > 0)) ||
      failed(checkPresence(op, "residual", shapes.residual, desc.residual.has_value()))) {
    return mlir::failure();
  }
  if (shapes.input.size() != 6 || shapes.output.size() != 6) {
    return op->emitOpError("activations must have rank 6");
  }
  const int64_t batch = shapes.output[4];
  const int64_t pixel_block = shapes.input[5];
  const int64_t block_out = shapes.output[5];
  const size_t weight_rank = shapes.weight_width_bits ? 5 : 6;
  if (contraction && shapes.weight.size() != weight_rank) {
    return op->emitOpError() << "weights must have rank " << weight_rank;
  }
  const int64_t block_in = contraction ? weightBlockIn(desc, shapes) : pixel_block;
  const int64_t pixel_elems = pixel_block / std::max<int64_t>(1, block_in);
  if (pixel_elems < 1 || pixel_elems * block_in != pixel_block || g.in_width % pixel_elems != 0 ||
      (pixel_elems > 1 && batch != 1)) {
    return op->emitOpError("a pixel of the input is not whole elements of INP");
  }
  const SmallVector<int64_t> input = {g.batch_blocks, g.in_channel_blocks,
                                      g.in_height,    g.in_width / pixel_elems,
                                      batch,          pixel_block};
  SmallVector<int64_t> residual = {
      g.batch_blocks, g.out_channel_blocks, g.out_height, g.out_width, batch, block_out};
  if (desc.residual_per_image) residual[2] = residual[3] = 1;
  if (failed(checkShape(op, "input", shapes.input, input)) ||
      failed(checkShape(op, "output", shapes.output, storedShape(desc, batch, block_out)))) {
    return mlir::failure();
  }
  const SmallVector<int64_t> param = {desc.num_params, g.out_channel_blocks, batch, block_out};
  if ((contraction &&
       failed(checkShape(op, "weight", shapes.weight, weightShape(desc, shapes, block_in)))) ||
      (desc.num_params > 0 && failed(checkShape(op, "param", shapes.param, param))) ||
      (desc.residual && failed(checkShape(op, "residual", shapes.residual, residual)))) {
    return mlir::failure();
  }
  if (!windowFits(g.in_height, g.pad_top + g.pad_bottom, g.out_height, g.kernel_height, g.stride_y,
                  g.dilation_y) ||
      !windowFits(g.in_width, g.pad_left + g.pad_right, g.out_width, g.kernel_width, g.stride_x,
                  g.dilation_x)) {
    return op->emitOpError("the last window reaches past the padded input");
  }
  return mlir::success();
}

LogicalResult KernelOp::verify() {
  if (getProgram() && !getSchedule()) {
    return emitOpError("a program comes with the schedule that it was made from");
  }
  return checkKernel(*this, getDesc().getValue(),
                     {shapeOrNone(getInput()), shapeOrNone(getWeight()), shapeOrNone(getParam()),
                      shapeOrNone(getResidual()), shapeOrNone(getOutput()), getWeightWidthBits()});
}

LogicalResult ChainOp::verify() {
  const SmallVector<int64_t> output = shapeOrNone(getOutput());
  if (output.size() != 6) return emitOpError("activations must have rank 6");
  const kernel::KernelDesc& first = getFirstDesc().getValue();
  const SmallVector<int64_t> between = storedShape(first, output[4], output[5]);
  if (failed(checkKernel(*this, first,
                         {shapeOrNone(getInput()),
                          shapeOrNone(getFirstWeight()),
                          shapeOrNone(getFirstParam()),
                          {},
                          between,
                          getWeightWidthBits()}))) {
    return mlir::failure();
  }
  return checkKernel(*this, getDesc().getValue(),
                     {between, shapeOrNone(getWeight()), shapeOrNone(getParam()),
                      shapeOrNone(getResidual()), output, getWeightWidthBits()});
}

// Whether the reference is a function of the same operands and results.
template <typename Op>
static LogicalResult checkReference(Op op, mlir::SymbolTableCollection& symbols) {
  const mlir::FlatSymbolRefAttr name = op.getReferenceAttr();
  auto function = symbols.lookupNearestSymbolFrom<mlir::func::FuncOp>(op, name);
  if (!function) return op.emitOpError() << "reference " << name << " is not a function";
  auto expected =
      mlir::FunctionType::get(op.getContext(), op->getOperandTypes(), op->getResultTypes());
  if (function.getFunctionType() == expected) return mlir::success();
  return op.emitOpError() << "reference " << name << " has type " << function.getFunctionType()
                          << " instead of " << expected;
}

bool isProgram(mlir::Operation* op) {
  return mlir::isa_and_nonnull<KernelOp, ChainOp, ProgramOp>(op);
}

LogicalResult KernelOp::verifySymbolUses(mlir::SymbolTableCollection& symbols) {
  return checkReference(*this, symbols);
}

LogicalResult ChainOp::verifySymbolUses(mlir::SymbolTableCollection& symbols) {
  return checkReference(*this, symbols);
}

LogicalResult ProgramOp::verify() {
  const size_t values = getInputs().size() + getOutputs().size();
  if (getOutputs().empty()) return emitOpError("has no output");
  if (getBuffers().size() == values) return mlir::success();
  return emitOpError() << "names " << getBuffers().size() << " buffers of " << values
                       << " inputs and outputs";
}

LogicalResult ProgramOp::verifySymbolUses(mlir::SymbolTableCollection& symbols) {
  return checkReference(*this, symbols);
}

}  // namespace vta::compiler
