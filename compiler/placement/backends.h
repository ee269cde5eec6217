// Which back end runs what stays on the host.
#pragma once

#include <vector>

#include "compiler/codegen/backend.h"
#include "mlir/IR/Operation.h"

namespace vta::placement {

/// On a host function that another back end than the first one compiles: that back end's name.
inline constexpr const char* kBackendAttr = "vta.backend";

/// Operations that follow each other on one back end; in program order.
struct BackendRun {
  const codegen::Backend* backend = nullptr;
  llvm::SmallVector<mlir::Operation*> ops;
};

/// The one of `backends` that can run `op` and says it takes least; the first of them for equals,
/// for operations that are not of the graph dialect, and for those that none can run. `backends` is
/// not empty.
const codegen::Backend& cheapestBackend(const std::vector<const codegen::Backend*>& backends,
                                        mlir::Operation* op);

/// Cuts `ops`, which are in program order, into runs. An operation goes to the back end that takes
/// least, but a run that gains less than kWorthwhileCost stays on the first back end. With one back
/// end, all operations are one run.
std::vector<BackendRun> assignBackends(const std::vector<const codegen::Backend*>& backends,
                                       llvm::ArrayRef<mlir::Operation*> ops);

}  // namespace vta::placement
