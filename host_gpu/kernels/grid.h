// Grids of any number of workgroups.
#pragma once

#include <algorithm>

#include "base/integer_math.h"
#include "host_gpu/kernels/kernel_ir.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {

/// Gives `kernel` a grid of `count` workgroups, or a few more: every device starts so many in one
/// direction, and the others go along the next one. The number of a workgroup.
inline mlir::Value layOutWorkgroups(mlir::ImplicitLocOpBuilder& b, KernelIr& kernel,
                                    int64_t count) {
  constexpr int64_t kMostOfGrid = 65535;
  const int64_t across = std::min(count, kMostOfGrid), down = ceilDiv(count, across);
  kernel.workgroups = {static_cast<uint32_t>(across), static_cast<uint32_t>(down), 1};
  const mlir::Value column = b.create<mlir::gpu::BlockIdOp>(mlir::gpu::Dimension::x);
  if (down == 1) return column;
  mlir::Value row = b.create<mlir::gpu::BlockIdOp>(mlir::gpu::Dimension::y);
  row = b.create<mlir::arith::MulIOp>(row, b.create<mlir::arith::ConstantIndexOp>(across));
  return b.create<mlir::arith::AddIOp>(row, column);
}

}  // namespace vta::codegen
