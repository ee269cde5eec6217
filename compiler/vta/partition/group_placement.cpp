#include "compiler/vta/partition/group_placement.h"

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/shape.h"

namespace vta::compiler {
namespace {

using mlir::Operation;

/// Whether the slice keeps batch and channels, and neighbouring rows and columns of an image.
bool isCrop(graph::SliceOp slice) {
  return shapeOf(slice.getInput()).size() == 4 &&
         llvm::all_of(slice.getSteps(), [](int64_t step) { return step == 1; }) &&
         shapeOf(slice.getInput()).take_front(2) == shapeOf(slice.getOutput()).take_front(2);
}

/// Whether rows and columns alone are padded, with what the image holds.
bool extendsImage(graph::PadOp pad) {
  const auto isNone = [](llvm::ArrayRef<int64_t> pads) { return pads[0] == 0 && pads[1] == 0; };
  return pad.getMode() != graph::PadMode::constant && shapeOf(pad.getInput()).size() == 4 &&
         isNone(pad.getLow()) && isNone(pad.getHigh());
}

/// `root` itself, or what the slice `root` crops and nothing else reads; null if neither.
graph::InterleaveOp interleaveBehind(Operation* root) {
  if (auto interleave = mlir::dyn_cast<graph::InterleaveOp>(root)) return interleave;
  auto slice = mlir::dyn_cast<graph::SliceOp>(root);
  if (!slice || !isCrop(slice) || !slice.getInput().hasOneUse()) return {};
  return slice.getInput().getDefiningOp<graph::InterleaveOp>();
}

kernel::Border borderOf(graph::PadMode mode) {
  if (mode == graph::PadMode::reflect) return kernel::Border::kReflect;
  return mode == graph::PadMode::wrap ? kernel::Border::kWrap : kernel::Border::kEdge;
}

}  // namespace

Operation* placementBehind(Operation* root) {
  if (graph::InterleaveOp interleave = interleaveBehind(root)) return interleave;
  if (auto slice = mlir::dyn_cast<graph::SliceOp>(root)) return isCrop(slice) ? root : nullptr;
  auto pad = mlir::dyn_cast<graph::PadOp>(root);
  return pad && extendsImage(pad) ? root : nullptr;
}

GroupInterleave placesOf(Operation* placement, Operation* root) {
  GroupInterleave places;
  places.op = placement;
  if (auto interleave = mlir::dyn_cast<graph::InterleaveOp>(placement)) {
    places.rows = interleave.getBlock()[0];
    places.cols = interleave.getBlock()[1];
    places.groups = static_cast<int64_t>(interleave.getGroups());
    places.repeats = interleave.getRepeat();
  } else {
    places.repeats = true;  // once
  }
  if (auto slice = mlir::dyn_cast<graph::SliceOp>(root)) {
    const llvm::ArrayRef<int64_t> from = shapeOf(slice.getInput()), to = shapeOf(slice.getOutput());
    places.crop_top = slice.getStarts()[2];
    places.crop_left = slice.getStarts()[3];
    places.crop_bottom = from[2] - to[2] - places.crop_top;
    places.crop_right = from[3] - to[3] - places.crop_left;
  }
  if (auto pad = mlir::dyn_cast<graph::PadOp>(root)) {
    places.border = borderOf(pad.getMode());
    places.crop_top = -pad.getLow()[2];
    places.crop_left = -pad.getLow()[3];
    places.crop_bottom = -pad.getHigh()[2];
    places.crop_right = -pad.getHigh()[3];
  }
  return places;
}

}  // namespace vta::compiler
