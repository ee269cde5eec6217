#include "sim/random/program_generator.h"

#include <algorithm>
#include <bit>

#include "isa/instruction/handover.h"
#include "isa/spec/lookup_table.h"

namespace vta::sim {
namespace {

// What the fields hold.
constexpr uint32_t kMostSize = 65535;
constexpr uint32_t kMostStrideElems = 65535;
constexpr uint32_t kMostSramBase = 65535;
// Of a program with large fields: all of a scratchpad, if a row can fill it.
constexpr uint32_t kLargestWindowElems = kMostSize - 1;  // even, so that it holds pairs
// Of a program with large fields: rows of micro-ops are so far apart, if there are few of them.
constexpr uint32_t kMostUopGap = 4096;
// Of a buffer of a program with large fields: long strides stay in it.
constexpr uint64_t kLargeBufferBytes = 2 << 20;

constexpr uint32_t kScratchGranuleBytes = 16;
constexpr uint64_t kScratchBytes = 4096;

}  // namespace

Program randomProgram(const HwConfig& hw, Rng& rng, const RandomProgramOptions& options) {
  return ProgramGenerator(hw, rng, options).run();
}

ProgramGenerator::ProgramGenerator(const HwConfig& hw, Rng& rng,
                                   const RandomProgramOptions& options)
    : hw_(hw),
      rng_(rng),
      options_(options),
      weaver_(program_, hw, rng),
      uop_window_(randomWindow(MemoryType::kUop, 48)),
      inp_window_(randomWindow(MemoryType::kInp, 64)),
      wgt_window_(randomWindow(MemoryType::kWgt, 12)),
      acc_window_(randomWindow(MemoryType::kAcc, 48)),
      uops_(hw.depthElems(MemoryType::kUop)),
      inp_usage_(hw.depthElems(MemoryType::kInp)),
      wgt_usage_(hw.depthElems(MemoryType::kWgt)),
      acc_usage_(hw.depthElems(MemoryType::kAcc)),
      scratch_usage_(kScratchBytes / kScratchGranuleBytes) {}

// At the bottom, at the top, or anywhere; sometimes much larger.
ProgramGenerator::Window ProgramGenerator::randomWindow(MemoryType type, uint32_t most) {
  const uint32_t depth = hw_.depthElems(type);
  if (rng_.oneIn(16)) most *= 8;
  if (options_.large_fields) most = std::min(depth, kLargestWindowElems);
  const uint32_t least = options_.large_fields ? most : std::min(most, 8u);
  const uint32_t count = std::min(depth, rng_.pick(least, most));
  const uint32_t room = depth - count;
  const uint32_t place = rng_.pick(0, 2);
  const uint32_t begin = place == 0 ? 0 : place == 1 ? room : rng_.pick(0, room);
  if (type != MemoryType::kAcc || !hw_.params().ext_requant) return {begin, count};
  // What REQUANT reads is a pair, of which both are there.
  return {begin & ~1u, ((begin + count + 1) & ~1u) - (begin & ~1u)};
}

// A value around a power of two, or the largest, or a small one.
uint32_t ProgramGenerator::edge(uint32_t least, uint32_t most) {
  if (rng_.oneIn(4)) return most;
  if (rng_.oneIn(4)) return rng_.pick(least, std::min(most, least + 3));
  const auto bits = static_cast<uint32_t>(std::bit_width(std::max(most, 1u)));
  const uint32_t power = 1u << rng_.pick(0, bits - 1);
  return std::clamp(power - 1 + rng_.pick(0, 2), least, most);
}

Usage& ProgramGenerator::usageOf(MemoryType type) {
  if (type == MemoryType::kInp) return inp_usage_;
  return type == MemoryType::kWgt ? wgt_usage_ : acc_usage_;
}

ProgramGenerator::Window& ProgramGenerator::windowOf(MemoryType type) {
  if (type == MemoryType::kInp) return inp_window_;
  if (type == MemoryType::kUop) return uop_window_;
  return type == MemoryType::kWgt ? wgt_window_ : acc_window_;
}

void ProgramGenerator::declareBuffers() {
  program_.hw_fingerprint = hw_.fingerprint();
  program_.encoding = hw_.encoding();
  const auto declare = [&](const char* name, BufferKind kind, MemoryType type, uint32_t elements) {
    const uint32_t elem_bytes = hw_.elemBytes(type);
    program_.buffers.push_back({name, kind, uint64_t{elements} * elem_bytes, elem_bytes});
  };
  // Elements of a buffer: room for long strides where fields are large.
  const auto room = [&](MemoryType type, uint32_t count) {
    const uint64_t large =
        std::min<uint64_t>(kLargeBufferBytes / hw_.elemBytes(type), 2 * kMostStrideElems);
    return options_.large_fields ? std::max(count, static_cast<uint32_t>(large)) : count;
  };
  declare("uop", BufferKind::kUop, MemoryType::kUop, 0);  // its size is known at the end
  declare("inp", BufferKind::kInput, MemoryType::kInp,
          room(MemoryType::kInp, inp_window_.count + rng_.pick(100, 400)));
  declare("wgt", BufferKind::kConstant, MemoryType::kWgt,
          room(MemoryType::kWgt, wgt_window_.count + rng_.pick(20, 60)));
  declare("acc", BufferKind::kInput, MemoryType::kAcc,
          room(MemoryType::kAcc, acc_window_.count + rng_.pick(100, 200)));
  const uint32_t out = options_.large_fields ? 2 * acc_window_.count + 600 : rng_.pick(200, 600);
  declare("out", BufferKind::kOutput, MemoryType::kOut, room(MemoryType::kOut, out));
  const uint32_t alignment =
      std::max({hw_.elemBytes(MemoryType::kInp), hw_.elemBytes(MemoryType::kWgt),
                hw_.elemBytes(MemoryType::kOut)});
  program_.buffers.push_back({"scratch", BufferKind::kScratch, kScratchBytes, alignment});
}

void ProgramGenerator::fillScratchpads() {
  addUopLoad();
  for (const MemoryType type : {MemoryType::kInp, MemoryType::kWgt, MemoryType::kAcc}) {
    const Window& window = windowOf(type);
    MemInsn mem;
    mem.memory_type = type;
    mem.sram_base = window.begin;
    mem.y_size = 1;
    mem.x_size = window.count;
    mem.x_stride = window.count;
    const Buffer buffer = type == MemoryType::kInp   ? kInpBuffer
                          : type == MemoryType::kWgt ? kWgtBuffer
                                                     : kAccBuffer;
    addTransfer(Instruction::load(mem), buffer,
                {rangeAccess(type, window.begin, window.count, true)});
  }
  if (hw_.params().ext_lut) fillTable();
}

// All words of the ALU's table, from the elements behind the first micro-op's, as often as needed.
void ProgramGenerator::fillTable() {
  const uint32_t first = uops_[uop_window_.begin].dst_idx;
  const uint32_t count = std::min(acc_window_.last() - first + 1, kTableWords);
  for (uint32_t word = 0; word < kTableWords; word += count) {
    AluInsn alu;
    alu.alu_opcode = AluOpcode::kTable;
    alu.use_imm = true;
    alu.imm = tableImmediate(word, first);
    alu.uop_bgn = uop_window_.begin;
    alu.uop_end = alu.uop_bgn + 1;
    alu.iter_out = 1;
    alu.iter_in = std::min(count, kTableWords - word);
    alu.dst_factor_in = 1;
    add(Instruction::alu(alu), {rangeAccess(MemoryType::kAcc, first, alu.iter_in, true)});
  }
}

Program ProgramGenerator::run() {
  declareBuffers();
  fillScratchpads();
  // Everything that the micro-ops name is there from here on.
  const uint32_t count = rng_.pick(options_.min_instructions, options_.max_instructions);
  for (uint32_t i = 0; i < count; ++i) addRandomInstruction();
  weaver_.finish();
  program_.buffers[kUopBuffer].size_bytes =
      program_.uops.size() * static_cast<uint64_t>(hw_.uopBytes());
  program_.symbols = {{0, "random"}};
  return std::move(program_);
}

void ProgramGenerator::addRandomInstruction() {
  if (rng_.oneIn(20)) weaver_.synchronise(static_cast<Unit>(rng_.pick(0, 2)));
  switch (rng_.pick(0, 15)) {
    case 0:
      return addUopLoad();
    case 1:
    case 2:
      return hw_.params().ext_handover && rng_.oneIn(2) ? addHandover() : addLoad(MemoryType::kInp);
    case 3:
      return addLoad(hw_.params().ext_transpose && rng_.oneIn(2) ? MemoryType::kWgtTransposed
                                                                 : MemoryType::kWgt);
    case 4:
      return addLoad(MemoryType::kAcc);
    case 5:
      return addLoad(MemoryType::kAcc8);
    case 6:
    case 7:
    case 8:
      return addStore();
    case 9:
    case 10:
    case 11:
    case 12:
      if (addGemm()) return;
      return addStore();
    default:
      if (addAlu()) return;
      return addUopLoad();
  }
}

void ProgramGenerator::add(Instruction insn, const std::vector<Access>& accesses) {
  TokenWeaver::Clock needs{};
  for (const Access& access : accesses) {
    for (const uint32_t element : access.elements) {
      access.usage->addNeeds(element, access.is_write, needs);
    }
  }
  const uint32_t position = weaver_.add(insn, needs);
  const int unit = static_cast<int>(insn.unit());
  for (const Access& access : accesses) {
    for (const uint32_t element : access.elements) {
      access.usage->record(element, access.is_write, unit, position);
    }
  }
}

// The relocation belongs to the last instruction of the unit, which the weaver may have put behind
// others.
void ProgramGenerator::addTransfer(Instruction insn, Buffer buffer, std::vector<Access> accesses) {
  if (buffer == kScratch) {
    accesses.push_back(scratchAccess(insn.mem(), insn.opcode == Opcode::kStore));
  }
  add(insn, accesses);
  if (insn.mem().x_size == 0 || isOnChip(insn.mem().memory_type)) return;
  program_.relocations.push_back({static_cast<uint32_t>(program_.instructions.size() - 1), buffer});
}

ProgramGenerator::Access ProgramGenerator::rangeAccess(MemoryType type, uint32_t first,
                                                       uint32_t count, bool is_write) {
  Access access{&usageOf(type), is_write, std::vector<uint32_t>(count)};
  for (uint32_t i = 0; i < count; ++i) access.elements[i] = first + i;
  return access;
}

ProgramGenerator::Access ProgramGenerator::scratchAccess(const MemInsn& mem, bool is_write) {
  Access access{&scratch_usage_, is_write, {}};
  const uint64_t elem_bytes = hw_.elemBytes(mem.memory_type);
  for (uint32_t y = 0; y < mem.y_size; ++y) {
    const uint64_t first = (mem.dram_base + uint64_t{y} * mem.x_stride) * elem_bytes;
    for (uint64_t at = first / kScratchGranuleBytes;
         mem.x_size > 0 && at * kScratchGranuleBytes < first + mem.x_size * elem_bytes; ++at) {
      access.elements.push_back(static_cast<uint32_t>(at));
    }
  }
  return access;
}

void ProgramGenerator::drawPads(MemInsn& mem) {
  const bool large = options_.large_fields;
  const auto draw = [&](uint32_t most) { return large ? edge(0, 15) : rng_.pick(0, most); };
  mem.x_pad_0 = draw(3);
  mem.x_pad_1 = draw(3);
  mem.y_pad_0 = draw(2);
  mem.y_pad_1 = draw(2);
}

// Rows and their elements. One of the two is large in a transfer with large fields, up to what the
// pads leave of `room`.
void ProgramGenerator::drawSizes(MemInsn& mem, uint32_t room) {
  if (!options_.large_fields) {
    mem.x_size = rng_.oneIn(12) ? 0 : rng_.pick(1, rng_.oneIn(3) ? 40 : 8);
    mem.y_size = rng_.oneIn(12) ? 0 : rng_.pick(1, 5);
    return;
  }
  const auto draw_both = [&](uint32_t& small, uint32_t& large, uint32_t small_pads,
                             uint32_t large_pads) {
    small = rng_.oneIn(2) ? 1 : rng_.pick(1, 3);
    const uint32_t most = std::min(room / (small + small_pads), kMostSize + large_pads);
    large = edge(1, most > large_pads ? most - large_pads : 1);
  };
  const uint32_t x_pads = mem.x_pad_0 + mem.x_pad_1;
  const uint32_t y_pads = mem.y_pad_0 + mem.y_pad_1;
  if (rng_.oneIn(2)) {
    draw_both(mem.y_size, mem.x_size, y_pads, x_pads);
  } else {
    draw_both(mem.x_size, mem.y_size, x_pads, y_pads);
  }
}

// A transfer of at most `room` SRAM elements, pads included.
MemInsn ProgramGenerator::randomShape(MemoryType type, uint32_t room) {
  MemInsn mem;
  mem.memory_type = type;
  const bool has_pads = type != MemoryType::kOut && rng_.oneIn(2);
  do {
    if (has_pads) drawPads(mem);
    drawSizes(mem, room);
  } while ((mem.y_pad_0 + mem.y_size + mem.y_pad_1) * (mem.x_pad_0 + mem.x_size + mem.x_pad_1) >
           room);
  if (has_pads && hw_.params().ext_pad_min && rng_.oneIn(2)) mem.pad_kind = PadKind::kMin;
  const uint32_t stride = rng_.pick(0, 3);
  const uint32_t apart = options_.large_fields ? edge(0, kMostStrideElems) : rng_.pick(0, 60);
  const bool is_apart = stride == 1 || (options_.large_fields && stride > 1);
  mem.x_stride = stride == 0 ? 0 : is_apart ? apart : mem.x_size;
  return mem;
}

// Elements that `mem` fills or stores from its sram_base on.
uint32_t sramCount(const MemInsn& mem) {
  if (mem.x_size == 0) return 0;
  return (mem.y_pad_0 + mem.y_size + mem.y_pad_1) * (mem.x_pad_0 + mem.x_size + mem.x_pad_1);
}

// Chooses dram_base inside `buffer`. Returns the buffer's elements.
uint32_t ProgramGenerator::placeInBuffer(MemInsn& mem, Buffer buffer) {
  const auto elements =
      static_cast<uint32_t>(program_.buffers[buffer].size_bytes / hw_.elemBytes(mem.memory_type));
  placeWithin(mem, elements);
  return elements;
}

// Chooses dram_base among `elements`; fewer rows and shorter strides if it does not fit.
void ProgramGenerator::placeWithin(MemInsn& mem, uint32_t elements) {
  const auto used = [&] {
    return mem.y_size == 0 ? mem.x_size : (mem.y_size - 1) * mem.x_stride + mem.x_size;
  };
  mem.x_size = std::min(mem.x_size, elements);
  if (options_.large_fields && mem.y_size > 1 && mem.x_stride > mem.x_size) {
    mem.x_stride = std::min(mem.x_stride, (elements - mem.x_size) / (mem.y_size - 1));
  }
  if (used() > elements) mem.x_stride = std::min(mem.x_stride, mem.x_size);
  if (used() > elements) mem.x_stride = 0;
  mem.dram_base = rng_.pick(0, elements - used());
}

// Where `count` elements may begin: behind the last one, if there is none and the field can say it.
uint32_t ProgramGenerator::placeInWindow(const Window& window, uint32_t count) {
  return std::min(window.begin + rng_.pick(0, window.count - count), kMostSramBase);
}

// Rows of the ACC window go to INP.
void ProgramGenerator::addHandover() {
  MemInsn mem = randomShape(MemoryType::kInpFromOut, inp_window_.count);
  const uint32_t parts = handoverParts(hw_);
  placeWithin(mem, acc_window_.count * parts);
  mem.dram_base += acc_window_.begin * parts;
  const uint32_t count = sramCount(mem);
  mem.sram_base = placeInWindow(inp_window_, count);
  std::vector<Access> accesses = {rangeAccess(MemoryType::kInp, mem.sram_base, count, true)};
  for (uint32_t y = 0; y < mem.y_size && mem.x_size > 0; ++y) {
    const OutElems row = handoverRow(mem, y, hw_);
    accesses.push_back(rangeAccess(MemoryType::kAcc, row.begin, row.count(), false));
  }
  addTransfer(Instruction::load(mem), kInpBuffer, accesses);
}

void ProgramGenerator::addLoad(MemoryType type) {
  const MemoryType scratchpad = scratchpadOf(type);
  const Window& window = windowOf(scratchpad);
  MemInsn mem = randomShape(type, window.count);
  const bool again = type != MemoryType::kAcc && rng_.oneIn(4);
  const Buffer buffer = again                            ? kScratch
                        : scratchpad == MemoryType::kInp ? kInpBuffer
                        : scratchpad == MemoryType::kWgt ? kWgtBuffer
                                                         : kAccBuffer;
  placeInBuffer(mem, buffer);
  const uint32_t count = sramCount(mem);
  mem.sram_base = placeInWindow(window, count);
  addTransfer(Instruction::load(mem), buffer,
              {rangeAccess(scratchpad, mem.sram_base, count, true)});
}

void ProgramGenerator::addStore() {
  MemInsn mem = randomShape(MemoryType::kOut, acc_window_.count);
  const Buffer buffer = rng_.oneIn(3) ? kScratch : kOutBuffer;
  placeInBuffer(mem, buffer);
  const uint32_t count = sramCount(mem);
  mem.sram_base = placeInWindow(acc_window_, count);
  addTransfer(Instruction::store(mem), buffer,
              {rangeAccess(MemoryType::kAcc, mem.sram_base, count, false)});
}

Uop ProgramGenerator::randomUop() {
  const auto inside = [&](const Window& window, uint32_t part) {
    return window.begin + rng_.pick(0, (window.count - 1) / part);
  };
  Uop uop;
  uop.dst_idx = inside(acc_window_, 2);
  uop.src_idx = rng_.oneIn(2) ? inside(inp_window_, 2) : inside(acc_window_, 2);
  // Near the destination: an ALU instruction meets its own results.
  if (rng_.oneIn(4)) {
    uop.src_idx =
        acc_window_.begin + (uop.dst_idx - acc_window_.begin + rng_.pick(0, 4)) % acc_window_.count;
  }
  uop.wgt_idx = inside(wgt_window_, 2);
  return uop;
}

// New micro-ops, in runs of equal kind so that ranges of them suit one instruction. Returns the
// index of the first.
uint32_t ProgramGenerator::addUops(uint32_t count) {
  const auto first = static_cast<uint32_t>(program_.uops.size());
  Uop uop = randomUop();
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t step = rng_.pick(0, 7);
    if (step == 0) uop = randomUop();
    const bool can_advance = acc_window_.has(uop.dst_idx + 1) && wgt_window_.has(uop.wgt_idx + 1) &&
                             (inp_window_.has(uop.src_idx + 1) || acc_window_.has(uop.src_idx + 1));
    if (step >= 3 && can_advance) {
      uop = {uop.dst_idx + (step & 1), uop.src_idx + 1, uop.wgt_idx + (step >> 1 & 1)};
    }
    program_.uops.push_back(uop);
  }
  return first;
}

