#include "compiler/kernel/tile/tile_start.h"

#include <algorithm>

namespace vta::kernel {

TileStart::TileStart(KernelContext& context, ConstantOperands& constants, Int8Loader& int8,
                     AluSteps& steps)
    : context_(context),
      constants_(constants),
      int8_(int8),
      steps_(steps),
      defined_elems_(context.plan.sram.acc.count, 0) {}

void TileStart::emitTile(TileJob& job) {
  // The first instruction of a program is the micro-op load of this reset. It is a compute
  // instruction and waits for nothing, as 0.0.2 hardware wants it.
  const bool is_elementwise = context_.plan.method == Method::kElementwise;
  const bool through_gemm = context_.schedule.int8_through_gemm;
  const bool is_assigned = context_.plan.gemm_assigns;
  if (!is_assigned && (!is_elementwise || through_gemm)) clear(job);
  constants_.ensureLoaded();
  if (!is_elementwise) return;
  const ActivationBox input = outputBox(context_.plan, job.tile, context_.buffers.input);
  if (through_gemm) {
    int8_.accumulate(input, job.acc);
  } else {
    int8_.load(input, job.acc);
  }
}

// Gives the accumulators of a tile their first value: 0, or for a maximum the smallest one. The ALU
// reads its operand, so it can do that only to elements that hold a value already. After a maximum
// without further steps no value is below the smallest one, so one operation is enough.
void TileStart::clear(TileJob& job) {
  if (canBeginWithBias(job)) return beginWithBias(job);
  Emitter& emit = context_.emit;
  const auto toAll = [&](AluOpcode opcode, int32_t imm) {
    Nest all;
    all.base.dst_idx = all.base.src_idx = job.acc;
    all.push({job.elems, 1, 1, 0, true});
    emit.aluImmediate(opcode, imm, all, job.acc, job.end());
  };
  const bool is_max = context_.startsWithMinimum();
  const bool by_alu = context_.plan.reset_by_alu || (is_max && context_.desc.epilogue.empty());
  if (by_alu && job.elems <= defined_elems_[job.slot]) {
    is_max ? toAll(AluOpcode::kMin, kMinInt8) : toAll(AluOpcode::kMul, 0);
    return;
  }
  emit.resetAcc(job.acc, job.end());
  defined_elems_[job.slot] = std::max(defined_elems_[job.slot], job.elems);
  if (is_max) toAll(AluOpcode::kAdd, kMinInt8);
}

// Whether results lie where the tile goes, and none of them is above its bias.
bool TileStart::canBeginWithBias(const TileJob& job) const {
  if (!context_.plan.begins_with_bias || job.elems > defined_elems_[job.slot]) return false;
  const int64_t first = job.tile.out_block;
  return std::ranges::none_of(context_.desc.small_bias_blocks, [&](int32_t block) {
    return block >= first && block < first + job.tile.outBlocks();
  });
}

// The slot holds results of an earlier tile, and none of them is above the bias. So a maximum with
// the bias clears it and adds the bias at once.
void TileStart::beginWithBias(TileJob& job) {
  EpilogueStep bias = context_.desc.epilogue.front();
  bias.opcode = AluOpcode::kMax;
  steps_.apply(bias, job, wholeTilePart(job.tile, job.acc));
  job.has_bias = true;
}

}  // namespace vta::kernel
