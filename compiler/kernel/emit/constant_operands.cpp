#include "compiler/kernel/emit/constant_operands.h"

#include <algorithm>

#include "isa/spec/lookup_table.h"

namespace vta::kernel {
namespace {

// The slot of one of the copies of `range`, if there are so many.
SlotCache makeCopy(const SlotRange& range, uint32_t copy) {
  if (copy >= range.count) return {};
  return {range.slotBase(copy), range.elems, 1};
}

Transfer identityTransfer(const KernelContext& context) {
  Transfer t;
  t.memory_type = MemoryType::kWgt;
  t.buffer = context.buffers.identity;
  t.sram_base = context.plan.sram.identity_base;
  t.push(1, 1);
  return t;
}

Transfer paramTransfer(const KernelContext& context, uint32_t sram_base, int64_t dram_base) {
  Transfer t;
  t.memory_type = MemoryType::kAcc;
  t.buffer = context.buffers.param;
  t.sram_base = sram_base;
  t.dram_base = dram_base;
  return t;
}

// One padding element: in front of any input element, where a LOAD can make it.
Transfer paddingTransfer(const KernelContext& context) {
  Transfer t;
  t.memory_type = MemoryType::kInp;
  t.sram_base = context.plan.sram.pad_base;
  t.push(1, 1);
  const auto kind = loadedPadding(context.plan.geometry.pad_value, context.hw);
  if (!kind) {
    t.buffer = context.buffers.padding;
    return t;
  }
  t.buffer = context.buffers.input;
  t.push(1, 1);
  t.pad_left = 1;
  t.pad_kind = *kind;
  return t;
}

}  // namespace

ConstantOperands::ConstantOperands(KernelContext& context)
    : context_(context),
      params_{makeCopy(context.plan.sram.param, 0), makeCopy(context.plan.sram.param, 1)} {}

void ConstantOperands::fillTable() {
  if (!context_.desc.hasLookup()) return;
  const SlotRange& tiles = context_.plan.sram.acc;
  const uint32_t base = tiles.base;
  const uint32_t room = std::min(tiles.end() - base, kTableWords);
  for (uint32_t word = 0; word < kTableWords; word += room) {
    const uint32_t count = std::min(room, kTableWords - word);
    Transfer words;
    words.memory_type = MemoryType::kAcc;
    words.buffer = context_.buffers.table;
    words.sram_base = base;
    words.dram_base = word;
    words.push(count, 1);
    context_.emit.transfer(words);
    Nest nest;
    nest.base.dst_idx = nest.base.src_idx = base;
    nest.push({count, 1, 1, 0, true});
    context_.emit.aluImmediate(AluOpcode::kTable, tableImmediate(word, base), nest, base,
                               base + count);
  }
}

void ConstantOperands::ensureLoaded() {
  if (loaded_) return;
  loaded_ = true;
  const SramPlan& sram = context_.plan.sram;
  Emitter& emit = context_.emit;
  // The first maximum of a carried row reads what was there.
  if (sram.carry.count > 0) emit.resetAcc(sram.carry.base, sram.carry.end());
  if (sram.has_identity) emit.transfer(identityTransfer(context_));
  if (sram.has_pad) emit.transfer(paddingTransfer(context_));
  if (sram.param_mode == ParamMode::kResident) loadResidentParams();
}

void ConstantOperands::loadResidentParams() {
  const int64_t elems = context_.desc.num_params * context_.plan.geometry.out_channel_blocks;
  const SlotRange& slots = context_.plan.sram.param;
  if (elems == 0) return;
  for (uint32_t copy = 0; copy < slots.count; ++copy) {
    Transfer t = paramTransfer(context_, slots.slotBase(copy), 0);
    t.push(elems, 1);
    context_.emit.transfer(t);
  }
}

// Elements of a channel block in the vector, or pair of vectors, `param`.
uint32_t ConstantOperands::widthOf(int32_t param) const {
  return param == 0 && context_.desc.hasPair() ? 2 : 1;
}

// All vectors of the tile's channel blocks, one behind the other.
void ConstantOperands::loadTileParams(const TileJob& job, uint32_t base) {
  const int64_t blocks = context_.plan.geometry.out_channel_blocks;
  const int64_t own = job.tile.outBlocks();
  const int64_t paired = context_.desc.hasPair() ? 2 : 0;
  if (paired > 0) {
    Transfer pair = paramTransfer(context_, base, paired * job.tile.out_block);
    pair.push(paired * own, 1);
    context_.emit.transfer(pair);
  }
  const int64_t vectors = context_.desc.num_params - paired;
  if (vectors == 0) return;
  Transfer rest =
      paramTransfer(context_, base + u32(paired * own), paired * blocks + job.tile.out_block);
  rest.push(vectors, blocks);
  rest.push(own, 1);
  context_.emit.transfer(rest);
}

uint32_t ConstantOperands::param(const TileJob& job, int32_t param) {
  const Tile& tile = job.tile;
  const SramPlan& sram = context_.plan.sram;
  const int64_t blocks = context_.plan.geometry.out_channel_blocks;
  const uint32_t width = widthOf(param);
  const uint32_t copy = sram.copyNumber(sram.param, job.acc);
  if (sram.param_mode == ParamMode::kResident) {
    return sram.param.slotBase(copy) + u32(param * blocks + width * tile.out_block);
  }
  const bool whole_tile = sram.param_mode == ParamMode::kPerTile;
  const int64_t num_params = context_.desc.num_params;
  const int64_t key = whole_tile ? tile.out_id : tile.out_id * num_params + param;
  const SlotCache::Slot slot = params_[copy].acquire(key);
  if (!slot.hit && whole_tile) {
    loadTileParams(job, slot.base);
  } else if (!slot.hit) {
    Transfer t = paramTransfer(context_, slot.base, param * blocks + width * tile.out_block);
    t.push(width * tile.outBlocks(), 1);
    context_.emit.transfer(t);
  }
  return slot.base + (whole_tile ? u32(param * tile.outBlocks()) : 0);
}

}  // namespace vta::kernel
