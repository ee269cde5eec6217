// TileStart: the first value of a tile's accumulators.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/kernel/emit/alu_steps.h"
#include "compiler/kernel/emit/constant_operands.h"
#include "compiler/kernel/emit/int8_operand.h"
#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/emit/tile_job.h"

namespace vta::kernel {

/// Clears tiles, or lets them begin with the bias (KernelPlan::begins_with_bias) or with their
/// input (elementwise kernels). Keeps references to its arguments.
class TileStart {
 public:
  TileStart(KernelContext& context, ConstantOperands& constants, Int8Loader& int8, AluSteps& steps);

  /// Emits what comes before the reduction of a tile. Sets TileJob::has_bias.
  void emitTile(TileJob& job);

 private:
  void clear(TileJob& job);
  bool canBeginWithBias(const TileJob& job) const;
  void beginWithBias(TileJob& job);

  KernelContext& context_;
  ConstantOperands& constants_;
  Int8Loader& int8_;
  AluSteps& steps_;
  std::vector<uint32_t> defined_elems_;  // of each output slot: elements that hold a value
};

}  // namespace vta::kernel
