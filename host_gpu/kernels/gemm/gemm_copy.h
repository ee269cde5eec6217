// A workgroup's part of a factor of a product: from its buffer to shared memory, step by step.
#pragma once

#include "host_gpu/kernels/loop_group.h"
#include "host_gpu/schedule/gemm_schedule.h"

namespace vta::codegen {

/// Where an invocation is in the copies of its workgroup.
struct CopyPlace {
  mlir::Value copier;  // its number among those that copy the same step
  mlir::Value part;    // the part of the depth that it sums; null: there is one
};

/// Shared memory is [stage][part of the depth][depth][row or column]. With schedules of kDot4 an
/// element of it is a word of four bytes that are neighbours in the depth.
class FactorCopier {
 public:
  /// `side` are the rows or columns, of which a block has `block`.
  FactorCopier(mlir::ImplicitLocOpBuilder& b, const Contraction& contraction,
               const GemmSchedule& schedule, const LinearOperand& operand, const LoopGroup& side,
               const LoopGroup& depth, int64_t block);

  /// Whether the kernel's argument for the operand may be a row of words of four bytes each.
  bool hasWords() const;

  /// Allocates the shared memory. `buffer` is the kernel's argument, `base` the place of the batch,
  /// `first` the first row or column of the block.
  void place(mlir::Value buffer, mlir::Value base, mlir::Value first, const CopyPlace& at);

  /// The elements that this invocation copies for the step of the depth that begins at `step`,
  /// zeros behind the end. `may_end`: all of the step may be behind it.
  mlir::SmallVector<mlir::Value> load(mlir::Value step, bool may_end);

  /// Writes them to shared memory. `stage` is the number of its stage; null: there is one.
  void store(mlir::ArrayRef<mlir::Value> elements, mlir::Value stage);

  /// The element `in_block` of row `depth` of the step in shared memory.
  mlir::Value shared(mlir::Value depth, mlir::Value in_block, mlir::Value stage);

 private:
  /// A number whose one part is the same for all elements that an invocation copies.
  struct Sum {
    mlir::Value variable{};
    int64_t known = 0;
  };
  /// Neighbours that are copied together: where the first of them is in the step.
  struct Neighbours {
    Sum in_depth, in_side;
  };
  /// An element of a group, from the first one on.
  struct Offset {
    int64_t in_depth = 0, in_side = 0;
  };

  int64_t stepRows() const { return schedule_.block_depth / schedule_.packed(); }
  int64_t copiers() const { return schedule_.invocations() / schedule_.split_depth; }
  mlir::Value valueOf(Sum sum) { return indices_.add(sum.variable, sum.known); }
  mlir::SmallVector<Neighbours> neighbours();
  std::pair<Sum, Sum> splitElement(int64_t done, int64_t inner);
  Sum withOffset(Sum place, const LoopGroup& loops, mlir::Value first, Sum at);
  mlir::Value packed(const Neighbours& group, Offset offset, mlir::Value step, bool may_end);
  mlir::Value element(const Neighbours& group, Offset offset, mlir::Value step, bool may_end);
  mlir::Value sharedPlace(mlir::Value in_step, mlir::Value stage);

  mlir::ImplicitLocOpBuilder& b_;
  Indices indices_;
  const GemmSchedule& schedule_;
  const LinearOperand& operand_;
  const LoopGroup& side_;
  const LoopGroup& depth_;
  const int64_t block_;
  const mlir::Type sum_;
  const bool by_depth_;  // neighbours in memory are neighbours in the depth
  mlir::Value buffer_{}, base_{}, first_{}, shared_{};
  CopyPlace at_{};
};

}  // namespace vta::codegen
