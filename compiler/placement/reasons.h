// Why an operation of the integer graph is not on the VTA, for reports.
#pragma once

#include <string>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/Operation.h"

namespace vta::placement {

/// Why data movement is on the host, if nothing more is known.
inline constexpr const char* kMovementReason = "data movement";

/// Why an operation that no kernel took stays on the host.
class ReasonFinder {
 public:
  /// `refused`: by the last operation of what might have been a kernel, why it is none.
  /// `may_end_kernel`: whether an operation may be such a last one. Both outlive this.
  ReasonFinder(const llvm::DenseMap<mlir::Operation*, std::string>& refused,
               llvm::function_ref<bool(mlir::Operation*)> may_end_kernel)
      : refused_(refused), may_end_kernel_(may_end_kernel) {}

  std::string find(mlir::Operation* op) const;

 private:
  std::string ofContraction(mlir::Operation* op) const;

  const llvm::DenseMap<mlir::Operation*, std::string>& refused_;
  llvm::function_ref<bool(mlir::Operation*)> may_end_kernel_;
};

}  // namespace vta::placement
