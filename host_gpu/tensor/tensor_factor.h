// A factor of a product on its way to tensor cores: from its buffer, wherever its elements lie, to
// rows of 64 bytes in shared memory, and from there to the registers of a warp.
#pragma once

#include "host_gpu/kernels/gemm/product_frame.h"
#include "host_gpu/tensor/tensor_ops.h"

namespace vta::codegen {

/// Whether half floats are copied along rows or columns, because they cannot be along the depth.
bool areTurned(const Contraction& contraction, const LinearOperand& operand,
               mlir::ArrayRef<unsigned> side, int64_t element_bytes);

/// Its rows in shared memory are rows of the left factor, or columns of the right one; along them
/// goes the depth. Half floats whose neighbours in memory are rows or columns are turned: rows are
/// the depth then, and are transposed on their way to registers. Chunks of a row change their
/// places by an exclusive or, so that the eight rows that are loaded together lie in different
/// banks. For a group of warps the columns of each 16 change their places, too, so that a lane gets
/// four neighbours.
class TensorFactor {
 public:
  struct Geometry {
    int64_t block = 0;  // its rows or columns
    int64_t stages = 1, invocations = 0;
    int64_t element_bytes = 1;
    bool may_end = false;   // whole steps may be behind the end of the depth
    bool of_group = false;  // four warps read it together
  };
  enum class Side : uint8_t { kLeft, kRight };

  TensorFactor(mlir::ImplicitLocOpBuilder& b, const Contraction& contraction,
               const LinearOperand& operand, mlir::ArrayRef<unsigned> side,
               const Geometry& geometry, Side is);

  /// Allocates its shared memory. `base` is the place of the batch, `first` the first row of the
  /// workgroup's block, `invocation` the number of this invocation.
  void place(ProductFrame& frame, TensorOps& ops, mlir::Value base, mlir::Value first,
             mlir::Value invocation);

  /// Whether copies run beside other instructions. If not, they are a gather and a scatter.
  bool isAsync() const { return copy_bytes_ > 0; }
  /// Starts the copies of step `step` to `stage`.
  void startCopies(mlir::Value step, mlir::Value stage);
  /// The words of step `step` that this invocation writes to shared memory.
  mlir::SmallVector<mlir::Value> gather(mlir::Value step);
  void scatter(mlir::ArrayRef<mlir::Value> words, mlir::Value stage);
  /// How many words gather() gives.
  size_t wordCount() const;

  bool isTurned() const { return is_turned_; }
  /// The registers of 16 rows or columns, from `first` on, and two chunks of depth, from `chunk`
  /// on. Of columns, the first two registers are of one instruction, and the others of the next
  /// one: each has two of each four columns, or, if they are turned, eight neighbours.
  TensorOps::Registers load(mlir::Value stage, mlir::Value first, int64_t chunk, mlir::Value lane);
  /// Where a group finds the rows or columns from `first` on, which is a multiple of eight, and two
  /// chunks of depth.
  mlir::Value describe(mlir::Value stage, mlir::Value first, int64_t chunk);

 private:
  /// A chunk, or a part of one, that an invocation copies.
  struct Piece {
    mlir::Value row, number;  // number in the row, in pieces
  };

  bool hasPlacesToTurn() const;
  int64_t rowBytes() const { return is_turned_ ? 2 * geometry_.block : kTensorRowBytes; }
  Piece pieceOf(int64_t pass, int64_t pieces_in_row, bool along_rows);
  mlir::Value placeOfRow(mlir::Value row);
  mlir::Value swizzled(mlir::Value chunk, mlir::Value row);
  mlir::Value chunkPlace(mlir::Value row, mlir::Value chunk, mlir::Value stage);
  mlir::Value rowPlace(mlir::Value row);
  mlir::Value isRowInside(mlir::Value row);
  mlir::Value isDepthInside(mlir::Value depth);
  mlir::Value depthOf(mlir::Value step, mlir::Value in_row);
  mlir::Value gatherWord(mlir::Value row_place, mlir::Value row_inside, mlir::Value first_depth);
  int64_t depthOfStep() const { return kTensorRowBytes / geometry_.element_bytes; }

  mlir::ImplicitLocOpBuilder& b_;
  Indices indices_;
  const Contraction& contraction_;
  const LinearOperand& operand_;
  const LoopGroup side_, depth_;
  const Geometry geometry_;
  const Side is_;
  const bool is_turned_;
  const int64_t copy_bytes_;  // 16, 8 or 4; 0: elements do not lie so that they can be copied
  ProductFrame* frame_ = nullptr;
  TensorOps* ops_ = nullptr;
  mlir::Value shared_{}, shared_pointer_{}, base_{}, first_{}, invocation_{};
};

}  // namespace vta::codegen
