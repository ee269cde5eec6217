#include "compiler/kernel/emit/int8_operand.h"

#include <array>
#include <cassert>

namespace vta::kernel {

Transfer ActivationBox::transfer(MemoryType type, uint32_t sram_base) const {
  const int64_t plane = tensor_height * tensor_width;
  Transfer t;
  t.memory_type = type;
  t.buffer = buffer;
  t.sram_base = sram_base;
  t.dram_base = (n * tensor_blocks + block) * plane + y * tensor_width + x;
  t.push(blocks, plane);
  t.push(rows, row_step * tensor_width);
  t.push(cols, 1);
  return t;
}

ActivationBox outputBox(const KernelPlan& plan, const Tile& tile, uint32_t buffer) {
  ActivationBox box;
  box.buffer = buffer;
  box.n = tile.n;
  box.tensor_blocks = plan.geometry.out_channel_blocks;
  box.tensor_height = plan.outputs.out_height;
  box.tensor_width = plan.outputs.out_width;
  box.block = tile.out_block;
  box.blocks = tile.outBlocks();
  box.y = tile.y;
  box.rows = tile.height;
  box.x = tile.x;
  box.cols = tile.width;
  return box;
}

Int8Loader::Int8Loader(KernelContext& context)
    : context_(context), staging_(makeSlotCache(context.plan.sram.staging)) {}

void Int8Loader::load(const ActivationBox& box, uint32_t acc) {
  if (!context_.schedule.int8_through_gemm) {
    context_.emit.transfer(box.transfer(MemoryType::kAcc8, acc));
    return;
  }
  context_.emit.resetAcc(acc, acc + u32(box.elems()));
  accumulate(box, acc);
}

void Int8Loader::accumulate(const ActivationBox& box, uint32_t acc) {
  assert(context_.schedule.int8_through_gemm);
  Emitter& emit = context_.emit;
  const uint32_t identity = context_.plan.sram.identity_base;
  forEachPiece(box, staging_.slotElems(), [&](const ActivationBox& piece, uint32_t offset) {
    const uint32_t inp = staging_.acquire(staged_number_++).base;
    emit.transfer(piece.transfer(MemoryType::kInp, inp));
    const uint32_t dst = acc + offset;
    const uint32_t elems = u32(piece.elems());
    Nest nest;
    nest.base = {dst, inp, identity};
    nest.push({elems, 1, 1, 0, true});
    const std::array<SramAccess, 3> accesses = {{
        {Sram::kInp, inp, inp + elems, false},
        {Sram::kWgt, identity, identity + 1, false},
        {Sram::kAcc, dst, dst + elems, true},
    }};
    emit.gemm(nest, accesses);
  });
}

}  // namespace vta::kernel
