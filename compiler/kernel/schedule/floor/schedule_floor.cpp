#include "compiler/kernel/schedule/floor/schedule_floor.h"

#include <algorithm>

#include "base/integer_math.h"
#include "compiler/kernel/primitives/transfer.h"
#include "compiler/kernel/schedule/kernel_work.h"
#include "isa/spec/timing.h"

namespace vta::kernel {
namespace {

using timing::gemmDepth;
using timing::kAluDepth;
using timing::leastAccLatency;

uint64_t u64(int64_t value) { return static_cast<uint64_t>(value); }
double real(int64_t value) { return static_cast<double>(value); }

// Contents that are asked for again and again in the same order find a place in the slots: all of
// them or none, because the slot that was unused longest is taken. To and fro, as many as there are
// slots.
int64_t mostKept(const KernelPlan& plan, const SlotRange& slots, int64_t contents) {
  const bool all_gone = !plan.alternates && int64_t{slots.count} < contents;
  return all_gone ? 0 : int64_t{slots.count} * slots.elems;
}

}  // namespace

ScheduleFloor::ScheduleFloor(const KernelDesc& desc, const HwConfig& hw, const MemoryTraits& memory)
    : desc_(desc), hw_(hw), bursts_(hw, memory) {
  const Geometry& g = desc.geometry;
  outputs_ = g.batch_blocks * g.out_channel_blocks * desc.outHeight() * desc.outWidth();
  const auto [rows, cols] = axesOf(g);
  Pooled y{g.out_height, 1, 1, 0}, x{g.out_width, 1, 1, 0};
  if (desc.pool) {
    y = {desc.pool->out_height, desc.pool->kernel_height, desc.pool->stride_y, desc.pool->pad_top};
    x = {desc.pool->out_width, desc.pool->kernel_width, desc.pool->stride_x, desc.pool->pad_left};
  }
  const AxisUse row_use = useOf(rows, y), col_use = useOf(cols, x);
  places_ = g.batch_blocks * g.in_channel_blocks * row_use.places * col_use.places;
  if (desc.kind != KernelKind::kContraction) return;
  if (g.folds()) {
    valid_products_ = u64(g.batch_blocks * g.out_channel_blocks * row_use.outputs *
                          col_use.outputs * g.weightElems());
    return;
  }
  valid_products_ = u64(g.batch_blocks * g.out_channel_blocks * g.inBlocksPerGroup() *
                        row_use.valid_taps * col_use.valid_taps);
}

ScheduleFloor::Sums ScheduleFloor::sumsOf(const KernelPlan& plan) const {
  const Geometry& g = plan.geometry;
  const Tiling& t = plan.tiling;
  const auto [rows, cols] = axesOf(g);
  Sums sums;
  sums.rows = sumSteps(rows, t.height, t.kernel_height, t.row_step);
  sums.cols = sumSteps(cols, t.width, t.kernel_width, 1);
  sums.steps = g.batch_blocks * sums.rows.steps * sums.cols.steps;
  sums.places = g.batch_blocks * sums.rows.places * sums.cols.places;
  sums.products = g.batch_blocks * sums.rows.products * sums.cols.products;
  sums.none_is_empty = sums.rows.least > 0 && sums.cols.least > 0;
  return sums;
}

// The outputs' places in an image, tile by tile. Rows of a tile as wide as the image are one row of
// data, and so are blocks of a tile as large as the image.
Stream ScheduleFloor::tileRows(const KernelPlan& plan, MemoryType type) const {
  const Geometry& g = plan.outputs;
  const Tiling& t = plan.tiling;
  const double elem_bytes = hw_.elemBytes(type);
  if (t.tiles_x == 1 && t.tiles_y == 1) {
    return streamOfBytes(real(outputs_) * elem_bytes, hw_);
  }
  const int64_t planes = g.batch_blocks * g.out_channel_blocks;
  Stream stream;
  for (const auto& [height, tiles_y] : cutInto(g.out_height, t.height)) {
    for (const auto& [width, tiles_x] : cutInto(g.out_width, t.width)) {
      const int64_t rows_at_once = t.tiles_x == 1 ? height : 1;
      stream.add(streamOfRows(real(planes * tiles_y * tiles_x * height / rows_at_once),
                              real(rows_at_once * width) * elem_bytes, hw_));
    }
  }
  return stream;
}

Stream ScheduleFloor::storesOf(const KernelPlan& plan) const {
  if (plan.outputs.storesAll()) return tileRows(plan, MemoryType::kOut);
  const Geometry& g = desc_.geometry;
  const int64_t elems = g.batch_blocks * g.storedBlocks() * g.storedHeight() * g.storedWidth();
  return streamOfBytes(real(elems * hw_.elemBytes(MemoryType::kOut)), hw_);
}

// Inputs of what is no contraction, and residuals.
void ScheduleFloor::addInt8Operands(const Schedule& schedule, const KernelPlan& plan,
                                    Streams& streams) const {
  const MemoryType type = schedule.int8_through_gemm ? MemoryType::kInp : MemoryType::kAcc8;
  Stream& stream = schedule.int8_through_gemm ? streams.inputs : streams.compute;
  if (plan.method == Method::kElementwise) stream.add(tileRows(plan, type));
  if (plan.method == Method::kAluPool) {
    stream.add(streamOfBytes(real(places_ * hw_.elemBytes(type)), hw_));
  }
  if (desc_.residual.has_value() && !desc_.residual_per_image) stream.add(tileRows(plan, type));
}

// The steps of the epilogue, of which a GEMM may add the residual.
uint64_t ScheduleFloor::aluCycles(const KernelPlan& plan) const {
  uint64_t steps = desc_.epilogue.size() - (plan.residual_by_gemm ? 1 : 0);
  if (desc_.residual.has_value() && !desc_.residual_per_image) {
    steps += desc_.residual->steps.size();
  }
  return steps * u64(outputs_ * hw_.params().alu_passes);
}

// Of a contraction whose tiles pool.
uint64_t ScheduleFloor::poolingOperations(const Schedule& schedule, const KernelPlan& plan) const {
  const Tiling& t = plan.tiling;
  auto operations = static_cast<uint64_t>(countWork(desc_, schedule, hw_, plan).acc_elems);
  if (!schedule.skip_padding && loadsPadding()) {
    operations *= u64(desc_.geometry.inBlocksPerGroup() * t.kernel_height * t.weight_columns);
  }
  return std::max(operations, valid_products_);
}

// At least those of one tap: no others may reach the input.
int64_t ScheduleFloor::poolingWeights() const {
  const Geometry& g = desc_.geometry;
  const int64_t of_tap = g.out_channel_blocks * g.inBlocksPerGroup();
  return g.isPadded() && !g.folds() ? of_tap : of_tap * g.weightElems();
}

uint64_t ScheduleFloor::leastCycles(const Schedule& schedule, const KernelPlan& plan) const {
  const Tiling& t = plan.tiling;
  const int64_t tiles = desc_.geometry.batch_blocks * t.pixelTiles() * t.outTiles();
  int64_t instructions = tiles;  // STOREs
  Streams streams;
  Engines engines;
  LeastTile least = leastStoredTile(plan, hw_);
  // Pooling tiles have other input regions.
  if (plan.method == Method::kGemm && !plan.pool) {
    const Sums sums = sumsOf(plan);
    instructions += sums.steps * t.steps_in * t.outTiles();  // GEMMs
    streams.inputs = inputs(schedule, plan, sums);
    streams.weights = weights(schedule, plan, sums);
    engines = gemmOperations(schedule, plan, sums);
    least = leastTile(desc_, schedule, plan, hw_, sums.rows, sums.cols);
  } else if (plan.method == Method::kGemm) {
    streams.inputs = streamOfBytes(real(places_ * hw_.elemBytes(MemoryType::kInp)), hw_);
    if (desc_.kind == KernelKind::kContraction) {
      engines.gemm = poolingOperations(schedule, plan);
      streams.weights =
          streamOfBytes(real(poolingWeights() * hw_.elemBytes(MemoryType::kWgt)), hw_);
    }
  }
  engines.alu = aluCycles(plan);
  addInt8Operands(schedule, plan, streams);
  streams.fetch = streamOfBytes(real(instructions * hw_.instructionBytes()), hw_);
  streams.stores = storesOf(plan);
  return static_cast<uint64_t>(endOf(engines, streams, least, tiles));
}

double ScheduleFloor::endOf(const Engines& engines, const Streams& streams, const LeastTile& tile,
                            int64_t tiles) const {
  const bool hls = hw_.params().hls_timing;
  const double gemm_path =
      hls ? 0 : static_cast<double>(gemmDepth(hw_.params()) + leastAccLatency(hw_.params()));
  const auto gemm = static_cast<double>(engines.gemm);
  const auto alu = static_cast<double>(engines.alu);
  const double start = bursts_.beforeOperands(tile.operands);
  const double first_gemm = tile.products > 0 ? tile.products + gemm_path : 0;
  const double last_alu = tile.alu_cycles > 0 ? gemm_path + tile.alu_cycles : 0;
  const double before_store = gemm + alu > 0 ? bursts_.beforeStore() : 0;
  const double last_store = before_store + bursts_.storeCycles(tile.stores);
  double end = 0;
  if (hw_.params().concurrent_compute) {
    const double early = static_cast<double>(engines.early);
    end = std::max(bursts_.beforeEngines() + gemm, start + gemm - early) + last_alu + last_store;
    // A residual may go through its own steps beside the first GEMMs.
    const double first_alu = desc_.residual.has_value() ? 0 : first_gemm;
    end = std::max(end, start + first_alu + alu + last_store);
  } else {
    end = endInOrder(engines, start, tiles) + last_store;
  }
  // The last data of the load unit may be a residual, which only the end of the epilogue needs.
  const bool residual = streams.inputs.beats > 0 && desc_.residual.has_value();
  const double last_products = residual ? 0 : tile.step_products + last_alu;
  const Drain drain = {last_products + last_store, bursts_.storeCycles(tile.stores)};
  const double first_store = start + first_gemm + tile.alu_cycles + before_store;
  return std::max(
      {end, bursts_.endOfReads(streams, drain), first_store + bursts_.storeCycles(streams.stores)});
}

// Each tile has its turn of the GEMM core, then of the ALU. What passes behind the last turn is
// counted with the last store.
double ScheduleFloor::endInOrder(const Engines& engines, double start, int64_t tiles) const {
  const auto busy = static_cast<double>(engines.gemm + engines.alu);
  const double gemm_turn =
      static_cast<double>(gemmDepth(hw_.params()) + leastAccLatency(hw_.params()));
  const double alu_turn = static_cast<double>(kAluDepth + leastAccLatency(hw_.params()));
  const bool takes_turns = engines.alu > 0 && engines.gemm > 0;
  const double turns = takes_turns ? real(tiles) * (gemm_turn + alu_turn) - alu_turn : 0;
  return std::max(
      bursts_.beforeEngines() + busy + turns,
      start + busy + std::max(0.0, turns - gemm_turn) - static_cast<double>(engines.early));
}

// Whether LOADs can make all the padding there is.
bool ScheduleFloor::loadsPadding() const {
  const Geometry& g = desc_.geometry;
  return std::max({g.pad_top, g.pad_left, g.pad_bottom, g.pad_right}) <= Transfer::kMaxPad;
}

ScheduleFloor::Engines ScheduleFloor::gemmOperations(const Schedule& schedule,
                                                     const KernelPlan& plan,
                                                     const Sums& sums) const {
  const Geometry& g = desc_.geometry;
  const uint64_t accumulators =
      u64(g.batch_blocks * g.out_channel_blocks * g.out_height * g.out_width);
  Engines engines;
  engines.gemm = valid_products_;
  if (!g.folds() && desc_.kind == KernelKind::kContraction && !schedule.skip_padding &&
      loadsPadding()) {
    engines.gemm = u64(g.out_channel_blocks * g.inBlocksPerGroup() * sums.products);
  }
  // The first tile is cleared before its operands are there.
  if (!plan.reset_by_alu && !plan.begins_with_bias && !plan.gemm_assigns) {
    engines.gemm += accumulators;
    engines.early = std::min(accumulators, u64(plan.tile_elems));
  }
  if (desc_.residual.has_value() && !desc_.residual_per_image && schedule.int8_through_gemm) {
    engines.gemm += accumulators;
  }
  // Between the products of a tile the GEMM core waits for the factors of their sums.
  if (desc_.numFactors() > 1) {
    engines.gemm += u64((desc_.numFactors() - 1) * hw_.params().alu_passes) * accumulators;
  }
  return engines;
}

// All regions, each once. Rows as wide as the image follow each other in DRAM, and LOADs take them
// as one row where they make no padding.
Stream ScheduleFloor::inputsOnce(const Schedule& schedule, const KernelPlan& plan,
                                 const Sums& sums) const {
  const Geometry& g = plan.geometry;
  const double elem_bytes = hw_.elemBytes(MemoryType::kInp);
  const int64_t blocks = g.batch_blocks * g.in_channel_blocks;
  const int64_t row_places = blocks * sums.rows.places;
  const bool pads_by_load = desc_.kind == KernelKind::kContraction && !schedule.skip_padding &&
                            loadsPadding() && loadedPadding(g.pad_value, hw_).has_value();
  int64_t whole = sums.cols.whole, padded = sums.cols.whole_padded;
  if (!pads_by_load) {
    whole += padded;
    padded = 0;
  }
  if (plan.tiling.row_step > 1) {
    padded += whole;
    whole = 0;
  }
  Stream stream = streamOfRows(real(row_places * padded), real(g.in_width) * elem_bytes, hw_);
  for (const auto& [places, steps] : sums.cols.parts) {
    stream.add(streamOfRows(real(row_places * steps), real(places) * elem_bytes, hw_));
  }
  const int64_t planes = sums.rows.whole + sums.rows.whole_padded;
  stream.add(
      streamOfBytes(real(blocks * planes * whole * g.in_height * g.in_width) * elem_bytes, hw_));
  for (const auto& [places, steps] : sums.rows.parts) {
    stream.add(
        streamOfRows(real(blocks * steps * whole), real(places * g.in_width) * elem_bytes, hw_));
  }
  return stream;
}

// Each tile of pixels and groups has its own input regions. Where channel tiles share them, each
// needs all of them, of which at most as many as there are slots can have stayed.
Stream ScheduleFloor::inputs(const Schedule& schedule, const KernelPlan& plan,
                             const Sums& sums) const {
  const Geometry& g = plan.geometry;
  const Tiling& t = plan.tiling;
  const int64_t once = g.in_channel_blocks * sums.places;
  const int64_t again = t.tiles_out_per_group - 1;
  // How many sets of regions are in use one after the other.
  const bool inner = schedule.order == Schedule::Order::kWeightsInner;
  const int64_t pixel_tiles = g.batch_blocks * t.pixelTiles();
  const int64_t sets = inner ? pixel_tiles * t.tiles_group : t.tiles_group;
  const int64_t contents = sums.none_is_empty ? t.steps() * (inner ? 1 : pixel_tiles) : 1;
  const int64_t kept = sets * mostKept(plan, plan.sram.inp, contents);
  Stream stream = inputsOnce(schedule, plan, sums);
  if (kept == 0) {
    stream.beats *= real(again + 1);
    stream.bursts *= real(again + 1);
    return stream;
  }
  const auto more = real(again * std::max<int64_t>(0, once - kept));
  stream.add(streamOfBytes(more * hw_.elemBytes(MemoryType::kInp), hw_));
  return stream;
}

// Each tile of pixels needs all weights of its steps, of a channel tile or of all; at most as many
// as there are slots can have stayed.
Stream ScheduleFloor::weights(const Schedule& schedule, const KernelPlan& plan,
                              const Sums& sums) const {
  if (plan.identity_weights) return {};
  const Geometry& g = desc_.geometry;
  const Tiling& t = plan.tiling;
  const int64_t of_tap = g.out_channel_blocks * g.inBlocksPerGroup();
  const int64_t columns = g.folds() ? t.weight_columns : leastPiece(g.kernel_width, t.kernel_width);
  const int64_t of_step = of_tap * leastPiece(g.kernel_height, t.kernel_height) * columns;
  const int64_t once = g.folds() ? of_step : of_tap * sums.rows.taps * sums.cols.taps;
  const bool outer = schedule.order == Schedule::Order::kWeightsOuter;
  const int64_t sets = outer ? t.outTiles() : 1;
  const int64_t visits = g.batch_blocks * t.pixelTiles() - 1;  // of a set, but for the first
  const int64_t contents = sums.none_is_empty ? t.steps() * (outer ? 1 : t.outTiles()) : 1;
  const int64_t kept = visits * std::min(sets * mostKept(plan, plan.sram.wgt, contents), once);
  const int64_t elems = std::max(once, sums.steps * of_step - kept);
  return streamOfBytes(real(elems * hw_.elemBytes(MemoryType::kWgt)), hw_);
}

}  // namespace vta::kernel
