// A kernel in the LLVM dialect, for GPUs that LLVM generates code for.
#pragma once

#include "base/status.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace vta::codegen {

/// How a target says what kernels use of the gpu dialect.
struct GridOps {
  /// Numbers, as i32, of the invocation in its workgroup and of the workgroup.
  mlir::Value (*invocation)(mlir::OpBuilder&, mlir::Location, mlir::gpu::Dimension);
  mlir::Value (*workgroup)(mlir::OpBuilder&, mlir::Location, mlir::gpu::Dimension);
  void (*barrier)(mlir::OpBuilder&, mlir::Location);
};

/// One of three ops, for GridOps.
template <typename X, typename Y, typename Z>
mlir::Value gridNumber(mlir::OpBuilder& b, mlir::Location loc, mlir::gpu::Dimension dimension) {
  switch (dimension) {
    case mlir::gpu::Dimension::x:
      return b.create<X>(loc, b.getI32Type());
    case mlir::gpu::Dimension::y:
      return b.create<Y>(loc, b.getI32Type());
    case mlir::gpu::Dimension::z:
      break;
  }
  return b.create<Z>(loc, b.getI32Type());
}

/// Lets sums of products in nested loops be rounded once, before the loops are converted: they get
/// the flag `contract`. For kernels whose KernelIr::keeps_roundings is false.
void allowContraction(mlir::ModuleOp module);

/// Rewrites `module`, a kernel legalised (legalise/passes.h), in the LLVM dialect and the target's.
/// Arguments become pointers to 16 bytes, shared memory becomes variables in address space 3.
/// A cast of a buffer to a pointer is where the buffer begins. Powers become arithmetic; no
/// function of a library is called. Errors: kInternal with the name of an op without a form.
Status convertKernelToLlvm(mlir::ModuleOp module, const GridOps& grid);

}  // namespace vta::codegen
