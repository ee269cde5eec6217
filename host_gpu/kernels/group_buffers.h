// The buffers and constants that a group of ops uses.
#pragma once

#include "host_gpu/kernels/op_group.h"
#include "llvm/ADT/SetVector.h"
#include "module/gpu/gpu_program.h"

namespace vta::codegen {

struct GroupBuffers {
  mlir::SetVector<mlir::Value> buffers{};  // without those that are local to the group
  std::vector<GpuAccess> accesses{};       // of each
  /// Those of which the ops use the elements in the order of their numbers only.
  llvm::DenseSet<mlir::Value> flat{};
  mlir::SetVector<mlir::Operation*> constants{};
};

/// Errors, as diagnostics: a value that is neither a buffer nor a constant.
mlir::FailureOr<GroupBuffers> collectBuffers(const OpGroup& group);

}  // namespace vta::codegen
