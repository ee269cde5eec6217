// AccumulatorFactors: multiplications of a tile's accumulators between the products of its input
// blocks.
#pragma once

#include <cstdint>

#include "compiler/kernel/emit/constant_operands.h"
#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/emit/tile_job.h"

namespace vta::kernel {

/// Input blocks of a reduction step, counted within each group.
struct BlockRange {
  int64_t first = 0;
  int64_t count = 0;
  int64_t end() const { return first + count; }
};

/// Where and how accumulators are multiplied (KernelDesc::factor_blocks). Keeps references to its
/// arguments.
class AccumulatorFactors {
 public:
  AccumulatorFactors(KernelContext& context, ConstantOperands& constants)
      : context_(context), constants_(constants) {}

  /// The blocks of a step from number `first` of them on whose products are added without a
  /// multiplication in between.
  BlockRange partOf(const Step& step, int64_t first) const;
  /// Emits the multiplication that follows on the products of these blocks of a step, if one does.
  void emitBehind(const TileJob& job, const Step& step, const BlockRange& part);

 private:
  KernelContext& context_;
  ConstantOperands& constants_;
};

}  // namespace vta::kernel
