// What emitters of integer kernels share. Bytes in buffers are int8 plus 128 (see conv_spec.h).
#pragma once

#include "host_cpu/blocked/emit.h"

namespace vta::codegen::blocked {

/// What turns an int8 into a stored byte, and back: as bits, the sign's.
inline constexpr int64_t kByteOffset = 128;

/// A vector of `type` with `value` in every lane.
mlir::Value integerSplat(Builder& b, mlir::Type type, int64_t value);

/// The stored bytes of a block.
mlir::Value loadBytes(Builder& b, mlir::Value buffer, mlir::ValueRange indices);
void storeBytes(Builder& b, mlir::Value bytes, mlir::Value buffer, mlir::ValueRange indices);
/// The int8 that stored bytes stand for, as 32 bits each.
mlir::Value widenBytes(Builder& b, mlir::Value bytes);
/// The low bytes of 32-bit int8 results, as they are stored.
mlir::Value narrowToBytes(Builder& b, mlir::Value values);

/// sum + the four products of the bytes of each word: stored ones of `x`, signed ones of `y`. All
/// are vectors of kBlock words. The factors of `x` are its int8 plus multipliedOffset().
mlir::Value addByteProducts(Builder& b, const CpuTraits& traits, mlir::Value x, mlir::Value y,
                            mlir::Value sum);
int64_t multipliedOffset(const CpuTraits& traits);
/// Words of one channel each, with its bytes of four neighbouring pixels: of 4 x 4 loaded words.
mlir::Value transposePixels(Builder& b, mlir::Value words);

/// Between plain int8 tensors and stored bytes (see KernelLibrary::pack and unpack).
void emitPackBytes(Builder& b, const Layout& layout, bool rows, mlir::ValueRange buffers);
void emitUnpackBytes(Builder& b, const Layout& layout, bool rows, mlir::ValueRange buffers);

/// Evaluates a formula (integer_finish.h) for a block of sums and images of 32 bits. `constant`
/// gives the vector of a constant.
mlir::Value emitFinish(Builder& b, const std::string& formula, mlir::Value sum,
                       mlir::ValueRange images, llvm::function_ref<mlir::Value(int64_t)> constant);

}  // namespace vta::codegen::blocked
