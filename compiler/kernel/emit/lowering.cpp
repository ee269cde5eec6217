#include "compiler/kernel/emit/lowering.h"

#include <algorithm>

#include "base/integer_math.h"

namespace vta::kernel {
namespace {

constexpr int64_t kMaxReserve = 1 << 14;  // instructions

// Of outputs [first, first + count), those i whose place step * i + offset is in [0, extent).
RegionAxis::Range storedOutputs(int64_t first, int64_t count, int64_t step, int64_t offset,
                                int64_t extent) {
  return {std::max(first, ceilDiv(-offset, step)),
          std::min(first + count, ceilDiv(extent - offset, step))};
}

SlotCache makeCache(const SlotRange& range) {
  return {range.base, range.elems, range.count, range.from_top};
}

// The slot of one of the copies of `range`, if there are so many.
SlotCache makeCopy(const SlotRange& range, uint32_t copy) {
  if (copy >= range.count) return {};
  return {range.slotBase(copy), range.elems, 1};
}

}  // namespace

KernelLowering::KernelLowering(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                               const KernelPlan& plan)
    : desc_(desc),
      g_(plan.geometry),
      schedule_(schedule),
      hw_(hw),
      plan_(plan),
      emit_(hw, desc.name, plan.sram.from_top),
      inp_(makeCache(plan.sram.inp)),
      wgt_(makeCache(plan.sram.wgt)),
      staging_(makeCache(plan.sram.staging)),
      params_{makeCopy(plan.sram.param, 0), makeCopy(plan.sram.param, 1)},
      defined_elems_(plan.sram.acc.count, 0) {}

void KernelLowering::declareBuffers() {
  const bool contraction = desc_.kind == KernelKind::kContraction;
  const int64_t in_elems = g_.batch_blocks * g_.in_channel_blocks * g_.in_height * g_.in_width;
  const Geometry& outputs = plan_.outputs;
  const int64_t out_elems =
      g_.batch_blocks * g_.out_channel_blocks * outputs.out_height * outputs.out_width;
  const MemoryType in_type = contraction ? MemoryType::kInp : MemoryType::kOut;
  input_buffer_ = emit_.declareBuffer(kInputBuffer, BufferKind::kInput, in_type, in_elems);
  if (contraction) {
    const int64_t elems =
        g_.out_channel_blocks * g_.inBlocksPerGroup() * g_.kernel_height * g_.kernel_width;
    weight_buffer_ =
        emit_.declareBuffer(kWeightBuffer, BufferKind::kConstant, MemoryType::kWgt, elems);
  }
  if (desc_.num_params > 0) {
    param_buffer_ = emit_.declareBuffer(kParamBuffer, BufferKind::kConstant, MemoryType::kAcc,
                                        desc_.num_params * g_.out_channel_blocks);
  }
  if (desc_.residual.has_value()) {
    residual_buffer_ =
        emit_.declareBuffer(kResidualBuffer, BufferKind::kInput, MemoryType::kOut, out_elems);
  }
  output_buffer_ = emit_.declareBuffer(
      kOutputBuffer, BufferKind::kOutput, MemoryType::kOut,
      g_.batch_blocks * outputs.storedBlocks() * outputs.storedHeight() * outputs.storedWidth());
  if (plan_.sram.has_identity) {
    identity_buffer_ =
        emit_.declareBuffer(kIdentityBuffer, BufferKind::kConstant, MemoryType::kWgt, 1);
  }
}

int64_t KernelLowering::tileCount() const {
  return g_.batch_blocks * plan_.tiling.pixelTiles() * plan_.tiling.outTiles();
}

Program KernelLowering::run() {
  declareBuffers();
  planUnits();
  const int64_t per_tile = 4 * plan_.tiling.steps() + static_cast<int64_t>(units_.size()) + 5;
  emit_.reserve(static_cast<size_t>(std::min(kMaxReserve, tileCount() * per_tile)));
  if (!plan_.pipelined) {
    lowerInOrder();
  } else if (plan_.method == Method::kGemm) {
    lowerGemmPipelined();
  } else {
    lowerPipelined();
  }
  return emit_.finish();
}

KernelLowering::Job KernelLowering::makeJob(int64_t number) const {
  const int64_t pixels = g_.batch_blocks * plan_.tiling.pixelTiles();
  const int64_t outs = plan_.tiling.outTiles();
  const bool weights_outer = schedule_.order == Schedule::Order::kWeightsOuter;
  int64_t pixel = weights_outer ? number % pixels : number / outs;
  int64_t out = weights_outer ? number / pixels : number % outs;
  // The last pass over the pixels goes forward, so that the next layer's first tiles find theirs
  // early.
  if (plan_.alternates && weights_outer && out % 2 == 1 && out + 1 < outs) {
    pixel = pixels - 1 - pixel;
  } else if (plan_.alternates && !weights_outer && pixel % 2 == 1) {
    out = outs - 1 - out;
  }
  if (plan_.pool) {
    // Down the image: the next tile takes over what this one carries.
    const Tiling& t = plan_.tiling;
    const int64_t place = pixel % t.pixelTiles();
    pixel += place % t.tiles_y * t.tiles_x + place / t.tiles_y - place;
  }
  const SlotRange& accs = plan_.sram.acc;
  const SlotRange& pools = plan_.sram.pool_input;
  Job job;
  job.backwards = plan_.alternates && number % 2 == 1;
  job.tile = makeTile(plan_.outputs, plan_.tiling, pixel, out);
  job.elems = plan_.pool ? makePoolTile(*plan_.pool, job.tile).elems
                         : static_cast<uint32_t>(job.tile.elems());
  job.slot = static_cast<uint32_t>(number % accs.count);
  job.acc = accs.slotBase(job.slot);
  if (pools.count > 0) {
    job.pool_input = pools.slotBase(static_cast<uint32_t>(number % pools.count));
  }
  return job;
}

// Step `number` of a tile's reduction in the order in which they are made.
Step KernelLowering::stepOf(const Job& job, int64_t number) const {
  const int64_t steps = plan_.tiling.steps();
  return makeStep(g_, plan_.tiling, job.backwards ? steps - 1 - number : number);
}

// Tile after tile: for hardware whose compute unit does one thing at a time.
void KernelLowering::lowerInOrder() {
  for (int64_t number = 0; number < tileCount(); ++number) {
    Job job = makeJob(number);
    begin(job);
    for (int64_t id = 0; id < plan_.tiling.steps(); ++id) {
      const Step step = stepOf(job, id);
      if (plan_.method == Method::kGemm) gemmStep(job, step);
      if (plan_.method == Method::kAluPool) {
        loadPoolInput(job, step);
        poolStep(job, step);
      }
    }
    emitUnits(job, units_.size());
  }
}

// Instructions issue in order, but the engines work side by side. Behind a tile's GEMMs come the
// load of its residual and the clearing of the next tile, which both run beside them; then what the
// ALU does to the tile, which runs beside the next tile's GEMMs.
void KernelLowering::lowerGemmPipelined() {
  const int64_t count = tileCount();
  const bool loads_residual = units_.front().kind == Unit::Kind::kLoadResidual;
  Job job = makeJob(0);
  begin(job);
  for (int64_t number = 0; number < count; ++number) {
    for (int64_t id = 0; id < plan_.tiling.steps(); ++id) {
      gemmStep(job, stepOf(job, id));
    }
    if (loads_residual) emitUnits(job, 1);
    Job next = number + 1 < count ? makeJob(number + 1) : Job{};
    if (number + 1 < count) begin(next);
    emitUnits(job, units_.size());
    job = next;
  }
}

// The same without GEMMs: what the ALU does to a tile is issued behind the loads of the next one.
void KernelLowering::lowerPipelined() {
  const int64_t count = tileCount();
  Job last;
  for (int64_t number = 0; number < count; ++number) {
    Job job = makeJob(number);
    if (plan_.method == Method::kAluPool) {
      loadPoolInput(job, makeStep(g_, plan_.tiling, 0));
    } else {
      begin(job);
    }
    if (number > 0) finishPipelined(last);
    last = job;
  }
  finishPipelined(last);
}

// What is left of a tile: pooling's ALU work and the rest of the epilogue.
void KernelLowering::finishPipelined(Job& job) {
  if (plan_.method == Method::kAluPool) {
    begin(job);
    poolStep(job, makeStep(g_, plan_.tiling, 0));
  }
  emitUnits(job, units_.size());
}

// A tile's accumulators before its reduction.
void KernelLowering::begin(Job& job) {
  // The first instruction of a program is this reset's micro-op load: compute, and waiting for
  // nothing, as 0.0.2 hardware wants it.
  const bool elementwise = plan_.method == Method::kElementwise;
  const bool loads_accumulators = elementwise && !schedule_.int8_through_gemm;
  if (!loads_accumulators) clear(job);
  if (!constants_loaded_) loadConstants();
  if (elementwise) {
    loadInt8(outputBox(job.tile, input_buffer_), job.acc, schedule_.int8_through_gemm);
  }
}

// Gives a tile's accumulators their first value: 0, or for a maximum the smallest one. The ALU can
// do that only to what holds a value, because it reads its operand. After a maximum without further
// steps no value is below the smallest, so one operation brings it there.
void KernelLowering::clear(Job& job) {
  const uint32_t elems = job.elems;
  const auto toAll = [&](AluOpcode opcode, int32_t imm) {
    Nest all;
    all.base.dst_idx = all.base.src_idx = job.acc;
    all.push({elems, 1, 1, 0, true});
    aluImmediate(opcode, imm, all, job.acc, job.acc + elems);
  };
  if (canBeginWithBias(job)) return beginWithBias(job);
  const bool is_max = isMax();
  const bool by_alu = plan_.reset_by_alu || (is_max && desc_.epilogue.empty());
  if (by_alu && elems <= defined_elems_[job.slot]) {
    is_max ? toAll(AluOpcode::kMin, kMinInt8) : toAll(AluOpcode::kMul, 0);
    return;
  }
  emit_.resetAcc(job.acc, job.acc + elems);
  defined_elems_[job.slot] = std::max(defined_elems_[job.slot], elems);
  if (is_max) toAll(AluOpcode::kAdd, kMinInt8);
}

void KernelLowering::loadConstants() {
  constants_loaded_ = true;
  const SramPlan& sram = plan_.sram;
  // The first maximum of a carried row reads what was there.
  if (sram.carry.count > 0) emit_.resetAcc(sram.carry.base, sram.carry.end());
  if (sram.has_identity) {
    Transfer t;
    t.memory_type = MemoryType::kWgt;
    t.buffer = identity_buffer_;
    t.sram_base = sram.identity_base;
    t.push(1, 1);
    emit_.transfer(t);
  }
  if (sram.has_pad) {
    // One padding element in front of any input element.
    Transfer t;
    t.memory_type = MemoryType::kInp;
    t.buffer = input_buffer_;
    t.sram_base = sram.pad_base;
    t.push(1, 1);
    t.push(1, 1);
    t.pad_left = 1;
    t.pad_kind = g_.pad_kind;
    emit_.transfer(t);
  }
  if (desc_.num_params > 0 && sram.param_mode == ParamMode::kResident) {
    for (uint32_t copy = 0; copy < sram.param.count; ++copy) {
      Transfer t;
      t.memory_type = MemoryType::kAcc;
      t.buffer = param_buffer_;
      t.sram_base = sram.param.slotBase(copy);
      t.push(desc_.num_params * g_.out_channel_blocks, 1);
      emit_.transfer(t);
    }
  }
}

void KernelLowering::store(const Job& job) {
  if (plan_.pool && plan_.pool->rows.slides) return storeRows(job);
  if (plan_.outputs.storesAll()) {
    emit_.transfer(boxTransfer(outputBox(job.tile, output_buffer_), MemoryType::kOut, job.acc));
    return;
  }
  for (int64_t block = 0; block < job.tile.outBlocks(); ++block) {
    const int64_t phase = (job.tile.out_block + block) / g_.storedBlocks();
    for (int64_t place = 0; place < g_.interleave_y * g_.interleave_x; ++place) {
      if (g_.phases == 1 || place == phase) storePlace(job, block, place);
    }
  }
}

// One of a block's places in the interleaved image.
void KernelLowering::storePlace(const Job& job, int64_t block, int64_t place) {
  const Tile& tile = job.tile;
  const int64_t place_y = place / g_.interleave_x, place_x = place % g_.interleave_x;
  const RegionAxis::Range rows =
      storedOutputs(tile.y, tile.height, g_.interleave_y, place_y - g_.crop_top, g_.storedHeight());
  const RegionAxis::Range cols =
      storedOutputs(tile.x, tile.width, g_.interleave_x, place_x - g_.crop_left, g_.storedWidth());
  if (rows.begin >= rows.end || cols.begin >= cols.end) return;
  const int64_t width = g_.storedWidth();
  const int64_t stored_block = (tile.out_block + block) % g_.storedBlocks();
  const int64_t plane = (tile.n * g_.storedBlocks() + stored_block) * g_.storedHeight();
  // Rows follow each other in ACC only where they are stored as a whole.
  const bool whole = cols.end - cols.begin == tile.width;
  const int64_t at_once = whole ? rows.end - rows.begin : 1;
  for (int64_t y = rows.begin; y < rows.end; y += at_once) {
    const int64_t row = y * g_.interleave_y + place_y - g_.crop_top;
    Transfer t;
    t.memory_type = MemoryType::kOut;
    t.buffer = output_buffer_;
    t.sram_base = job.acc + static_cast<uint32_t>((block * tile.height + y - tile.y) * tile.width +
                                                  cols.begin - tile.x);
    t.dram_base = (plane + row) * width + cols.begin * g_.interleave_x + place_x - g_.crop_left;
    t.push(at_once, g_.interleave_y * width);
    t.push(cols.end - cols.begin, g_.interleave_x);
    if (g_.interleave_x > 1) t.push(1, 1);
    emit_.storePart(t, job.acc, job.acc + job.elems);
  }
}

}  // namespace vta::kernel