void ProgramGenerator::addUopLoad() {
  const bool first = program_.uops.empty();
  if (!first && rng_.oneIn(2)) return addUopRows();
  const uint32_t count = first ? uop_window_.count : rng_.pick(1, uop_window_.count);
  MemInsn mem;
  mem.memory_type = MemoryType::kUop;
  mem.sram_base =
      first ? uop_window_.begin : uop_window_.begin + rng_.pick(0, uop_window_.count - count);
  mem.dram_base = addUops(count);
  mem.y_size = 1;
  mem.x_size = mem.x_stride = count;
  if (count % 2 == 0 && rng_.oneIn(3)) {  // the same elements as two rows
    mem.y_size = 2;
    mem.x_size = mem.x_stride = count / 2;
  }
  std::copy_n(program_.uops.begin() + mem.dram_base, count, uops_.begin() + mem.sram_base);
  addTransfer(Instruction::load(mem), kUopBuffer, {});
}

// Rows of micro-ops with padding around them, which is zero whatever its kind.
void ProgramGenerator::addUopRows() {
  MemInsn mem = randomShape(MemoryType::kUop, uop_window_.count);
  const bool has_few_rows = mem.y_size <= 3;
  const uint32_t gap = !options_.large_fields ? 9 : has_few_rows ? edge(0, kMostUopGap) : 1;
  mem.x_stride = rng_.oneIn(4) ? 0 : std::min(mem.x_size + rng_.pick(0, gap), kMostStrideElems);
  const uint32_t rows = std::max(mem.y_size, 1u);
  mem.dram_base = addUops((rows - 1) * mem.x_stride + mem.x_size);
  const uint32_t count = sramCount(mem);
  mem.sram_base = placeInWindow(uop_window_, count);
  std::fill_n(uops_.begin() + mem.sram_base, count, Uop{});
  const uint32_t width = mem.x_pad_0 + mem.x_size + mem.x_pad_1;
  for (uint32_t y = 0; y < mem.y_size; ++y) {
    std::copy_n(program_.uops.begin() + mem.dram_base + y * mem.x_stride, mem.x_size,
                uops_.begin() + mem.sram_base + (mem.y_pad_0 + y) * width + mem.x_pad_0);
  }
  addTransfer(Instruction::load(mem), kUopBuffer, {});
}

}  // namespace vta::sim
