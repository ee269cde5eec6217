#include "compiler/vta/tensorise/recognise_geometry.h"

#include <algorithm>
#include <limits>

#include "compiler/kernel/desc/stored_axis.h"
#include "compiler/vta/common/pixel_view.h"
#include "compiler/vta/common/places/interleave_map.h"
#include "compiler/vta/common/places/pixel_selection.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace vta::compiler {

namespace {

using kernel::Geometry;
using mlir::AffineExpr;
using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::linalg::GenericOp;
using mlir::utils::IteratorType;

/// The loop that `expr` is, or -1.
int loopOf(AffineExpr expr) {
  auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expr);
  return dim ? static_cast<int>(dim.getPosition()) : -1;
}

/// `expr` as stride * d(out) + dilation * d(tap); false if it is anything else. A loop that `expr`
/// does not use has factor 0, which only a single iteration allows.
bool readAxis(AffineExpr expr, int out, int tap, int64_t out_extent, int64_t taps, int64_t& stride,
              int64_t& dilation) {
  mlir::MLIRContext* context = expr.getContext();
  const auto num_dims = static_cast<unsigned>(std::max(out, tap) + 1);
  const auto value_at = [&](int one) -> std::optional<int64_t> {
    llvm::SmallVector<AffineExpr> dims(num_dims + 16, mlir::getAffineConstantExpr(0, context));
    if (one >= 0) dims[static_cast<size_t>(one)] = mlir::getAffineConstantExpr(1, context);
    auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(expr.replaceDims(dims));
    if (!constant) return std::nullopt;
    return constant.getValue();
  };
  const auto origin = value_at(-1), at_out = value_at(out), at_tap = value_at(tap);
  if (origin != 0 || !at_out || !at_tap) return false;
  stride = *at_out;
  dilation = *at_tap;
  const AffineExpr linear = mlir::getAffineDimExpr(static_cast<unsigned>(out), context) * stride +
                            mlir::getAffineDimExpr(static_cast<unsigned>(tap), context) * dilation;
  if (mlir::simplifyAffineExpr(expr - linear, num_dims + 16, 0) !=
      mlir::getAffineConstantExpr(0, context)) {
    return false;
  }
  if (stride == 0 && out_extent == 1) stride = 1;
  if (dilation == 0 && taps == 1) dilation = 1;
  return stride > 0 && dilation > 0;
}

/// Rows and columns: subscripts 2 and 3 of the input against loops y, x and taps ky, kx.
Status readImage(GenericOp op, AffineMap input, llvm::ArrayRef<int> out_loops, int ky, int kx,
                 Geometry& g) {
  const auto extents = op.getStaticLoopRanges();
  g.out_height = extents[static_cast<size_t>(out_loops[2])];
  g.out_width = extents[static_cast<size_t>(out_loops[3])];
  g.kernel_height = extents[static_cast<size_t>(ky)];
  g.kernel_width = extents[static_cast<size_t>(kx)];
  if (!readAxis(input.getResult(2), out_loops[2], ky, g.out_height, g.kernel_height, g.stride_y,
                g.dilation_y) ||
      !readAxis(input.getResult(3), out_loops[3], kx, g.out_width, g.kernel_width, g.stride_x,
                g.dilation_x)) {
    return unsupported("the window's subscripts are not stride and dilation");
  }
  return {};
}

