#include "compiler/kernel/tile/alu_pooling.h"

#include <algorithm>
#include <array>

#include "compiler/kernel/tile/tap_runs.h"

namespace vta::kernel {
namespace {

constexpr int64_t kTapsAtOnce = 256;  // times -128 is the smallest immediate

// The outputs `rect`, whose taps ky x kx read padding.
void padRect(KernelContext& context, const Tile& tile, const TapRun& ky, const TapRun& kx,
             const Rect& rect, uint32_t acc) {
  const int64_t value = context.plan.geometry.pad_value;
  const uint32_t end = acc + u32(tile.elems());
  const auto toAll = [&](AluOpcode opcode, int32_t imm) {
    context.emit.aluImmediate(opcode, imm, rectNest(tile, rect, acc), acc, end);
  };
  if (context.desc.kind == KernelKind::kMaxPool) {
    if (value == 0) toAll(AluOpcode::kMax, 0);
    return;
  }
  if (value == 0) return;
  for (int64_t taps = ky.size() * kx.size(); taps > 0; taps -= kTapsAtOnce) {
    toAll(AluOpcode::kAdd, static_cast<int32_t>(value * std::min(taps, kTapsAtOnce)));
  }
}

void padOutside(KernelContext& context, const Tile& tile, const TapRun& ky, const TapRun& kx,
                uint32_t acc) {
  forEachOutside({ky.outputs, kx.outputs}, tile.height, tile.width,
                 [&](const Rect& rect) { padRect(context, tile, ky, kx, rect, acc); });
}

}  // namespace

void padPoolByAlu(KernelContext& context, const Tile& tile, const Step& step, const Region& region,
                  uint32_t acc) {
  forEachTapRun(tile, step, region, [&](const TapRun& ky, const TapRun& kx) {
    padOutside(context, tile, ky, kx, acc);
  });
}

void AluPooling::loadInput(const TileJob& job, const Step& step) {
  const Tile& tile = job.tile;
  const Geometry& g = context_.plan.geometry;
  const Region region = makeRegion(g, context_.plan.tiling, tile, step);
  if (region.isEmpty()) return;
  ActivationBox box;
  box.buffer = context_.buffers.input;
  box.n = tile.n;
  box.tensor_blocks = g.in_channel_blocks;
  box.tensor_height = g.in_height;
  box.tensor_width = g.in_width;
  box.block = tile.out_block;
  box.blocks = tile.outBlocks();
  box.y = region.rows.origin + region.rows.valid_begin * region.rows.step;
  box.rows = region.rows.validSize();
  box.row_step = region.rows.step;
  box.x = region.cols.origin + region.cols.valid_begin;
  box.cols = region.cols.validSize();
  constants_.ensureLoaded();
  int8_.load(box, job.pool_input);
}

void AluPooling::emitStep(const TileJob& job, const Step& step) {
  const Tile& tile = job.tile;
  RegionSource source;
  source.region = makeRegion(context_.plan.geometry, context_.plan.tiling, tile, step);
  source.base = job.pool_input;
  forEachTapRun(tile, step, source.region, [&](const TapRun& ky, const TapRun& kx) {
    const bool reads_input = !source.region.isEmpty() && !Rect{ky.outputs, kx.outputs}.isEmpty();
    if (reads_input) emitTaps(tile, source, ky, kx, job.acc);
    padOutside(context_, tile, ky, kx, job.acc);
  });
}

void AluPooling::emitTaps(const Tile& tile, const RegionSource& source, const TapRun& ky,
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
  const AluOpcode opcode = context_.startsWithMinimum() ? AluOpcode::kMax : AluOpcode::kAdd;
  context_.emit.alu({.opcode = opcode, .use_imm = false}, nest, accesses);
}

}  // namespace vta::kernel
