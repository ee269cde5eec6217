// ALU steps on a finished tile, and int8 operands brought into accumulators.
#include <algorithm>
#include <array>
#include <optional>

#include "compiler/kernel/emit/lowering.h"

namespace vta::kernel {
namespace {

// What a step with a tensor operand has in the immediate field.
int32_t shiftOf(const EpilogueStep& step) {
  const auto* const operation = findAluOperation(step.opcode);
  const bool is_shift = operation != nullptr && operation->immediate == AluImmediate::kShift;
  return is_shift ? step.imm : 0;
}

// Whether each of `outputs` rows (or columns) from `begin` on has a tap inside the input.
bool allReachInput(int64_t begin, int64_t outputs, int64_t in, int64_t taps, int64_t stride,
                   int64_t dilation, int64_t pad) {
  for (int64_t output = begin; output < begin + outputs; ++output) {
    int64_t place = output * stride - pad;
    int64_t tap = 0;
    while (tap < taps && (place < 0 || place >= in)) {
      ++tap;
      place += dilation;
    }
    if (tap == taps) return false;
  }
  return true;
}

Rect wholeTile(const Tile& tile) { return {{0, tile.height}, {0, tile.width}}; }

}  // namespace

Nest rectNest(const Tile& tile, const Rect& rect, uint32_t acc) {
  Nest nest;
  nest.base.dst_idx = acc + u32(rect.y.begin * tile.width + rect.x.begin);
  nest.base.src_idx = nest.base.dst_idx;
  const uint32_t pixels = u32(tile.pixels());
  const uint32_t width = u32(tile.width);
  nest.push({u32(tile.outBlocks()), pixels, pixels, 0, true});
  nest.push({u32(rect.y.end - rect.y.begin), width, width, 0, true});
  nest.push({u32(rect.x.end - rect.x.begin), 1, 1, 0, true});
  return nest;
}

// Calls `visit(piece, offset)` for pieces of at most `room` elements: whole blocks, else whole rows
// of a block, else parts of a row, so that each is contiguous in a scratchpad, `offset` elements
// from the first.
template <typename Visit>
void KernelLowering::forEachPiece(const Box& box, int64_t room, const Visit& visit) {
  const int64_t cols = std::min(box.cols, room);
  const int64_t rows = cols < box.cols ? 1 : std::min(box.rows, room / cols);
  const int64_t blocks = rows < box.rows ? 1 : std::min(box.blocks, room / (rows * cols));
  for (int64_t block = 0; block < box.blocks; block += blocks) {
    for (int64_t row = 0; row < box.rows; row += rows) {
      for (int64_t col = 0; col < box.cols; col += cols) {
        Box piece = box;
        piece.block += block;
        piece.blocks = std::min(blocks, box.blocks - block);
        piece.y += row * box.row_step;
        piece.rows = std::min(rows, box.rows - row);
        piece.x += col;
        piece.cols = std::min(cols, box.cols - col);
        visit(piece, u32((block * box.rows + row) * box.cols + col));
      }
    }
  }
}

// The epilogue of every tile. Where engines work side by side, the residual's load goes first, so
// that the ALU need not wait for it.
void KernelLowering::planUnits() {
  using Kind = Unit::Kind;
  const bool own_tile = desc_.residual.has_value() && !plan_.residual_by_gemm;
  if (plan_.pool) units_.push_back({Kind::kPool, nullptr});
  if (own_tile && plan_.pipelined) units_.push_back({Kind::kLoadResidual, nullptr});
  for (const EpilogueStep& step : desc_.epilogue) {
    if (step.source != EpilogueStep::Source::kResidual) {
      units_.push_back({Kind::kStep, &step});
      continue;
    }
    const bool whole = own_tile && !plan_.sram.residual_in_pieces;
    if (whole && !plan_.pipelined) units_.push_back({Kind::kLoadResidual, nullptr});
    for (const EpilogueStep& own : desc_.residual->steps) {
      if (whole) units_.push_back({Kind::kResidualStep, &own});
    }
    units_.push_back({Kind::kUseResidual, &step});
  }
  if (hw_.params().compat_0_0_2 && desc_.epilogue.empty()) {
    units_.push_back({Kind::kDefine, nullptr});
  }
  units_.push_back({Kind::kStore, nullptr});
}

void KernelLowering::emitUnits(Job& job, size_t max_units) {
  const size_t end = std::min(units_.size(), job.next_unit + max_units);
  while (job.next_unit < end) emitUnit(job, units_[job.next_unit++]);
}

void KernelLowering::emitUnit(const Job& job, const Unit& unit) {
  const Tile& tile = job.tile;
  switch (unit.kind) {
    case Unit::Kind::kPool:
      poolAccumulators(job);
      break;
    case Unit::Kind::kLoadResidual:
      loadInt8(outputBox(tile, residual_buffer_), residualOf(job), false);
      break;
    case Unit::Kind::kResidualStep:
      applyStep(*unit.step, job, wholeTilePart(tile, residualOf(job)));
      break;
    case Unit::Kind::kStep:
      if (job.has_bias && unit.step == &desc_.epilogue.front()) break;
      applyStep(*unit.step, job, wholeTilePart(tile, job.acc));
      break;
    case Unit::Kind::kUseResidual:
      useResidual(*unit.step, job);
      break;
    case Unit::Kind::kDefine:
      // 0.0.2 hardware stores what GEMM or ALU wrote last, never what a reset wrote.
      if (!isWritten(job)) {
        aluImmediate(AluOpcode::kAdd, 0, rectNest(tile, wholeTile(tile), job.acc), job.acc,
                     job.acc + u32(tile.elems()));
      }
      break;
    case Unit::Kind::kStore:
      store(job);
      break;
  }
}

// Whether GEMM or ALU has written every accumulator of a tile after its reset.
bool KernelLowering::isWritten(const Job& job) const {
  switch (plan_.method) {
    case Method::kElementwise:
      return true;
    case Method::kAluPool:
      return isMax();
    case Method::kGemm:
      break;
  }
  if (job.reads_padding) return true;
  const Tile area = areaOf(job).tile;
  return allReachInput(area.y, area.height, g_.in_height, g_.kernel_height, g_.stride_y,
                       g_.dilation_y, g_.pad_top) &&
         allReachInput(area.x, area.width, g_.in_width, g_.kernel_width, g_.stride_x, g_.dilation_x,
                       g_.pad_left);
}

void KernelLowering::aluImmediate(AluOpcode opcode, int32_t imm, const Nest& nest, uint32_t begin,
                                  uint32_t end) {
  const std::array<SramAccess, 1> accesses = {{{Sram::kAcc, begin, end, true}}};
  emit_.alu({opcode, true, imm}, nest, accesses);
}

// A step with an immediate or a parameter vector on part of a tile or of its residual.
void KernelLowering::applyStep(const EpilogueStep& step, const Job& job, const Part& part) {
  const uint32_t end = part.acc + part.elems();
  Nest nest;
  nest.base.dst_idx = part.acc;
  if (step.source == EpilogueStep::Source::kImmediate) {
    nest.base.src_idx = part.acc;
    nest.push({part.blocks, part.pixels, part.pixels, 0, true});
    nest.push({part.pixels, 1, 1, 0, true});
    aluImmediate(step.opcode, step.imm, nest, part.acc, end);
    return;
  }
  const uint32_t param = loadParam(job, step.param) + part.block;
  nest.base.src_idx = param;
  nest.push({part.blocks, part.pixels, 1, 0, true});
  nest.push({part.pixels, 1, 0, 0, true});
  const std::array<SramAccess, 2> accesses = {{
      {Sram::kAcc, param, param + part.blocks, false},
      {Sram::kAcc, part.acc, end, true},
  }};
  const int32_t imm = shiftOf(step);
  emit_.alu({step.opcode, false, imm}, nest, accesses);
}

// Whether results lie where the tile goes, and none of them is above its bias.
bool KernelLowering::canBeginWithBias(const Job& job) const {
  if (!plan_.begins_with_bias || job.elems > defined_elems_[job.slot]) return false;
  const int64_t first = job.tile.out_block;
  return std::ranges::none_of(desc_.small_bias_blocks, [&](int32_t block) {
    return block >= first && block < first + job.tile.outBlocks();
  });
}

// What lies at the tile are results of the tile before it, none of them above the bias.
void KernelLowering::beginWithBias(Job& job) {
  EpilogueStep bias = desc_.epilogue.front();
  bias.opcode = AluOpcode::kMax;
  applyStep(bias, job, wholeTilePart(job.tile, job.acc));
  job.has_bias = true;
}

// The epilogue's step with the residual, which has gone through its own steps.
void KernelLowering::useResidual(const EpilogueStep& step, const Job& job) {
  if (plan_.residual_by_gemm) {
    loadInt8(outputBox(job.tile, residual_buffer_), job.acc, true);
  } else if (plan_.sram.residual_in_pieces) {
    useResidualInPieces(step, job);
  } else {
    combine(step, wholeTilePart(job.tile, job.acc), residualOf(job));
  }
}

// The same where the residual comes piece by piece, each loaded while the one before is combined
// with its part of the tile.
void KernelLowering::useResidualInPieces(const EpilogueStep& step, const Job& job) {
  const SlotRange& slots = plan_.sram.residual;
  struct Piece {
    Box box;
    Part part;
    uint32_t slot = 0;
  };
  const auto finish = [&](const Piece& piece) {
    Part own = piece.part;
    own.acc = piece.slot;
    for (const EpilogueStep& residual_step : desc_.residual->steps) {
      applyStep(residual_step, job, own);
    }
    combine(step, piece.part, piece.slot);
  };
  std::optional<Piece> last;
  uint32_t number = 0;
  forEachPiece(outputBox(job.tile, residual_buffer_), slots.elems,
               [&](const Box& box, uint32_t offset) {
                 const Part part = {job.acc + offset, u32(box.block - job.tile.out_block),
                                    u32(box.blocks), u32(box.rows * box.cols)};
                 const Piece piece{box, part, slots.slotBase(number++ % slots.count)};
                 loadInt8(box, piece.slot, false);
                 if (last) finish(*last);
                 last = piece;
               });
  finish(*last);
}

// `step` on part of a tile with what lies at `residual`.
void KernelLowering::combine(const EpilogueStep& step, const Part& part, uint32_t residual) {
  Nest nest;
  nest.base.dst_idx = part.acc;
  nest.base.src_idx = residual;
  nest.push({part.blocks, part.pixels, part.pixels, 0, true});
  nest.push({part.pixels, 1, 1, 0, true});
  const std::array<SramAccess, 2> accesses = {{
      {Sram::kAcc, residual, residual + part.elems(), false},
      {Sram::kAcc, part.acc, part.acc + part.elems(), true},
  }};
  const int32_t imm = shiftOf(step);
  emit_.alu({step.opcode, false, imm}, nest, accesses);
}

// Where vector `param` of the tile's channel blocks lies in ACC, loaded if need be.
uint32_t KernelLowering::loadParam(const Job& job, int32_t param) {
  const Tile& tile = job.tile;
  const SramPlan& sram = plan_.sram;
  const int64_t blocks = g_.out_channel_blocks;
  const uint32_t copy = sram.copyNumber(sram.param, job.acc);
  Transfer t;
  t.memory_type = MemoryType::kAcc;
  t.buffer = param_buffer_;
  switch (sram.param_mode) {
    case ParamMode::kResident: {
      return sram.param.slotBase(copy) + u32(param * blocks + tile.out_block);
    }
    case ParamMode::kPerTile: {
      const SlotCache::Slot slot = params_[copy].acquire(tile.out_id);
      if (!slot.hit) {
        t.sram_base = slot.base;
        t.dram_base = tile.out_block;
        t.push(desc_.num_params, blocks);
        t.push(tile.outBlocks(), 1);
        emit_.transfer(t);
      }
      return slot.base + u32(param * tile.outBlocks());
    }
    case ParamMode::kPerStep:
      break;
  }
  const SlotCache::Slot slot = params_[copy].acquire(tile.out_id * desc_.num_params + param);
  if (!slot.hit) {
    t.sram_base = slot.base;
    t.dram_base = param * blocks + tile.out_block;
    t.push(tile.outBlocks(), 1);
    emit_.transfer(t);
  }
  return slot.base;
}

KernelLowering::Box KernelLowering::outputBox(const Tile& tile, uint32_t buffer) const {
  Box box;
  box.buffer = buffer;
  box.n = tile.n;
  box.tensor_blocks = g_.out_channel_blocks;
  box.tensor_height = plan_.outputs.out_height;
  box.tensor_width = plan_.outputs.out_width;
  box.block = tile.out_block;
  box.blocks = tile.outBlocks();
  box.y = tile.y;
  box.rows = tile.height;
  box.x = tile.x;
  box.cols = tile.width;
  return box;
}

Transfer KernelLowering::boxTransfer(const Box& box, MemoryType type, uint32_t sram_base) const {
  const int64_t plane = box.tensor_height * box.tensor_width;
  Transfer t;
  t.memory_type = type;
  t.buffer = box.buffer;
  t.sram_base = sram_base;
  t.dram_base = (box.n * box.tensor_blocks + box.block) * plane + box.y * box.tensor_width + box.x;
  t.push(box.blocks, plane);
  t.push(box.rows, box.row_step * box.tensor_width);
  t.push(box.cols, 1);
  return t;
}

// Brings a box into accumulators from `acc` on, sign-extended, or adds it to them.
void KernelLowering::loadInt8(const Box& box, uint32_t acc, bool accumulate) {
  if (schedule_.int8_through_gemm) {
    loadInt8ByGemm(box, acc, accumulate);
  } else {
    emit_.transfer(boxTransfer(box, MemoryType::kAcc8, acc));
  }
}

void KernelLowering::loadInt8ByGemm(const Box& box, uint32_t acc, bool accumulate) {
  if (!accumulate) emit_.resetAcc(acc, acc + u32(box.elems()));
  forEachPiece(box, staging_.slotElems(), [&](const Box& piece, uint32_t offset) {
    const uint32_t inp = staging_.acquire(staged_number_++).base;
    emit_.transfer(boxTransfer(piece, MemoryType::kInp, inp));
    const uint32_t dst = acc + offset;
    const uint32_t elems = u32(piece.elems());
    const uint32_t identity = plan_.sram.identity_base;
    Nest nest;
    nest.base = {dst, inp, identity};
    nest.push({elems, 1, 1, 0, true});
    const std::array<SramAccess, 3> accesses = {{
        {Sram::kInp, inp, inp + elems, false},
        {Sram::kWgt, identity, identity + 1, false},
        {Sram::kAcc, dst, dst + elems, true},
    }};
    emit_.gemm(nest, accesses);
  });
}

}  // namespace vta::kernel