/// Strips tensor.pad off the input; see readWindow for `neutral`.
Result<Value> readPadding(Value padded, Geometry& g, std::optional<int64_t> neutral) {
  Value input = padded;
  if (auto pad = padded.getDefiningOp<mlir::tensor::PadOp>()) {
    const auto low = pad.getStaticLow(), high = pad.getStaticHigh();
    for (size_t d : {0u, 1u, 4u, 5u}) {
      if (low[d] != 0 || high[d] != 0) return unsupported("padding outside rows and columns");
    }
    for (size_t d : {2u, 3u}) {
      if (low[d] < 0 || high[d] < 0) return unsupported("the padding is not constant");
    }
    Value constant = pad.getConstantPaddingValue();
    mlir::IntegerAttr value;
    if (!constant || !mlir::matchPattern(constant, mlir::m_Constant(&value))) {
      return unsupported("the padding value is not constant");
    }
    if (neutral && value.getInt() != *neutral) return unsupported("the padding may be the maximum");
    g.pad_top = low[2];
    g.pad_left = low[3];
    g.pad_bottom = high[2];
    g.pad_right = high[3];
    if (!neutral) g.pad_value = value.getInt();
    input = pad.getSource();
  }
  const auto type = mlir::cast<RankedTensorType>(input.getType());
  g.batch_blocks = type.getDimSize(0);
  g.in_channel_blocks = type.getDimSize(1);
  g.in_height = type.getDimSize(2);
  g.in_width = type.getDimSize(3);
  return wholePixels(input);
}

/// The loops behind the output's first four subscripts: distinct and parallel.
Result<llvm::SmallVector<int>> outerLoops(GenericOp op) {
  const AffineMap output = op.getIndexingMapsArray().back();
  const auto iterators = op.getIteratorTypesArray();
  llvm::SmallVector<int> loops;
  for (unsigned i = 0; i < 4; ++i) {
    const int loop = loopOf(output.getResult(i));
    if (loop < 0 || llvm::is_contained(loops, loop) ||
        iterators[static_cast<size_t>(loop)] != IteratorType::parallel) {
      return unsupported("the output's subscripts are not its own loops");
    }
    loops.push_back(loop);
  }
  return loops;
}

/// The input's channel block is that of the output's group plus the reduction's.
Status readGroups(AffineExpr channel, int out_block, int in_block, int64_t in_per_group,
                  Geometry& g) {
  mlir::MLIRContext* context = channel.getContext();
  g.groups = g.in_channel_blocks / in_per_group;
  const AffineExpr own = mlir::getAffineDimExpr(static_cast<unsigned>(in_block), context);
  if (g.groups == 1 && channel == own) return {};
  if (g.in_channel_blocks % in_per_group == 0 && g.out_channel_blocks % g.groups == 0) {
    const AffineExpr group = mlir::getAffineDimExpr(static_cast<unsigned>(out_block), context)
                                 .floorDiv(g.out_channel_blocks / g.groups);
    const AffineExpr expected = group * in_per_group + own;
    if (mlir::simplifyAffineExpr(channel - expected, 16, 0) ==
        mlir::getAffineConstantExpr(0, context)) {
      return {};
    }
  }
  return unsupported("the channel subscript is not that of a grouped contraction");
}

}  // namespace

Status readLanesGeometry(RankedTensorType input, RankedTensorType output, Geometry& g) {
  if (input.getShape() != output.getShape()) return unsupported("the input is broadcast");
  g.batch_blocks = input.getDimSize(0);
  g.in_channel_blocks = g.out_channel_blocks = g.groups = input.getDimSize(1);
  g.in_height = g.out_height = input.getDimSize(2);
  g.in_width = g.out_width = input.getDimSize(3);
  return {};
}

