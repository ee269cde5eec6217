#include "compiler/kernel/tile/accumulator_factors.h"

#include <algorithm>
#include <array>

namespace vta::kernel {

BlockRange AccumulatorFactors::partOf(const Step& step, int64_t first) const {
  const int64_t size = context_.desc.factor_blocks;
  BlockRange part{first, step.in_blocks - first};
  if (size > 0) part.count = std::min(part.count, size - (step.in_block + first) % size);
  return part;
}

void AccumulatorFactors::emitBehind(const TileJob& job, const Step& step, const BlockRange& part) {
  const int64_t size = context_.desc.factor_blocks;
  if (size == 0) return;
  const KernelPlan& plan = context_.plan;
  const Geometry& g = plan.geometry;
  const int64_t end = step.in_block + part.end();
  const bool is_last_block = end % size == 0 || end == g.inBlocksPerGroup();
  const bool is_last_tap = step.ky + step.kernel_height == g.kernel_height &&
                           step.kx + step.kernel_width == g.kernel_width;
  if (!is_last_block || !is_last_tap) return;
  const uint32_t factor = constants_.param(job, context_.desc.factorParam((end - 1) / size));
  const TileArea area = areaOf(plan, job);
  const uint32_t blocks = u32(area.tile.outBlocks());
  const std::array<SramAccess, 2> accesses = {{
      {Sram::kAcc, factor, factor + blocks, false},
      {Sram::kAcc, job.acc, job.end(), true},
  }};
  for (size_t i = 0; i < area.num_grids; ++i) {
    const AccGrid& grid = area.grids[i];
    Nest nest;
    nest.base.dst_idx = grid.acc;
    nest.base.src_idx = factor;
    nest.push({blocks, u32(grid.block_pitch), 1, 0, true});
    nest.push({u32(grid.rows), u32(grid.row_pitch), 0, 0, true});
    nest.push({u32(grid.cols), 1, 0, 0, true});
    context_.emit.alu({.opcode = AluOpcode::kMul, .use_imm = false, .imm = 0}, nest, accesses);
  }
}

}  // namespace vta::kernel
