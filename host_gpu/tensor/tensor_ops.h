// What kernels for NVIDIA's tensor cores say beyond other kernels, as ops of the NVVM dialect.
#pragma once

#include <array>
#include <utility>

#include "host_gpu/schedule/gemm_schedule.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace vta::codegen {

/// Rows of both factors are 64 bytes of shared memory: four chunks of 16, which is what one row of
/// a small matrix has.
inline constexpr int64_t kTensorRowBytes = 64;
inline constexpr int64_t kTensorChunkBytes = 16;
inline constexpr int64_t kTensorChunks = kTensorRowBytes / kTensorChunkBytes;
/// One instruction multiplies 16 rows and 8 columns, in two chunks of depth.
inline constexpr int64_t kMmaRows = 16, kMmaColumns = 8, kMmaChunks = 2;
/// One of four warps multiplies 64 rows and all columns of a block, in as many chunks. Shared
/// memory repeats its places of chunks after eight rows.
inline constexpr int64_t kGroupRows = 64, kGroupAlignmentBytes = 512;

/// Emits them. Pointers are of LLVM; indices in bytes, of the index type.
class TensorOps {
 public:
  using Registers = std::array<mlir::Value, 4>;

  TensorOps(mlir::ImplicitLocOpBuilder& b, GemmElement element) : b_(b), element_(element) {}

  /// Where `buffer` begins: an argument of the kernel, or shared memory.
  mlir::Value pointerTo(mlir::Value buffer);
  mlir::Value advance(mlir::Value pointer, mlir::Value bytes);

  /// Starts a copy of 4, 8 or 16 bytes from global to shared memory; of zeros where `inside` is
  /// false. Null: it is true.
  void startCopy(mlir::Value to, mlir::Value from, int64_t bytes, mlir::Value inside);
  /// Makes a group of the copies started since the last one.
  void closeCopies();
  /// Waits until at most so many groups of this invocation's are under way.
  void waitForCopies(int64_t groups);

  /// Four matrices of 8 rows of a chunk each. Lane l has the address of row l % 8 of matrix l / 8.
  /// Those of half floats may be transposed on their way.
  Registers loadMatrices(mlir::Value pointer, bool is_transposed);

  /// The sums of 16 rows and 8 columns with the products of two chunks of depth. A lane has those
  /// of row lane / 4 and columns lane % 4 * 2 and the next one, then the same 8 rows below.
  Registers multiplyAdd(const Registers& left, mlir::Value right_low, mlir::Value right_high,
                        const Registers& sums);

  /// What four warps multiply together, straight from shared memory. Copies and stores of this
  /// invocation's are visible to it behind publishCopies() and a barrier.
  void publishCopies();
  /// What finds rows of 64 bytes in shared memory, from `pointer` on, which begins eight of them
  /// but for a multiple of 32 bytes along the depth.
  mlir::Value describeRows(mlir::Value pointer);
  /// The sums of 64 rows and two columns for each of `sums` with the products of two chunks of
  /// depth for each of `rows`, the left factor's and the right one's. A lane has of each 8 columns
  /// what multiplyAdd() gives it, one after the other.
  mlir::SmallVector<mlir::Value> multiplyGroup(
      mlir::ArrayRef<std::pair<mlir::Value, mlir::Value>> rows, mlir::ArrayRef<mlir::Value> sums);

 private:
  Registers fieldsOf(mlir::Value registers);

  mlir::ImplicitLocOpBuilder& b_;
  GemmElement element_;
};

}  // namespace vta::codegen
