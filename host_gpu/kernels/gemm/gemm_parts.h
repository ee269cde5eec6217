// Products whose depth the grid shares: a kernel that writes the sums of each part to memory, and
// one that adds them.
#pragma once

#include "host_gpu/kernels/gemm/product.h"
#include "host_gpu/kernels/kernel_ir.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/OwningOpRef.h"

namespace vta::codegen {

/// Memory for the sums of all parts, one part after the other, as an op outside of every block: it
/// stands for the memory among the buffers of the two kernels.
mlir::OwningOpRef<mlir::memref::AllocOp> createPartsMemory(mlir::Location location,
                                                           const Product& product, int64_t parts);

/// The sums of the parts as a product, whose kernel buildGemmKernel and buildTensorKernel build
/// with a schedule of so many parts: the parts are its slowest batch. It writes to `memory`, begins
/// at zero, and nothing is behind its sums.
Product productOfParts(const Product& product, int64_t parts, mlir::Value memory);

/// The kernel of the rest of `product`: what its sums begin with, then the parts in their order,
/// and what is behind them. An invocation has one result, or those of a word.
KernelIr buildPartsKernel(mlir::Location location, const Product& product, int64_t parts,
                          mlir::Value memory);

}  // namespace vta::codegen