Result<Value> readContraction(GenericOp op, const IntrinsicMatch& match, Geometry& g) {
  const auto maps = op.getIndexingMapsArray();
  const auto iterators = op.getIteratorTypesArray();
  const AffineMap input = maps[match.operands[0]], weight = maps[match.operands[1]];
  if (op.getNumDpsInputs() != 2 || op.getNumLoops() != 10 || input.getNumResults() != 6 ||
      weight.getNumResults() != 6 || maps.back().getNumResults() != 6) {
    return unsupported("the contraction is not on packed tensors");
  }
  VTA_ASSIGN_OR_RETURN(const auto out, outerLoops(op));
  llvm::SmallVector<int> taps;  // c, ky, kx
  for (unsigned i = 1; i < 4; ++i) {
    const int loop = loopOf(weight.getResult(i));
    if (loop < 0 || llvm::is_contained(taps, loop) ||
        iterators[static_cast<size_t>(loop)] != IteratorType::reduction) {
      return unsupported("the weight's subscripts are not its own loops");
    }
    taps.push_back(loop);
  }
  if (loopOf(weight.getResult(0)) != out[1]) {
    return unsupported("the weight's first subscript is not the output's channel block");
  }
  if (loopOf(input.getResult(0)) != out[0]) {
    return unsupported("input and output differ in the batch subscript");
  }
  VTA_RETURN_IF_ERROR(readImage(op, input, out, taps[1], taps[2], g));
  const auto extents = op.getStaticLoopRanges();
  g.out_channel_blocks = extents[static_cast<size_t>(out[1])];
  VTA_ASSIGN_OR_RETURN(Value source,
                       readPadding(op.getInputs()[match.operands[0]], g, std::nullopt));
  VTA_RETURN_IF_ERROR(
      readGroups(input.getResult(1), out[1], taps[0], extents[static_cast<size_t>(taps[0])], g));
  return source;
}

Result<Value> readWindow(GenericOp op, const IntrinsicMatch& match, Value padded, Geometry& g,
                         std::optional<int64_t> neutral) {
  const auto maps = op.getIndexingMapsArray();
  const AffineMap input = maps[match.operands[1]];
  if (op.getNumLoops() != 8 || input.getNumResults() != 6 || maps.back().getNumResults() != 6) {
    return unsupported("the window reduction is not on packed tensors");
  }
  VTA_ASSIGN_OR_RETURN(const auto out, outerLoops(op));
  if (loopOf(input.getResult(0)) != out[0] || loopOf(input.getResult(1)) != out[1]) {
    return unsupported("input and output differ in the batch or channel subscript");
  }
  llvm::SmallVector<int> taps;  // the two loops that reduce
  const auto iterators = op.getIteratorTypesArray();
  for (size_t i = 0; i < iterators.size(); ++i) {
    if (iterators[i] == IteratorType::reduction) taps.push_back(static_cast<int>(i));
  }
  if (taps.size() != 2) return unsupported("the window does not have two dimensions");
  if (!input.getResult(2).isFunctionOfDim(static_cast<unsigned>(taps[0])) &&
      input.getResult(3).isFunctionOfDim(static_cast<unsigned>(taps[0]))) {
    std::swap(taps[0], taps[1]);
  }
  VTA_RETURN_IF_ERROR(readImage(op, input, out, taps[0], taps[1], g));
  VTA_ASSIGN_OR_RETURN(Value source, readPadding(padded, g, neutral));
  g.out_channel_blocks = g.groups = g.in_channel_blocks;
  return source;
}

namespace {

/// Sets crops and border so that the rows and columns of a selection are stored. They are searched
/// for: kernel::StoredAxis says what a kernel stores.
Status readBorder(const PixelSelection& selection, Geometry& g) {
  const auto shape = mlir::cast<RankedTensorType>(selection.image.getType()).getShape();
  const auto cropOf = [](const std::vector<int64_t>& places, int64_t extent,
                         kernel::Border border) {
    const auto stored = static_cast<int64_t>(places.size());
    const auto begins = [&](int64_t low) {
      const kernel::StoredAxis axis{extent, 1, low, stored, border};
      int64_t i = 0;
      while (i < stored && axis.placeAt(i) == places[static_cast<size_t>(i)]) ++i;
      return i == stored;
    };
    for (int64_t distance = 0; distance <= std::max(stored, extent); ++distance) {
      if (begins(-distance)) return std::optional(-distance);
      if (begins(distance)) return std::optional(distance);
    }
    return std::optional<int64_t>();
  };
  for (const auto border :
       {kernel::Border::kEdge, kernel::Border::kReflect, kernel::Border::kWrap}) {
    const auto top = cropOf(selection.rows, shape[2], border);
    const auto left = cropOf(selection.columns, shape[3], border);
    if (!top || !left) continue;
    g.border = border;
    g.crop_top = *top;
    g.crop_left = *left;
    g.crop_bottom = shape[2] - *top - static_cast<int64_t>(selection.rows.size());
    g.crop_right = shape[3] - *left - static_cast<int64_t>(selection.columns.size());
    return {};
  }
  return unsupported("the outputs beyond the image are neither its edge, mirrored nor wrapped");
}

/// Sets the groups whose blocks are split into phases; false if the map is none of a kernel's.
bool readPhases(GenericOp spread, Geometry& g) {
  for (g.groups = 1; g.groups <= g.storedBlocks(); ++g.groups) {
    if (g.storedBlocks() % g.groups != 0) continue;
    if (spread.getIndexingMapsArray()[0] == interleaveMap(g, spread.getContext())) return true;
  }
  return false;
}

}  // namespace

