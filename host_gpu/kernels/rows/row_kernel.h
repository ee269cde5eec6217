// The kernel of ops that go through rows: a few invocations share each row.
#pragma once

#include "host_gpu/kernels/kernel_ir.h"
#include "host_gpu/kernels/rows/row_group.h"

namespace vta::codegen {

/// The kernel of `group`, whose schedule breaks no rule. What the ops make of each element is
/// computed wherever it is used, so that the elements of a row are never kept. Errors, as
/// diagnostics: an operand that is neither a buffer nor a constant.
mlir::FailureOr<KernelIr> buildRowKernel(mlir::Location location, const RowGroup& group,
                                         const RowSchedule& schedule);

}  // namespace vta::codegen
