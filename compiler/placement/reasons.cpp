#include "compiler/placement/reasons.h"

#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/work.h"
#include "compiler/dialects/vta/vta.h"
#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace vta::placement {

using mlir::Operation;

std::string ReasonFinder::find(Operation* op) const {
  if (auto it = refused_.find(op); it != refused_.end()) return it->second;
  if (graph::isIntegerContraction(op)) return ofContraction(op);
  if (mlir::isa<graph::QuantizeOp, graph::DequantizeOp>(op)) {
    return "conversion between float and integers";
  }
  if (graph::isDataMovement(op)) return kMovementReason;
  const auto is_float = [](mlir::Type type) {
    return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
  };
  if (llvm::any_of(op->getOperandTypes(), is_float) ||
      llvm::any_of(op->getResultTypes(), is_float)) {
    return "float operator";
  }
  return "no kernel for it on the VTA";
}

/// The reason why the kernel that the contraction should have been in was refused.
std::string ReasonFinder::ofContraction(Operation* op) const {
  llvm::SmallVector<Operation*> work{op};
  llvm::DenseSet<Operation*> seen;
  while (!work.empty()) {
    Operation* current = work.pop_back_val();
    if (!seen.insert(current).second) continue;
    if (auto it = refused_.find(current); it != refused_.end()) return it->second;
    if (may_end_kernel_(current)) continue;
    work.append(current->user_begin(), current->user_end());
  }
  return "its 32-bit result is used as it is";
}

}  // namespace vta::placement
