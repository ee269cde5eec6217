// What the emitters of blocked kernels share.
#pragma once

#include "host_cpu/blocked/kernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen::blocked {

using Builder = mlir::ImplicitLocOpBuilder;

inline mlir::Value index(Builder& b, int64_t value) {
  return b.create<mlir::arith::ConstantIndexOp>(value);
}
/// a * factor + offset
mlir::Value linear(Builder& b, mlir::Value a, int64_t factor, int64_t offset);
mlir::Value add(Builder& b, mlir::Value x, mlir::Value y);

mlir::VectorType blockType(Builder& b);
mlir::Value splat(Builder& b, double value);
mlir::Value splat(Builder& b, mlir::VectorType type, double value);
/// A vector of the buffer's elements: kBlock of them, or as many as its last dimension has.
mlir::Value loadBlock(Builder& b, mlir::Value buffer, mlir::ValueRange indices);
void storeBlock(Builder& b, mlir::Value value, mlir::Value buffer, mlir::ValueRange indices);
/// x * y + z, fused where the CPU can.
mlir::Value multiplyAdd(Builder& b, const CpuTraits& traits, mlir::Value x, mlir::Value y,
                        mlir::Value z);
mlir::Value activate(Builder& b, const Activation& activation, mlir::Value x);

/// Where a tile of an extent that pieces of `size` cover starts. The last one is moved back to end
/// with the extent: it is computed a second time in part instead of needing code of its own.
mlir::Value tileStart(Builder& b, mlir::Value tile, int64_t size, int64_t extent);

/// A parallel loop nest from 0 to `extents`; `body` gets the induction variables.
void parallel(Builder& b, llvm::ArrayRef<int64_t> extents,
              llvm::function_ref<void(Builder&, mlir::ValueRange)> body);
/// A sequential loop that carries values; `body` returns them for the next iteration.
llvm::SmallVector<mlir::Value> loop(
    Builder& b, mlir::Value begin, mlir::Value end, mlir::ValueRange carried,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(Builder&, mlir::Value, mlir::ValueRange)>
        body);
/// The same without carried values.
void loop(Builder& b, int64_t count, llvm::function_ref<void(Builder&, mlir::Value)> body);

/// Emit the bodies of kernels (see KernelLibrary for the order of the buffers).
void emitConv(Builder& b, const ConvSpec& spec, const ConvSchedule& schedule,
              const CpuTraits& traits, mlir::ValueRange buffers);
/// For schedules with `winograd` > 0.
void emitWinograd(Builder& b, const ConvSpec& spec, const ConvSchedule& schedule,
                  const CpuTraits& traits, mlir::ValueRange buffers);
void emitPool(Builder& b, const PoolSpec& spec, mlir::ValueRange buffers);

}  // namespace vta::codegen::blocked
