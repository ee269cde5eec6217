#include "compiler/vta/partition/group.h"

#include <string>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/vta/partition/fuse_pool.h"
#include "compiler/vta/partition/group_finder.h"
#include "compiler/vta/partition/group_placement.h"

namespace vta::compiler {
namespace {

using mlir::Operation;
using mlir::Value;

/// A kernel stores blocks of channels: those of one place have to be whole blocks. A convolution
/// can make them so, by the order of its weights.
bool canStore(const OffloadGroup& group, Operation* placement, const HwConfig& hw) {
  auto interleave = mlir::dyn_cast<graph::InterleaveOp>(placement);
  if (!interleave || interleave.getRepeat()) return true;
  if (mlir::isa_and_nonnull<graph::ConvOp>(group.main) && !group.residual) return true;
  return interleave.getGroups() == 1 && shapeOf(interleave.getOutput())[1] % hw.blockOut() == 0;
}

/// The group that computes what `placement` stores elsewhere: the one in front of it, if nothing
/// else reads its result; else one that only loads.
Result<OffloadGroup> computingGroup(Operation* placement, const HwConfig& hw) {
  const Value input = placement->getOperand(0);
  Operation* producer = input.getDefiningOp();
  const bool is_alone =
      producer && input.hasOneUse() && isGroupRoot(producer) && !placementBehind(producer);
  if (is_alone) {
    Result<OffloadGroup> group = findComputation(producer, hw);
    if (group.ok() && canStore(*group, placement, hw)) return group;
  }
  VTA_ASSIGN_OR_RETURN(OffloadGroup group, findComputation(placement, hw));
  if (!canStore(group, placement, hw)) {
    return unsupported("the channels of one place are not whole blocks of " +
                       std::to_string(hw.blockOut()));
  }
  return group;
}

}  // namespace

Result<OffloadGroup> findGroup(Operation* root, const HwConfig& hw) {
  Operation* placement = placementBehind(root);
  if (!placement) {
    Result<OffloadGroup> group = findComputation(root, hw);
    if (group.ok()) {
      std::optional<OffloadGroup> fused = fuseConvolution(*group, hw);
      if (fused) return std::move(*fused);
    }
    return group;
  }
  Result<OffloadGroup> group = computingGroup(placement, hw);
  if (!group.ok()) return group;
  group->root = root;
  group->ops.insert(placement);
  group->ops.insert(root);
  group->interleave = placesOf(placement, root);
  return group;
}

bool isGroupRoot(Operation* op) {
  if (op->getNumResults() != 1 || !isInteger(op->getResult(0), 8)) return false;
  if (isCast(op, 32, 8) || placementBehind(op)) return true;
  if (mlir::isa<graph::MaxPoolOp, graph::ClipIntOp, graph::TableOp>(op)) return true;
  if (auto binary = mlir::dyn_cast<graph::BinaryOp>(op)) {
    using graph::BinaryKind;
    return llvm::is_contained({BinaryKind::add, BinaryKind::min, BinaryKind::max},
                              binary.getKind());
  }
  auto unary = mlir::dyn_cast<graph::UnaryOp>(op);
  return unary && unary.getKind() == graph::UnaryKind::relu;
}

bool mayComeFromKernels(Value value) {
  Operation* op = value.getDefiningOp();
  if (!op) return false;
  if (mlir::isa<graph::ConcatOp>(op)) return llvm::all_of(op->getOperands(), mayComeFromKernels);
  return isGroupRoot(op);
}

bool mayGoToKernels(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation* user) {
    return !mlir::isa<graph::DequantizeOp>(user) && !user->hasTrait<mlir::OpTrait::IsTerminator>();
  });
}

}  // namespace vta::compiler
