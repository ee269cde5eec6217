// The order of @main's kernels and host operations, so that there are few host functions and the
// host works while the VTA does.
#pragma once

#include <map>
#include <vector>

#include "compiler/codegen/backend.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace vta::placement {

/// Host operations between the same kernels, and the kernels that need nothing past them; each in
/// program order. One stage follows the other; within one, the lists follow each other.
struct HostStage {
  /// Host operations that need none of the last stage's kernels but the early ones: they run while
  /// the VTA runs the others. Empty where that gains nothing.
  llvm::SmallVector<mlir::Operation*> ahead;
  llvm::SmallVector<mlir::Operation*> host;
  llvm::SmallVector<mlir::Operation*> early;    // kernels that the next stage's `ahead` needs
  llvm::SmallVector<mlir::Operation*> kernels;  // the others
  llvm::SmallVector<mlir::Operation*> aside;  // host operations that no kernel of this stage needs
};

/// Stages by level. The level of an operation is how many times its operands come back from a
/// kernel on the longest path. Constants and the terminator are in no stage. `backends`, which is
/// not empty, says what host operations cost.
std::map<int, HostStage> findHostStages(mlir::Block& main,
                                        const std::vector<const codegen::Backend*>& backends);

bool isConstantOp(mlir::Operation* op);

}  // namespace vta::placement
