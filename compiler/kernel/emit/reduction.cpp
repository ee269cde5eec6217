// Reductions of a tile: GEMM over channels and taps, and pooling by the ALU.
#include <algorithm>
#include <array>

#include "compiler/kernel/emit/lowering.h"

namespace vta::kernel {
namespace {

// Calls `visit(ky, kx)` for the runs of a step's taps that reach the same outputs.
template <typename Visit>
void forEachTapRun(const Tile& tile, const Step& step, const Region& region, const Visit& visit) {
  for (int64_t y = 0; y < step.kernel_height;) {
    const TapRun ky = tapRun(region.rows, y, step.kernel_height, tile.height);
    for (int64_t x = 0; x < step.kernel_width;) {
      const TapRun kx = tapRun(region.cols, x, step.kernel_width, tile.width);
      visit(ky, kx);
      x = kx.end;
    }
    y = ky.end;
  }
}

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

}  // namespace

int64_t KernelLowering::Source::offset(int64_t row, int64_t col) const {
  const int64_t first_row = padded ? 0 : region.rows.valid_begin;
  const int64_t first_col = padded ? 0 : region.cols.valid_begin;
  return (row - first_row) * cols() + (col - first_col);
}

void KernelLowering::gemmStep(Job& job, const Step& step) {
  const Area area = areaOf(job);
  const Tile& tile = area.tile;
  const uint32_t acc = job.acc;
  const Region region = makeRegion(g_, plan_.tiling, tile, step);
  // Sum pooling adds a minimum padding by ALU, which needs no extension.
  const bool zero_pad = g_.pad_kind == PadKind::kZero;
  const bool loadable = zero_pad ? !schedule_.skip_padding : desc_.kind == KernelKind::kContraction;
  const bool pad_by_load = region.isInside() || (loadable && region.canPadByLoad());
  if (region.isEmpty() && zero_pad) return;
  // Weights first: they wait for no other layer, so behind one they are there early.
  const uint32_t weights =
      plan_.identity_weights ? plan_.sram.identity_base : loadWeights(tile, step);
  const Source source = loadRegion(tile, step, region, pad_by_load);
  const size_t first = emit_.beginComputeTask();
  job.reads_padding = job.reads_padding || pad_by_load;
  for (size_t i = 0; i < area.num_grids; ++i) {
    if (pad_by_load) {
      gemmTaps(tile, step, source, weights, allTaps(step.kernel_height, tile.height),
               allTaps(step.kernel_width, tile.width), area.grids[i]);
    } else {
      gemmBorder(tile, step, source, weights, area.grids[i]);
    }
  }
  const int64_t blocks = plan_.identity_weights ? 1 : tile.outBlocks() * step.in_blocks;
  const int64_t taps = plan_.identity_weights ? 1 : step.kernel_height * step.kernel_width;
  const uint32_t inp = region.isEmpty() ? plan_.sram.pad_base : source.base;
  const int64_t inp_elems =
      region.isEmpty() ? 1 : tile.groups * step.in_blocks * source.blockElems();
  const std::array<SramAccess, 4> accesses = {{
      {Sram::kInp, inp, inp + u32(inp_elems), false},
      {Sram::kInp, plan_.sram.pad_base, plan_.sram.pad_base + (plan_.sram.has_pad ? 1 : 0), false},
      {Sram::kWgt, weights, weights + u32(blocks * taps), false},
      {Sram::kAcc, acc, acc + job.elems, true},
  }};
  emit_.endComputeTask(first, accesses);
  // Sum pooling's padding is the ALU's.
  if (pad_by_load || zero_pad || !plan_.identity_weights) return;
  forEachTapRun(tile, step, region, [&](const TapRun& ky, const TapRun& kx) {
    forEachOutside({ky.outputs, kx.outputs}, tile.height, tile.width,
                   [&](const Rect& rect) { poolPadding(tile, ky, kx, rect, acc); });
  });
}

// A step's taps one run at a time, each for the outputs where it reads the input; padding that is
// not zero comes on top.
void KernelLowering::gemmBorder(const Tile& tile, const Step& step, const Source& source,
                                uint32_t weights, const Grid& grid) {
  const Region& region = source.region;
  const bool gemm_pads = g_.pad_kind != PadKind::kZero && !plan_.identity_weights;
  forEachTapRun(tile, step, region, [&](const TapRun& ky, const TapRun& kx) {
    const Rect valid{ky.outputs, kx.outputs};
    if (!valid.isEmpty()) gemmTaps(tile, step, source, weights, ky, kx, grid);
    if (!gemm_pads) return;
    forEachOutside(valid, tile.height, tile.width,
                   [&](const Rect& rect) { gemmPadding(tile, step, weights, ky, kx, rect, grid); });
  });
}

KernelLowering::Source KernelLowering::loadRegion(const Tile& tile, const Step& step,
                                                  const Region& region, bool pad_by_load) {
  Source source;
  source.region = region;
  source.padded = pad_by_load;
  if (region.isEmpty()) return source;
  const int64_t group_tile = tile.group / plan_.tiling.groups;
  const int64_t key =
      (tile.pixel_id * plan_.tiling.tiles_group + group_tile) * plan_.tiling.steps() + step.id;
  const SlotCache::Slot slot = inp_.acquire(key);
  source.base = slot.base;
  if (slot.hit) return source;

  const int64_t plane = g_.in_height * g_.in_width;
  const int64_t per_group = g_.inBlocksPerGroup();
  const int64_t block = tile.group * per_group + step.in_block;
  const int64_t row = region.rows.origin + region.rows.valid_begin * region.rows.step;
  const int64_t col = region.cols.origin + region.cols.valid_begin;
  Transfer t;
  t.memory_type = MemoryType::kInp;
  t.buffer = input_buffer_;
  t.sram_base = slot.base;
  t.dram_base = (tile.n * g_.in_channel_blocks + block) * plane + row * g_.in_width + col;
  t.push(tile.groups, per_group * plane);
  t.push(step.in_blocks, plane);
  t.push(region.rows.validSize(), region.rows.step * g_.in_width);
  t.push(region.cols.validSize(), 1);
  if (pad_by_load) {
    t.pad_top = u32(region.rows.padBefore());
    t.pad_bottom = u32(region.rows.padAfter());
    t.pad_left = u32(region.cols.padBefore());
    t.pad_right = u32(region.cols.padAfter());
    t.pad_kind = g_.pad_kind;
  }
  emit_.transfer(t);
  return source;
}

uint32_t KernelLowering::loadWeights(const Tile& tile, const Step& step) {
  const SlotCache::Slot slot = wgt_.acquire(tile.out_id * plan_.tiling.steps() + step.id);
  if (slot.hit) return slot.base;
  const int64_t taps = g_.kernel_height * g_.kernel_width;
  const int64_t per_group = g_.inBlocksPerGroup();
  Transfer t;
  t.memory_type = MemoryType::kWgt;
  t.buffer = weight_buffer_;
  t.sram_base = slot.base;
  t.dram_base =
      (tile.out_block * per_group + step.in_block) * taps + step.ky * g_.kernel_width + step.kx;
  t.push(tile.outBlocks(), per_group * taps);
  t.push(step.in_blocks, taps);
  t.push(step.kernel_height, g_.kernel_width);
  t.push(step.kernel_width, 1);
  emit_.transfer(t);
  return slot.base;
}

// One nest for the taps ky x kx and the outputs of `grid` that all of them reach.
void KernelLowering::gemmTaps(const Tile& tile, const Step& step, const Source& source,
                              uint32_t weights, const TapRun& ky, const TapRun& kx,
                              const Grid& grid) {
  const RegionAxis::Range y = membersOf(ky.outputs, grid.row, grid.row_step, grid.rows);
  const RegionAxis::Range x = membersOf(kx.outputs, grid.col, grid.col_step, grid.cols);
  if (y.begin >= y.end || x.begin >= x.end) return;
  const RegionAxis& rows = source.region.rows;
  const RegionAxis& cols = source.region.cols;
  const uint32_t pitch = u32(source.cols());
  const uint32_t block = u32(source.blockElems());
  const uint32_t pixels = u32(grid.block_pitch);
  const bool identity = plan_.identity_weights;
  const uint32_t tap_w = identity ? 0 : 1;
  const uint32_t row_w = tap_w * u32(step.kernel_width);
  const uint32_t in_w = row_w * u32(step.kernel_height);
  const uint32_t out_w = in_w * u32(step.in_blocks);
  const uint32_t group_out = u32(tile.group_out_blocks);

  const int64_t row =
      (grid.row + y.begin * grid.row_step) * rows.out_stride + ky.begin * rows.tap_stride;
  const int64_t col =
      (grid.col + x.begin * grid.col_step) * cols.out_stride + kx.begin * cols.tap_stride;
  Nest nest;
  nest.base.dst_idx = grid.acc + u32(y.begin * grid.row_pitch + x.begin);
  nest.base.src_idx = source.base + u32(source.offset(row, col));
  nest.base.wgt_idx = weights + u32(ky.begin) * row_w + u32(kx.begin) * tap_w;
  nest.push(
      {u32(tile.groups), group_out * pixels, u32(step.in_blocks) * block, group_out * out_w, true});
  nest.push({u32(step.in_blocks), 0, block, in_w, false});
  nest.push({u32(ky.size()), 0, u32(rows.tap_stride) * pitch, row_w, false});
  nest.push({u32(kx.size()), 0, u32(cols.tap_stride), tap_w, false});
  nest.push({group_out, pixels, 0, out_w, true});
  nest.push({u32(y.end - y.begin), u32(grid.row_pitch),
             u32(grid.row_step * rows.out_stride) * pitch, 0, true});
  nest.push({u32(x.end - x.begin), 1, u32(grid.col_step * cols.out_stride), 0, true});

  emit_.gemm(nest, {});
}

// Outputs `rect` whose taps ky x kx read padding: the padding element times the weights.
void KernelLowering::gemmPadding(const Tile& tile, const Step& step, uint32_t weights,
                                 const TapRun& ky, const TapRun& kx, const Rect& rect,
                                 const Grid& grid) {
  const RegionAxis::Range y = membersOf(rect.y, grid.row, grid.row_step, grid.rows);
  const RegionAxis::Range x = membersOf(rect.x, grid.col, grid.col_step, grid.cols);
  if (y.begin >= y.end || x.begin >= x.end) return;
  const uint32_t pixels = u32(grid.block_pitch);
  const uint32_t row_w = u32(step.kernel_width);
  const uint32_t in_w = row_w * u32(step.kernel_height);
  const uint32_t out_w = in_w * u32(step.in_blocks);
  const uint32_t pad = plan_.sram.pad_base;
  Nest nest;
  nest.base.dst_idx = grid.acc + u32(y.begin * grid.row_pitch + x.begin);
  nest.base.src_idx = pad;
  nest.base.wgt_idx = weights + u32(ky.begin) * row_w + u32(kx.begin);
  nest.push({u32(step.in_blocks), 0, 0, in_w, false});
  nest.push({u32(ky.size()), 0, 0, row_w, false});
  nest.push({u32(kx.size()), 0, 0, 1, false});
  nest.push({u32(tile.outBlocks()), pixels, 0, out_w, true});
  nest.push({u32(y.end - y.begin), u32(grid.row_pitch), 0, 0, true});
  nest.push({u32(x.end - x.begin), 1, 0, 0, true});
  emit_.gemm(nest, {});
}

void KernelLowering::loadPoolInput(const Job& job, const Step& step) {
  const Tile& tile = job.tile;
  const Region region = makeRegion(g_, plan_.tiling, tile, step);
  if (region.isEmpty()) return;
  Box box;
  box.buffer = input_buffer_;
  box.n = tile.n;
  box.tensor_blocks = g_.in_channel_blocks;
  box.tensor_height = g_.in_height;
  box.tensor_width = g_.in_width;
  box.block = tile.out_block;
  box.blocks = tile.outBlocks();
  box.y = region.rows.origin + region.rows.valid_begin * region.rows.step;
  box.rows = region.rows.validSize();
  box.row_step = region.rows.step;
  box.x = region.cols.origin + region.cols.valid_begin;
  box.cols = region.cols.validSize();
  if (!constants_loaded_) loadConstants();
  loadInt8(box, job.pool_input, false);
}

void KernelLowering::poolStep(const Job& job, const Step& step) {
  const Tile& tile = job.tile;
  Source source;
  source.region = makeRegion(g_, plan_.tiling, tile, step);
  source.base = job.pool_input;
  forEachTapRun(tile, step, source.region, [&](const TapRun& ky, const TapRun& kx) {
    const Rect valid{ky.outputs, kx.outputs};
    if (!source.region.isEmpty() && !valid.isEmpty()) poolTaps(tile, source, ky, kx, job.acc);
    forEachOutside(valid, tile.height, tile.width,
                   [&](const Rect& rect) { poolPadding(tile, ky, kx, rect, job.acc); });
  });
}

void KernelLowering::poolTaps(const Tile& tile, const Source& source, const TapRun& ky,
                              const TapRun& kx, uint32_t acc) {
  const RegionAxis& rows = source.region.rows;
  const RegionAxis& cols = source.region.cols;
  const uint32_t pitch = u32(source.cols());
  const uint32_t block = u32(source.blockElems());
  const int64_t row = ky.outputs.begin * rows.out_stride + ky.begin * rows.tap_stride;
  const int64_t col = kx.outputs.begin * cols.out_stride + kx.begin * cols.tap_stride;
  Nest nest;
  nest.base.dst_idx = acc + u32(ky.outputs.begin * tile.width + kx.outputs.begin);
  nest.base.src_idx = source.base + u32(source.offset(row, col));
  nest.push({u32(ky.size()), 0, u32(rows.tap_stride) * pitch, 0, false});
  nest.push({u32(kx.size()), 0, u32(cols.tap_stride), 0, false});
  nest.push({u32(tile.outBlocks()), u32(tile.pixels()), block, 0, true});
  nest.push({u32(ky.outputs.end - ky.outputs.begin), u32(tile.width), u32(rows.out_stride) * pitch,
             0, true});
  nest.push({u32(kx.outputs.end - kx.outputs.begin), 1, u32(cols.out_stride), 0, true});
  const std::array<SramAccess, 2> accesses = {{
      {Sram::kAcc, source.base, source.base + u32(tile.outBlocks()) * block, false},
      {Sram::kAcc, acc, acc + u32(tile.elems()), true},
  }};
  emit_.alu({isMax() ? AluOpcode::kMax : AluOpcode::kAdd, false, 0}, nest, accesses);
}

// Outputs `rect` whose taps ky x kx read padding, in a pooling kernel.
void KernelLowering::poolPadding(const Tile& tile, const TapRun& ky, const TapRun& kx,
                                 const Rect& rect, uint32_t acc) {
  const bool zero_pad = g_.pad_kind == PadKind::kZero;
  const uint32_t end = acc + u32(tile.elems());
  if (desc_.kind == KernelKind::kMaxPool) {
    if (zero_pad) aluImmediate(AluOpcode::kMax, 0, rectNest(tile, rect, acc), acc, end);
    return;
  }
  if (zero_pad) return;
  constexpr int64_t kTapsAtOnce = 256;  // -128 * 256 is the smallest immediate
  for (int64_t taps = ky.size() * kx.size(); taps > 0; taps -= kTapsAtOnce) {
    const auto imm = static_cast<int32_t>(kMinInt8 * std::min(taps, kTapsAtOnce));
    aluImmediate(AluOpcode::kAdd, imm, rectNest(tile, rect, acc), acc, end);
  }
}

}  // namespace vta::kernel
