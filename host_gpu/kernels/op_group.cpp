#include "host_gpu/kernels/op_group.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace vta::codegen {

using namespace mlir;

OpGroup groupOf(Operation* op) {
  if (auto region = dyn_cast<scf::ExecuteRegionOp>(op)) {
    return llvm::to_vector(region.getRegion().front().getOps<linalg::LinalgOp>());
  }
  if (auto linalg_op = dyn_cast<linalg::LinalgOp>(op)) return {linalg_op};
  return {};
}

bool isLocal(Value buffer) {
  auto alloc = baseOf(buffer).getDefiningOp<memref::AllocOp>();
  return alloc && isa_and_nonnull<scf::ExecuteRegionOp>(alloc->getParentOp());
}

Value baseOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::ViewOp>(view.getOperation()))
      break;  // a buffer's place in the memory of a call
    buffer = view.getViewSource();
  }
  return buffer;
}

SmallVector<unsigned> parallelLoops(linalg::LinalgOp op) {
  SmallVector<unsigned> loops, by_dimension;
  op.getParallelDims(loops);
  if (op.getNumDpsInits() == 0) return loops;
  const AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (const AffineExpr expression : result.getResults()) {
    const auto dimension = dyn_cast<AffineDimExpr>(expression);
    if (!dimension || llvm::is_contained(by_dimension, dimension.getPosition())) return loops;
    if (!llvm::is_contained(loops, dimension.getPosition())) return loops;
    by_dimension.push_back(dimension.getPosition());
  }
  return by_dimension.size() == loops.size() ? by_dimension : loops;
}

SmallVector<unsigned> summingLoops(linalg::LinalgOp op) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  return loops;
}

SmallVector<int64_t> resultExtents(linalg::LinalgOp op) {
  const SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<int64_t> extents;
  for (const unsigned loop : parallelLoops(op)) extents.push_back(ranges[loop]);
  return extents;
}

bool isPointwise(OpOperand& operand) {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  const AffineMap map = op.getMatchingIndexingMap(&operand);
  const SmallVector<unsigned> loops = parallelLoops(op);
  if (map.getNumResults() != loops.size()) return false;
  return llvm::all_of(llvm::zip(map.getResults(), loops), [](const auto& pair) {
    const auto dimension = dyn_cast<AffineDimExpr>(std::get<0>(pair));
    return dimension && dimension.getPosition() == std::get<1>(pair);
  });
}

}  // namespace vta::codegen
