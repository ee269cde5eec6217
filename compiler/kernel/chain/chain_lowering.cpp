#include "compiler/kernel/chain/chain_lowering.h"

#include <algorithm>
#include <utility>

#include "base/integer_math.h"
#include "isa/instruction/handover.h"

namespace vta::kernel {

namespace {

// Steps of a producer's tile whose weights and inputs are loaded ahead: each has slots of its own.
int64_t stepsAhead(const KernelPlan& plan) {
  return std::min<int64_t>({plan.tiling.steps(), plan.sram.inp.count, plan.sram.wgt.count});
}

// The first valid row and column in the input.
int64_t firstOf(const RegionAxis& axis) { return axis.origin + axis.valid_begin; }

}  // namespace

ChainLowering::ChainLowering(const Chain& chain, const ChainSchedule& schedule,
                             const Schedule& producer, const HwConfig& hw,
                             const KernelPlan& producer_plan, const KernelPlan& consumer_plan)
    : emit_(hw, chain.consumer.name, consumer_plan.sram.from_top),
      producer_context_(chain.producer, producer, hw, producer_plan, emit_,
                        {.prefix = kProducerPrefix, .has_output = false}),
      consumer_context_(chain.consumer, schedule.consumer, hw, consumer_plan, emit_,
                        {.has_input = false}),
      producer_(producer_context_),
      consumer_(consumer_context_),
      order_(schedule.consumer, consumer_plan) {
  consumer_context_.supplier = this;
  // An element in front of which a LOAD makes padding may be any one.
  consumer_context_.buffers.input = producer_context_.buffers.input;
}

// What the producer computes for a step of a tile of the consumer.
Tile ChainLowering::producerTile(const Tile& tile, const Step& step, const Region& region) const {
  const KernelPlan& plan = producer_context_.plan;
  const int64_t per_group = consumer_context_.plan.geometry.inBlocksPerGroup();
  const int64_t blocks = tile.groups * step.in_blocks;
  const bool in_groups = plan.geometry.groups > 1;  // of one block each
  const int64_t parts = handoverParts(consumer_context_.hw);
  const int64_t col = firstOf(region.cols);
  Tile own;
  own.n = tile.n;
  own.y = firstOf(region.rows);
  own.height = region.rows.validSize();
  own.x = col / parts;
  own.width = ceilDiv(col + region.cols.validSize(), parts) - own.x;
  own.out_block = tile.group * per_group + step.in_block;
  own.group = in_groups ? own.out_block : 0;
  own.groups = in_groups ? blocks : 1;
  own.group_out_blocks = in_groups ? 1 : blocks;
  own.pixel_id = tile.pixel_id;
  own.out_id = own.out_block / plan.tiling.outBlocks();
  return own;
}

// Whether the rows of `tile` begin among those that were computed last, and these stay in OUT while
// the others are computed: in a slot of their own.
bool ChainLowering::continuesLast(const Tile& tile) const {
  if (!last_ || producer_context_.plan.sram.acc.count < 2) return false;
  const Tile& last = last_->tile;
  return last.n == tile.n && last.out_block == tile.out_block &&
         last.outBlocks() == tile.outBlocks() && last.x == tile.x && last.width == tile.width &&
         last.y <= tile.y && tile.y < last.y + last.height &&
         last.y + last.height < tile.y + tile.height;
}

Program ChainLowering::run() {
  const int64_t steps = consumer_context_.plan.tiling.steps();
  const int64_t count = order_.count() * steps;
  load(0);
  compute(items_.front());
  if (count > 1) load(1);
  handover(items_.front());
  TileJob job;
  for (int64_t number = 0; number < count; ++number) {
    ChainItem item = std::move(items_.front());
    items_.pop_front();
    if (number % steps == 0) {
      job = item.job;
      consumer_.start.emitTile(job);
    }
    if (!items_.empty()) compute(items_.front());
    consumer_.gemm.reduce(job, item.loaded);
    if (number + 2 < count) load(number + 2);
    if (!items_.empty()) handover(items_.front());
    if ((number + 1) % steps == 0) consumer_.epilogue.emitRest(job);
  }
  return emit_.finish();
}

// The loads of an item.
void ChainLowering::load(int64_t number) {
  const int64_t steps = consumer_context_.plan.tiling.steps();
  ChainItem& item = items_.emplace_back();
  item.job = order_.job(number / steps);
  item.loaded = consumer_.gemm.load(item.job, order_.step(item.job, number % steps));
}

void ChainLowering::supply(const Tile& tile, const Step& step, const RegionSource& source) {
  ChainRegion& supply = items_.back().supply.emplace();
  supply.to = source;
  TileJob& job = supply.job;
  Tile& own = job.tile;
  own = producerTile(tile, step, source.region);
  if (continuesLast(own)) {
    supply.continued = last_;
    const int64_t begin = last_->tile.y + last_->tile.height;
    own.height -= begin - own.y;
    own.y = begin;
  }
  own.pixel_id = 2 * own.pixel_id + (supply.continued ? 1 : 0);  // the rows are its name
  const KernelPlan& plan = producer_context_.plan;
  const SlotRange& slots = plan.sram.acc;
  job.slot = static_cast<uint32_t>(regions_++ % slots.count);
  job.acc = slots.slotBase(job.slot);
  job.elems = u32(own.elems());
  last_ = job;
  const int64_t ahead = stepsAhead(plan);
  for (int64_t id = 0; id < ahead; ++id) loadStep(supply, id);
}

// Loads a step of the producer's tile.
void ChainLowering::loadStep(ChainRegion& supply, int64_t id) {
  const KernelPlan& plan = producer_context_.plan;
  supply.steps.push_back(producer_.gemm.load(supply.job, makeStep(plan.geometry, plan.tiling, id)));
}

// The producer's GEMMs for an item.
void ChainLowering::compute(ChainItem& item) {
  if (!item.supply) return;
  ChainRegion& supply = *item.supply;
  const KernelPlan& plan = producer_context_.plan;
  producer_.start.emitTile(supply.job);
  const int64_t ahead = stepsAhead(plan);
  for (int64_t id = 0; id < plan.tiling.steps(); ++id) {
    producer_.gemm.reduce(supply.job, supply.steps[static_cast<size_t>(id)]);
    if (id + ahead < plan.tiling.steps()) loadStep(supply, id + ahead);
  }
}

// The ALU's part of what was computed for an item, and its way to INP.
void ChainLowering::handover(ChainItem& item) {
  if (!item.supply) return;
  ChainRegion& supply = *item.supply;
  TileJob& job = supply.job;
  if (supply.continued) {
    transfer(*supply.continued, firstOf(supply.to.region.rows), job.tile.y, supply.to);
  }
  producer_.epilogue.emitNext(job, producer_.epilogue.size() - 1);  // all but the store
  transfer(job, job.tile.y, job.tile.y + job.tile.height, supply.to);
}

// Rows [begin, end) of what `from` has computed, block by block: other rows lie between them.
void ChainLowering::transfer(const TileJob& from, int64_t begin, int64_t end,
                             const RegionSource& to) {
  const HwConfig& hw = consumer_context_.hw;
  const int64_t parts = handoverParts(hw);
  const Tile& tile = from.tile;
  const RegionAxis& rows = to.region.rows;
  const RegionAxis& cols = to.region.cols;
  const int64_t first_row = firstOf(rows);
  // Padding above comes with the first row, padding below with the last one.
  const bool is_first = begin == first_row;
  const bool is_last = end == first_row + rows.validSize();
  const int64_t row = is_first ? 0 : begin - first_row + (to.padded ? rows.padBefore() : 0);
  for (int64_t block = 0; block < tile.outBlocks(); ++block) {
    Transfer t;
    t.memory_type = MemoryType::kInpFromOut;
    t.sram_base = to.base + u32(block * to.blockElems() + row * to.cols());
    t.dram_base = (from.acc + block * tile.pixels() + (begin - tile.y) * tile.width) * parts +
                  firstOf(cols) - tile.x * parts;
    t.push(end - begin, tile.width * parts);
    t.push(cols.validSize(), 1);
    to.addPadding(t, consumer_context_.plan.geometry.pad_value, hw);
    if (!is_first) t.pad_top = 0;
    if (!is_last) t.pad_bottom = 0;
    emit_.handover(t, from.acc, from.end());
  }
}

}  // namespace vta::kernel
