// vta-place-concat: concatenations whose parts can be written to their places become vta.concat.
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/vta/shape.h"
#include "compiler/dialects/vta/vta.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "module/module_info_check.h"

namespace vta::compiler {

#define GEN_PASS_DEF_PLACECONCATPASS
#include "compiler/vta/passes.h.inc"

namespace {

using mlir::RankedTensorType;
using mlir::Value;

/// The vta.concat that `value` is a part of; none: null.
ConcatOp joinOf(Value value) {
  for (mlir::Operation* user : value.getUsers()) {
    if (auto join = mlir::dyn_cast<ConcatOp>(user)) return join;
  }
  return {};
}

/// True when no host operation writes `value`.
bool isWrittenByKernels(Value value) {
  mlir::Operation* op = value.getDefiningOp();
  if (auto join = mlir::dyn_cast_or_null<ConcatOp>(op)) {
    return llvm::all_of(join.getInputs(), isWrittenByKernels);
  }
  return isProgram(op);
}

/// `parts` with those that are joined already, one behind the other, replaced by what they were
/// joined to: a block of a dense network appends to the parts that an earlier one joined.
llvm::SmallVector<Value> reuseJoined(mlir::ValueRange parts, int64_t axis) {
  llvm::SmallVector<Value> out(parts);
  for (size_t i = 0; i < out.size();) {
    ConcatOp join = joinOf(out[i]);
    const bool reuses =
        join && static_cast<int64_t>(join.getAxis()) == axis &&
        join.getInputs().size() <= out.size() - i &&
        llvm::equal(join.getInputs(), llvm::ArrayRef(out).slice(i, join.getInputs().size()));
    if (!reuses) {
      ++i;
      continue;
    }
    out[i] = join.getOutput();  // and perhaps that one is a part of something as well
    out.erase(out.begin() + i + 1, out.begin() + i + join.getInputs().size());
  }
  return out;
}

/// True when each of `parts` can be written where it lies in the joined tensor.
bool canPlace(llvm::ArrayRef<Value> parts, RankedTensorType joined, int64_t axis) {
  if (!joined.getElementType().isInteger(8)) return false;
  if (!liesInARow(joined.getShape(), axis)) return false;
  const bool all_by_kernels = llvm::all_of(parts, isWrittenByKernels);
  bool any_by_kernel = false;
  uint64_t offset_bytes = 0;
  llvm::DenseSet<Value> seen;
  for (Value part : parts) {
    if (part.getDefiningOp<mlir::arith::ConstantOp>() || joinOf(part)) return false;
    if (!seen.insert(part).second) return false;
    // What the host writes shares no cache line with what the device does.
    if (!all_by_kernels && offset_bytes % kModuleAlignmentBytes != 0) return false;
    offset_bytes +=
        static_cast<uint64_t>(mlir::cast<RankedTensorType>(part.getType()).getNumElements());
    any_by_kernel = any_by_kernel || isWrittenByKernels(part);
  }
  return any_by_kernel;
}

class PlaceConcatPass : public impl::PlaceConcatPassBase<PlaceConcatPass> {
 public:
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<mlir::func::FuncOp>("main");
    if (!main) return;
    for (auto concat : llvm::make_early_inc_range(main.getOps<graph::ConcatOp>())) {
      const auto axis = static_cast<int64_t>(concat.getAxis());
      const auto joined = mlir::cast<RankedTensorType>(concat.getType());
      const llvm::SmallVector<Value> parts = reuseJoined(concat.getInputs(), axis);
      if (!canPlace(parts, joined, axis)) continue;
      mlir::OpBuilder builder(concat);
      auto placed = builder.create<ConcatOp>(concat.getLoc(), joined, parts, concat.getAxis());
      concat.replaceAllUsesWith(placed.getOutput());
      concat.erase();
    }
  }
};

}  // namespace

}  // namespace vta::compiler
