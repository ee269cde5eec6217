// AluPooling: the accumulators of a tile by the ALU, over inputs that are held in ACC.
#pragma once

#include <cstdint>

#include "compiler/kernel/desc/tiling.h"
#include "compiler/kernel/emit/constant_operands.h"
#include "compiler/kernel/emit/int8_operand.h"
#include "compiler/kernel/emit/kernel_context.h"
#include "compiler/kernel/emit/tile_job.h"
#include "compiler/kernel/tile/gemm_reduction.h"

namespace vta::kernel {

/// Poolings that neither the GEMM core does (sums by the identity) nor PoolInPlace: every tap of
/// every output is one ALU operation. Keeps references to its arguments.
class AluPooling {
 public:
  AluPooling(KernelContext& context, ConstantOperands& constants, Int8Loader& int8)
      : context_(context), constants_(constants), int8_(int8) {}

  /// Brings the input region of a step into ACC.
  void loadInput(const TileJob& job, const Step& step);
  /// Combines what loadInput has brought with the accumulators of the tile, which hold a value.
  void emitStep(const TileJob& job, const Step& step);

 private:
  void emitTaps(const Tile& tile, const RegionSource& source, const TapRun& ky, const TapRun& kx,
                uint32_t acc);

  KernelContext& context_;
  ConstantOperands& constants_;
  Int8Loader& int8_;
};

/// What the padding that the taps of a step read contributes to the pooled outputs at `acc`, as ALU
/// immediates.
void padPoolByAlu(KernelContext& context, const Tile& tile, const Step& step, const Region& region,
                  uint32_t acc);

}  // namespace vta::kernel
