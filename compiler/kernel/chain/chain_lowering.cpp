#include "compiler/kernel/chain/chain_lowering.h"

#include <algorithm>
#include <utility>

#include "base/integer_math.h"
#include "isa/instruction/handover.h"

namespace vta::kernel {

ChainLink::ChainLink(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                     const KernelPlan& plan, Emitter& emit, const KernelRole& role)
    : context(desc, schedule, hw, plan, emit, role),
      constants(context),
      int8(context),
      steps(context, constants),
      start(context, constants, int8, steps),
      gemm(context),
      epilogue(context, int8, steps) {}

ChainLowering::ChainLowering(const Chain& chain, const ChainSchedule& schedule,
                             const Schedule& producer, const HwConfig& hw,
                             const KernelPlan& producer_plan, const KernelPlan& consumer_plan)
    : emit_(hw, chain.consumer.name, false),
      producer_(chain.producer, producer, hw, producer_plan, emit_,
                {.prefix = kProducerPrefix, .has_output = false}),
      consumer_(chain.consumer, schedule.consumer, hw, consumer_plan, emit_, {.has_input = false}),
      order_(schedule.consumer, consumer_plan) {
  consumer_.context.supplier = this;
  // An element in front of which a LOAD makes padding may be any one.
  consumer_.context.buffers.input = producer_.context.buffers.input;
}

Tile ChainLowering::producerTile(const RegionRequest& request) const {
  const KernelPlan& plan = producer_.context.plan;
  const Geometry& consumer = consumer_.context.plan.geometry;
  const RegionAxis& rows = request.region.rows;
  const RegionAxis& cols = request.region.cols;
  const int64_t first = request.tile.group * consumer.inBlocksPerGroup() + request.step.in_block;
  const int64_t blocks = request.tile.groups * request.step.in_blocks;
  const bool in_groups = plan.geometry.groups > 1;  // of one block each
  const int64_t parts = handoverParts(consumer_.context.hw);
  const int64_t col = cols.origin + cols.valid_begin;
  Tile tile;
  tile.n = request.tile.n;
  tile.y = rows.origin + rows.valid_begin;
  tile.height = rows.validSize();
  tile.x = col / parts;
  tile.width = ceilDiv(col + cols.validSize(), parts) - tile.x;
  tile.group = in_groups ? first : 0;
  tile.groups = in_groups ? blocks : 1;
  tile.out_block = first;
  tile.group_out_blocks = in_groups ? 1 : blocks;
  tile.pixel_id = request.tile.pixel_id;
  tile.out_id = first / plan.tiling.outBlocks();
  return tile;
}

// Whether the rows of `tile` begin among those that were computed last, and these stay in OUT while
// the others are computed: in a slot of their own.
bool ChainLowering::continuesLast(const Tile& tile) const {
  if (!last_ || producer_.context.plan.sram.acc.count < 2) return false;
  const Tile& last = last_->tile;
  return last.n == tile.n && last.out_block == tile.out_block &&
         last.outBlocks() == tile.outBlocks() && last.x == tile.x && last.width == tile.width &&
         last.y <= tile.y && tile.y < last.y + last.height &&
         last.y + last.height < tile.y + tile.height;
}

// How many items' loads are emitted in front of an item's own GEMMs: two where no slot is filled
// again before it was read.
int64_t ChainLowering::itemsAhead() const {
  const SramPlan& first = producer_.context.plan.sram;
  const SramPlan& second = consumer_.context.plan.sram;
  const auto steps = static_cast<uint32_t>(producer_.context.plan.tiling.steps());
  const bool has_room =
      first.inp.count >= 3 * steps && first.wgt.count >= 3 * steps && second.wgt.count >= 3;
  return has_room ? 2 : 1;
}

Program ChainLowering::run() {
  const int64_t steps = consumer_.context.plan.tiling.steps();
  const int64_t count = order_.count() * steps;
  const int64_t ahead = itemsAhead();
  for (int64_t number = 0; number < std::min(ahead, count); ++number) load(number);
  compute(items_.front());
  handOver(items_.front());
  TileJob job;
  for (int64_t number = 0; number < count; ++number) {
    if (number + ahead < count) load(number + ahead);
    ChainItem item = std::move(items_.front());
    items_.pop_front();
    if (number % steps == 0) {
      job = item.job;
      consumer_.start.emitTile(job);
    }
    if (!items_.empty()) compute(items_.front());
    consumer_.gemm.reduce(job, item.loaded);
    if (!items_.empty()) handOver(items_.front());
    if ((number + 1) % steps == 0) consumer_.epilogue.emitRest(job);
  }
  return emit_.finish();
}

// The loads of an item.
void ChainLowering::load(int64_t number) {
  const int64_t steps = consumer_.context.plan.tiling.steps();
  ChainItem& item = items_.emplace_back();
  item.job = order_.job(number / steps);
  item.loaded = consumer_.gemm.load(item.job, order_.step(item.job, number % steps));
}

void ChainLowering::supply(const RegionRequest& request) {
  ChainRegion& supply = items_.back().supply.emplace();
  supply.region = request.region;
  supply.pad_by_load = request.pad_by_load;
  supply.inp = request.inp;
  TileJob& job = supply.job;
  Tile& tile = job.tile;
  tile = producerTile(request);
  supply.first_row = tile.y;
  supply.end_row = tile.y + tile.height;
  if (continuesLast(tile)) {
    supply.continued = last_;
    tile.y = last_->tile.y + last_->tile.height;
    tile.height = supply.end_row - tile.y;
  }
  tile.pixel_id = 2 * tile.pixel_id + (supply.continued ? 1 : 0);  // the rows are its name
  const KernelPlan& plan = producer_.context.plan;
  const SlotRange& slots = plan.sram.acc;
  job.slot = static_cast<uint32_t>(regions_++ % slots.count);
  job.acc = slots.slotBase(job.slot);
  job.elems = u32(tile.elems());
  last_ = job;
  if (itemsAhead() == 1) return;
  for (int64_t id = 0; id < plan.tiling.steps(); ++id) {
    supply.steps.push_back(producer_.gemm.load(job, makeStep(plan.geometry, plan.tiling, id)));
  }
}

// The producer's GEMMs for an item.
void ChainLowering::compute(ChainItem& item) {
  if (!item.supply) return;
  ChainRegion& supply = *item.supply;
  const KernelPlan& plan = producer_.context.plan;
  producer_.start.emitTile(supply.job);
  for (int64_t id = 0; id < plan.tiling.steps(); ++id) {
    if (supply.steps.empty()) {
      producer_.gemm.emitStep(supply.job, makeStep(plan.geometry, plan.tiling, id));
    } else {
      producer_.gemm.reduce(supply.job, supply.steps[static_cast<size_t>(id)]);
    }
  }
}

// The ALU's part of what was computed for an item, and its way to INP.
void ChainLowering::handOver(ChainItem& item) {
  if (!item.supply) return;
  ChainRegion& supply = *item.supply;
  TileJob& job = supply.job;
  if (supply.continued) transfer(supply, *supply.continued, supply.first_row, job.tile.y);
  producer_.epilogue.emitNext(job, producer_.epilogue.size() - 1);  // all but the store
  transfer(supply, job, job.tile.y, supply.end_row);
}

// Rows [begin, end) of what `from` has computed, block by block: other rows lie between them.
void ChainLowering::transfer(const ChainRegion& to, const TileJob& from, int64_t begin,
                             int64_t end) {
  const int64_t parts = handoverParts(consumer_.context.hw);
  const Tile& tile = from.tile;
  const RegionAxis& rows = to.region.rows;
  const RegionAxis& cols = to.region.cols;
  const RegionSource source = {to.inp, to.region, to.pad_by_load};
  const bool is_first = begin == to.first_row;
  const bool is_last = end == to.end_row;
  // Padding above comes with the first row.
  const int64_t row = is_first ? 0 : begin - to.first_row + (to.pad_by_load ? rows.padBefore() : 0);
  for (int64_t block = 0; block < tile.outBlocks(); ++block) {
    Transfer t;
    t.memory_type = MemoryType::kInpFromOut;
    t.sram_base = to.inp + u32(block * source.blockElems() + row * source.cols());
    t.dram_base = (from.acc + block * tile.pixels() + (begin - tile.y) * tile.width) * parts +
                  cols.origin + cols.valid_begin - tile.x * parts;
    t.push(end - begin, tile.width * parts);
    t.push(cols.validSize(), 1);
    if (to.pad_by_load) {
      t.pad_top = is_first ? u32(rows.padBefore()) : 0;
      t.pad_bottom = is_last ? u32(rows.padAfter()) : 0;
      t.pad_left = u32(cols.padBefore());
      t.pad_right = u32(cols.padAfter());
      const int64_t value = consumer_.context.plan.geometry.pad_value;
      t.pad_kind =
          to.region.isInside() ? PadKind::kZero : *loadedPadding(value, consumer_.context.hw);
    }
    emit_.handOver(t, from.acc, from.end());
  }
}

}  // namespace vta::kernel
