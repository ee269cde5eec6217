#include "compiler/kernel/lowering.h"

#include <algorithm>

namespace vta::kernel {
namespace {

constexpr int64_t kMaxReserve = 1 << 14;  // instructions

SlotCache makeCache(const SlotRange& range) { return {range.base, range.elems, range.count}; }

}  // namespace

KernelLowering::KernelLowering(const KernelDesc& desc, const Schedule& schedule, const HwConfig& hw,
                               const KernelPlan& plan)
    : desc_(desc),
      g_(desc.geometry),
      schedule_(schedule),
      hw_(hw),
      plan_(plan),
      emit_(hw, desc.name),
      inp_(makeCache(plan.sram.inp)),
      wgt_(makeCache(plan.sram.wgt)),
      staging_(makeCache(plan.sram.staging)),
      param_(makeCache(plan.sram.param)),
      defined_elems_(plan.sram.acc.count, 0) {}

void KernelLowering::declareBuffers() {
  const bool contraction = desc_.kind == KernelKind::kContraction;
  const int64_t in_elems = g_.batch_blocks * g_.in_channel_blocks * g_.in_height * g_.in_width;
  const int64_t out_elems = g_.batch_blocks * g_.out_channel_blocks * g_.out_height * g_.out_width;
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
  if (!desc_.residual.empty()) {
    residual_buffer_ =
        emit_.declareBuffer(kResidualBuffer, BufferKind::kInput, MemoryType::kOut, out_elems);
  }
  output_buffer_ =
      emit_.declareBuffer(kOutputBuffer, BufferKind::kOutput, MemoryType::kOut, out_elems);
  if (plan_.sram.has_identity) {
    identity_buffer_ =
        emit_.declareBuffer(kIdentityBuffer, BufferKind::kConstant, MemoryType::kWgt, 1);
  }
}

Program KernelLowering::run() {
  declareBuffers();
  const int64_t pixels = g_.batch_blocks * plan_.tiling.pixelTiles();
  const int64_t outs = plan_.tiling.outTiles();
  const int64_t per_tile =
      4 * plan_.tiling.steps() + static_cast<int64_t>(desc_.epilogue.size()) + 6;
  emit_.reserve(static_cast<size_t>(std::min(kMaxReserve, pixels * outs * per_tile)));
  const bool weights_outer = schedule_.order == Schedule::Order::kWeightsOuter;
  const int64_t outer = weights_outer ? outs : pixels;
  const int64_t inner = weights_outer ? pixels : outs;
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t j = 0; j < inner; ++j) {
      lowerTile(makeTile(g_, plan_.tiling, weights_outer ? j : i, weights_outer ? i : j));
    }
  }
  return emit_.finish();
}

void KernelLowering::lowerTile(const Tile& tile) {
  const SlotRange& slots = plan_.sram.acc;
  const auto slot = static_cast<uint32_t>(tile_number_++ % slots.count);
  const uint32_t acc = slots.base + slot * slots.elems;
  tile_fully_written_ = true;

  // The first instruction of a program is this reset's micro-op load: compute, and waiting for
  // nothing, as 0.0.2 hardware wants it.
  const bool loads_accumulators =
      plan_.method == Method::kElementwise && !schedule_.int8_through_gemm;
  if (!loads_accumulators) clear(tile, slot, acc);
  if (!constants_loaded_) loadConstants();

  switch (plan_.method) {
    case Method::kGemm:
      reduceByGemm(tile, acc);
      break;
    case Method::kAluPool:
      reduceByAlu(tile, acc);
      break;
    case Method::kElementwise:
      loadInt8(outputBox(tile, input_buffer_), acc, !loads_accumulators);
      break;
  }
  epilogue(tile, acc);
  store(tile, acc);
}

// Clears a tile's accumulators. The ALU can clear only what holds a value: it reads its operand.
void KernelLowering::clear(const Tile& tile, uint32_t slot, uint32_t acc) {
  const auto elems = static_cast<uint32_t>(tile.elems());
  if (!plan_.reset_by_alu || elems > defined_elems_[slot]) {
    emit_.resetAcc(acc, acc + elems);
    defined_elems_[slot] = std::max(defined_elems_[slot], elems);
    return;
  }
  const Rect all{{0, tile.height}, {0, tile.width}};
  aluImmediate(AluOpcode::kMul, 0, rectNest(tile, all, acc), acc, acc + elems);
}

void KernelLowering::loadConstants() {
  constants_loaded_ = true;
  const SramPlan& sram = plan_.sram;
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
    Transfer t;
    t.memory_type = MemoryType::kAcc;
    t.buffer = param_buffer_;
    t.sram_base = sram.param.base;
    t.push(desc_.num_params * g_.out_channel_blocks, 1);
    emit_.transfer(t);
  }
}

void KernelLowering::store(const Tile& tile, uint32_t acc) {
  emit_.transfer(boxTransfer(outputBox(tile, output_buffer_), MemoryType::kOut, acc));
}

}  // namespace vta::kernel
