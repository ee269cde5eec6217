// vta-place-slice: ranges of packed tensors that kernels read where they lie become vta.slice.
#include <optional>

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace vta::compiler {

#define GEN_PASS_DEF_PLACESLICEPASS
#include "compiler/vta/passes.h.inc"

namespace {

/// The one axis along which `slice` takes a range; 0 if it takes all. None: it takes from several,
/// or with steps.
std::optional<int64_t> slicedAxis(graph::SliceOp slice) {
  const llvm::ArrayRef<int64_t> from = shapeOf(slice.getInput()), to = shapeOf(slice.getOutput());
  std::optional<int64_t> axis;
  for (size_t d = 0; d < from.size(); ++d) {
    if (slice.getSteps()[d] != 1 && to[d] > 1) return std::nullopt;
    if (from[d] == to[d]) continue;
    if (axis) return std::nullopt;
    axis = static_cast<int64_t>(d);
  }
  return axis.value_or(0);
}

/// True when `value` lies in the device's memory, written by kernels.
bool isOfKernels(mlir::Value value) {
  mlir::Operation* const op = value.getDefiningOp();
  return isProgram(op) || mlir::isa_and_nonnull<ConcatOp, SliceOp>(op);
}

/// True when kernels alone read `slice`: what is joined to others has its place there, and the host
/// copies what it reads anyway.
bool isForKernels(graph::SliceOp slice) {
  return !slice->use_empty() &&
         llvm::all_of(slice->getUsers(), [](mlir::Operation* op) { return isProgram(op); });
}

class PlaceSlicePass : public impl::PlaceSlicePassBase<PlaceSlicePass> {
 public:
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<mlir::func::FuncOp>("main");
    if (!main) return;
    for (auto slice : llvm::make_early_inc_range(main.getOps<graph::SliceOp>())) {
      if (!isOfKernels(slice.getInput()) || !isForKernels(slice)) continue;
      const std::optional<int64_t> axis = slicedAxis(slice);
      if (!axis || !liesInARow(shapeOf(slice.getInput()), *axis)) continue;
      mlir::OpBuilder builder(slice);
      auto placed = builder.create<SliceOp>(slice.getLoc(), slice.getType(), slice.getInput(),
                                            *axis, slice.getStarts()[static_cast<size_t>(*axis)]);
      slice.replaceAllUsesWith(placed.getOutput());
      slice.erase();
    }
  }
};

}  // namespace

}  // namespace vta::compiler