Result<Value> readInterleave(Value stored, Geometry& g) {
  if (auto generic = stored.getDefiningOp<GenericOp>()) {
    if (const auto selection = matchPixelSelection(generic)) {
      VTA_RETURN_IF_ERROR(readBorder(*selection, g));
      stored = selection->image;
    }
  }
  llvm::ArrayRef<int64_t> image = mlir::cast<RankedTensorType>(stored.getType()).getShape();
  Value value = stored;
  if (auto slice = value.getDefiningOp<mlir::tensor::ExtractSliceOp>(); slice && !g.extends()) {
    value = slice.getSource();
    const auto whole = mlir::cast<RankedTensorType>(value.getType()).getShape();
    const auto starts = slice.getStaticOffsets();
    for (size_t d = 0; d < whole.size(); ++d) {
      const bool is_crop = d == 2 || d == 3;
      if (slice.getStaticStrides()[d] != 1 || mlir::ShapedType::isDynamic(starts[d]) ||
          whole.size() != image.size() || (!is_crop && whole[d] != image[d])) {
        return unsupported("the stored slice is not a crop of rows and columns");
      }
    }
    g.crop_top = starts[2];
    g.crop_left = starts[3];
    g.crop_bottom = whole[2] - image[2] - starts[2];
    g.crop_right = whole[3] - image[3] - starts[3];
  }
  auto collapse = value.getDefiningOp<mlir::tensor::CollapseShapeOp>();
  if (!collapse) return value;
  auto spread = collapse.getSrc().getDefiningOp<GenericOp>();
  const llvm::SmallVector<mlir::ReassociationIndices> together = {{0},    {1}, {2, 3},
                                                                  {4, 5}, {6}, {7}};
  if (!spread || collapse.getReassociationIndices() != together || spread.getNumDpsInputs() != 1 ||
      spread.getNumParallelLoops() != 8 || spread.getNumLoops() != 8) {
    return unsupported("the result is not stored by the OUT intrinsic");
  }
  const auto extents = mlir::cast<RankedTensorType>(collapse.getSrc().getType()).getShape();
  const Value computed = spread.getInputs()[0];
  g.interleave_y = extents[3];
  g.interleave_x = extents[5];
  g.out_channel_blocks = mlir::cast<RankedTensorType>(computed.getType()).getDimSize(1);
  g.phases = g.out_channel_blocks == extents[1] ? 1 : g.interleave_y * g.interleave_x;
  mlir::Block& body = *spread.getBody();
  if (body.getOperations().size() != 1 || body.front().getOperand(0) != body.getArgument(0) ||
      g.storedBlocks() * g.phases != g.out_channel_blocks || !readPhases(spread, g) ||
      !spread.getIndexingMapsArray()[1].isIdentity()) {
    return unsupported("the outputs are neither repeated nor depth to space");
  }
  return computed;
}

}  // namespace vta::compiler
