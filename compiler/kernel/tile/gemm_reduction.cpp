#include "compiler/kernel/tile/gemm_reduction.h"

#include <algorithm>
#include <array>

#include "compiler/kernel/tile/alu_pooling.h"
#include "compiler/kernel/tile/tap_runs.h"

namespace vta::kernel {
namespace {

// The members of [begin, end) among `count` places `first`, `first` + `step`, ...
RegionAxis::Range membersOf(const RegionAxis::Range& range, int64_t first, int64_t step,
                            int64_t count) {
  const auto before = [&](int64_t place) {  // members below `place`
    return std::clamp<int64_t>((place - first + step - 1) / step, 0, count);
  };
  if (range.end <= first) return {0, 0};
  return {range.begin <= first ? 0 : before(range.begin), before(range.end)};
}

// All taps of a step at once: the scratchpad holds the padding too.
TapRun allTaps(int64_t taps, int64_t outputs) { return {0, taps, {0, outputs}}; }

// Elements of WGT from one weight of a step to the next one along each dimension.
struct WeightPitches {
  uint32_t tap = 0, row = 0, in_block = 0, out_block = 0, group = 0;
};

// Where rows are output channels, these lie side by side in DRAM, and so they do in WGT: one row of
// a transfer for each block of inputs.
WeightPitches pitchesOf(WeightLayout layout, const Tile& tile, const Step& step) {
  WeightPitches pitches;
  pitches.tap = 1;
  pitches.row = u32(step.weight_columns);
  const uint32_t taps = pitches.row * u32(step.kernel_height);
  const uint32_t outs = u32(tile.group_out_blocks);
  const bool outs_first = layout == WeightLayout::kOutputRows;
  pitches.in_block = outs_first ? outs * taps : taps;
  pitches.out_block = outs_first ? taps : taps * u32(step.in_blocks);
  pitches.group = taps * u32(step.in_blocks) * outs;
  return pitches;
}

}  // namespace

GemmReduction::GemmReduction(KernelContext& context, AccumulatorFactors& factors)
    : context_(context),
      factors_(factors),
      plan_(context.plan),
      g_(context.plan.geometry),
      emit_(context.emit),
      inp_(makeSlotCache(context.plan.sram.inp)),
      wgt_(makeSlotCache(context.plan.sram.wgt)) {}

// Whether the scratchpad holds the whole region, with what padding it has.
bool GemmReduction::padsByLoad(const Region& region) const {
  if (region.isInside()) return true;
  if (!region.canPadByLoad()) return false;
  if (g_.pad_value == 0) return !context_.schedule.skip_padding;
  // A sum pooling adds other padding by ALU.
  return context_.desc.kind == KernelKind::kContraction &&
         loadedPadding(g_.pad_value, context_.hw).has_value();
}

// Whether padding that is not in the scratchpad is an element times the weights.
bool GemmReduction::padsByGemm() const { return g_.pad_value != 0 && !plan_.identity_weights; }

bool GemmReduction::addsNothing(const Region& region) const {
  return region.isEmpty() && g_.pad_value == 0;
}

LoadedStep GemmReduction::load(const TileJob& job, const Step& step) {
  const TileArea area = areaOf(plan_, job);
  LoadedStep loaded;
  loaded.step = step;
  loaded.source.region = makeRegion(g_, plan_.tiling, area.tile, step);
  loaded.source.padded = padsByLoad(loaded.source.region);
  if (addsNothing(loaded.source.region)) return loaded;
  // Weights come first: they wait for no other layer, so behind one they are there early.
  loaded.weights = plan_.identity_weights ? plan_.sram.identity_base : loadWeights(area.tile, step);
  loadRegion(area.tile, step, loaded.source);
  return loaded;
}

void GemmReduction::reduce(TileJob& job, const LoadedStep& loaded) {
  const Step& step = loaded.step;
  const bool adds_nothing = addsNothing(loaded.source.region);
  for (int64_t first = 0; first < step.in_blocks;) {
    const BlockRange blocks = factors_.partOf(step, first);
    if (!adds_nothing) multiply(job, loaded, blocks);
    factors_.emitBehind(job, step, blocks);
    first = blocks.end();
  }
}

// The products of some input blocks of a step.
void GemmReduction::multiply(TileJob& job, const LoadedStep& loaded, const BlockRange& blocks) {
  const RegionSource& source = loaded.source;
  const TileArea area = areaOf(plan_, job);
  const size_t first = emit_.beginComputeTask();
  job.reads_padding = job.reads_padding || source.padded || padsByGemm();
  for (size_t i = 0; i < area.num_grids; ++i) {
    emitGrid(area.tile, loaded, blocks, area.grids[i]);
  }
  finishStep(first, job, area.tile, loaded);
  if (source.padded || g_.pad_value == 0 || !plan_.identity_weights) return;
  padPoolByAlu(context_, area.tile, loaded.step, source.region, job.acc);
}

// Names what the GEMMs from instruction `first` on have used.
void GemmReduction::finishStep(size_t first, const TileJob& job, const Tile& tile,
                               const LoadedStep& loaded) {
  const Step& step = loaded.step;
  const RegionSource& source = loaded.source;
  const uint32_t weights = loaded.weights;
  const bool identity = plan_.identity_weights;
  const bool is_empty = source.region.isEmpty();
  const int64_t wgt_elems =
      identity ? 1 : tile.outBlocks() * step.in_blocks * step.kernel_height * step.weight_columns;
  const uint32_t pad = plan_.sram.pad_base;
  const uint32_t inp = is_empty ? pad : source.base;
  const int64_t inp_elems = is_empty ? 1 : tile.groups * step.in_blocks * source.blockElems();
  const std::array<SramAccess, 4> accesses = {{
      {Sram::kInp, inp, inp + u32(inp_elems), false},
      {Sram::kInp, pad, pad + (plan_.sram.has_pad ? 1 : 0), false},
      {Sram::kWgt, weights, weights + u32(wgt_elems), false},
      {Sram::kAcc, job.acc, job.end(), true},
  }};
  emit_.endComputeTask(first, accesses);
}

void GemmReduction::emitGrid(const Tile& tile, const LoadedStep& loaded, const BlockRange& blocks,
                             const AccGrid& grid) {
  if (!loaded.source.padded) {
    emitBorder(tile, loaded, blocks, grid);
    return;
  }
  emitTaps(tile, loaded, blocks, allTaps(loaded.step.kernel_height, tile.height),
           allTaps(loaded.step.kernel_width, tile.width), grid);
}

// A step's taps one run at a time, each for the outputs where it reads the input. Padding that is
// not zero comes on top.
void GemmReduction::emitBorder(const Tile& tile, const LoadedStep& loaded, const BlockRange& blocks,
                               const AccGrid& grid) {
  const Region& region = loaded.source.region;
  forEachTapRun(tile, loaded.step, region, [&](const TapRun& ky, const TapRun& kx) {
    const Rect valid{ky.outputs, kx.outputs};
    if (!valid.isEmpty()) emitTaps(tile, loaded, blocks, ky, kx, grid);
    if (!padsByGemm()) return;
    forEachOutside(valid, tile.height, tile.width, [&](const Rect& rect) {
      emitPadding(tile, loaded, blocks, ky, kx, rect, grid);
    });
  });
}

void GemmReduction::loadRegion(const Tile& tile, const Step& step, RegionSource& source) {
  const Region& region = source.region;
  if (region.isEmpty()) return;
  const int64_t group_tile = tile.group / plan_.tiling.groups;
  const int64_t key =
      (tile.pixel_id * plan_.tiling.tiles_group + group_tile) * plan_.tiling.steps() + step.id;
  const SlotCache::Slot slot = inp_.acquire(key);
  source.base = slot.base;
  if (slot.hit) return;
  if (context_.supplier != nullptr) return context_.supplier->supply(tile, step, source);

  const int64_t plane = g_.in_height * g_.in_width;
  const int64_t per_group = g_.inBlocksPerGroup();
  const int64_t block = tile.group * per_group + step.in_block;
  const int64_t row = region.rows.origin + region.rows.valid_begin * region.rows.step;
  const int64_t col = region.cols.origin + region.cols.valid_begin;
  Transfer t;
  t.memory_type = MemoryType::kInp;
  t.buffer = context_.buffers.input;
  t.sram_base = slot.base;
  t.dram_base = (tile.n * g_.in_channel_blocks + block) * plane + row * g_.in_width + col;
  t.push(tile.groups, per_group * plane);
  t.push(step.in_blocks, plane);
  t.push(region.rows.validSize(), region.rows.step * g_.in_width);
  t.push(region.cols.validSize(), 1);
  source.addPadding(t, g_.pad_value, context_.hw);
  emit_.transfer(t);
}

uint32_t GemmReduction::loadWeights(const Tile& tile, const Step& step) {
  const SlotCache::Slot slot = wgt_.acquire(tile.out_id * plan_.tiling.steps() + step.id);
  if (slot.hit) return slot.base;
  const WeightLayout layout = context_.desc.weight_layout;
  const WeightStrides strides = context_.desc.weightStrides();
  const int64_t outs = g_.outBlocksPerGroup();
  Transfer t;
  t.memory_type =
      layout == WeightLayout::kInputRows ? MemoryType::kWgtTransposed : MemoryType::kWgt;
  t.buffer = context_.buffers.weight;
  t.sram_base = slot.base;
  t.dram_base = tile.out_block / outs * strides.group + tile.out_block % outs * strides.out_block +
                step.in_block * strides.in_block + step.ky * g_.tapGroups() + step.kx;
  if (layout == WeightLayout::kOutputRows) {
    t.push(tile.groups, strides.group);
    t.push(step.in_blocks, strides.in_block);
    t.push(tile.group_out_blocks, strides.out_block);
  } else {
    t.push(tile.outBlocks(), strides.out_block);
    t.push(step.in_blocks, strides.in_block);
    t.push(step.kernel_height, g_.tapGroups());
    t.push(step.weight_columns, 1);
  }
  emit_.transfer(t);
  return slot.base;
}

// One nest for the taps ky x kx and the outputs of `grid` that all of them reach.
void GemmReduction::emitTaps(const Tile& tile, const LoadedStep& loaded, const BlockRange& blocks,
                             const TapRun& ky, const TapRun& kx, const AccGrid& grid) {
  const Step& step = loaded.step;
  const RegionSource& source = loaded.source;
  const RegionAxis::Range y = membersOf(ky.outputs, grid.row, grid.row_step, grid.rows);
  const RegionAxis::Range x = membersOf(kx.outputs, grid.col, grid.col_step, grid.cols);
  if (y.begin >= y.end || x.begin >= x.end) return;
  const RegionAxis& rows = source.region.rows;
  const RegionAxis& cols = source.region.cols;
  const uint32_t pitch = u32(source.cols());
  const uint32_t block = u32(source.blockElems());
  const uint32_t pixels = u32(grid.block_pitch);
  // Every tap has the same weights where they are the identity.
  const WeightPitches wgt =
      plan_.identity_weights ? WeightPitches{} : pitchesOf(context_.desc.weight_layout, tile, step);
  const uint32_t group_out = u32(tile.group_out_blocks);

  const int64_t row =
      (grid.row + y.begin * grid.row_step) * rows.out_stride + ky.begin * rows.tap_stride;
  const int64_t col =
      (grid.col + x.begin * grid.col_step) * cols.out_stride + kx.begin * cols.tap_stride;
  Nest nest;
  nest.base.dst_idx = grid.acc + u32(y.begin * grid.row_pitch + x.begin);
  nest.base.src_idx = source.base + u32(blocks.first) * block + u32(source.offset(row, col));
  nest.base.wgt_idx = loaded.weights + u32(blocks.first) * wgt.in_block + u32(ky.begin) * wgt.row +
                      u32(kx.begin) * wgt.tap;
  nest.push({u32(tile.groups), group_out * pixels, u32(step.in_blocks) * block, wgt.group, true});
  nest.push({u32(blocks.count), 0, block, wgt.in_block, false});
  if (!g_.folds()) {
    nest.push({u32(ky.size()), 0, u32(rows.tap_stride) * pitch, wgt.row, false});
    nest.push({u32(kx.size()), 0, u32(cols.tap_stride), wgt.tap, false});
  }
  nest.push({group_out, pixels, 0, wgt.out_block, true});
  nest.push({u32(y.end - y.begin), u32(grid.row_pitch),
             u32(grid.row_step * rows.out_stride) * pitch, 0, true});
  nest.push({u32(x.end - x.begin), 1, u32(grid.col_step * cols.out_stride), 0, true});
  if (g_.folds()) {
    emitFolded(nest, step, u32(rows.tap_stride) * pitch);
  } else {
    emit_.gemm(nest, {});
  }
}

// Depthwise: `pixels` are the loops over groups and outputs, at the first tap of the kernel. The
// first GEMM of a row and the first row assign, what follows adds.
void GemmReduction::emitFolded(const Nest& pixels, const Step& step, uint32_t pitch) {
  const uint32_t rows = u32(step.kernel_height);
  const uint32_t columns = u32(step.weight_columns);
  const auto emit = [&](uint32_t row, uint32_t row_count, uint32_t column, uint32_t column_count) {
    if (row_count == 0 || column_count == 0) return;
    const uint32_t advance = u32(g_.fold_pitch);
    Nest nest;
    nest.base = pixels.base;
    nest.base.src_idx += row * pitch + column * advance;
    nest.base.wgt_idx += row * columns + column;
    nest.push({row_count, 0, pitch, columns, false});
    nest.push({column_count, 0, advance, 1, false});
    for (int d = 0; d < pixels.num_dims; ++d) nest.push(pixels.dims[d]);
    emit_.gemm(nest, {}, {.taps = u32(g_.fold_taps), .assigns = row + column == 0});
  };
  emit(0, 1, 0, 1);
  emit(0, 1, 1, columns - 1);
  emit(1, rows - 1, 0, columns);
}

// Outputs `rect` whose taps ky x kx read padding: the padding element times the weights.
void GemmReduction::emitPadding(const Tile& tile, const LoadedStep& loaded,
                                const BlockRange& blocks, const TapRun& ky, const TapRun& kx,
                                const Rect& rect, const AccGrid& grid) {
  const RegionAxis::Range y = membersOf(rect.y, grid.row, grid.row_step, grid.rows);
  const RegionAxis::Range x = membersOf(rect.x, grid.col, grid.col_step, grid.cols);
  if (y.begin >= y.end || x.begin >= x.end) return;
  const WeightPitches wgt = pitchesOf(context_.desc.weight_layout, tile, loaded.step);
  Nest nest;
  nest.base.dst_idx = grid.acc + u32(y.begin * grid.row_pitch + x.begin);
  nest.base.src_idx = plan_.sram.pad_base;
  nest.base.wgt_idx = loaded.weights + u32(blocks.first) * wgt.in_block + u32(ky.begin) * wgt.row +
                      u32(kx.begin) * wgt.tap;
  nest.push({u32(blocks.count), 0, 0, wgt.in_block, false});
  nest.push({u32(ky.size()), 0, 0, wgt.row, false});
  nest.push({u32(kx.size()), 0, 0, wgt.tap, false});
  nest.push({u32(tile.outBlocks()), u32(grid.block_pitch), 0, wgt.out_block, true});
  nest.push({u32(y.end - y.begin), u32(grid.row_pitch), 0, 0, true});
  nest.push({u32(x.end - x.begin), 1, 0, 0, true});
  emit_.gemm(nest, {});
}

}  // namespace vta::kernel
