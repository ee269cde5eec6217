#include "driver/check_programs.h"

#include <algorithm>

#include "isa/config/dram_alignment.h"
#include "isa/instruction/contiguous_row.h"

namespace vta::driver {
namespace {

constexpr uint32_t kAccBytes = 4;
constexpr uint32_t kCompatUops = 2048;

Program emptyProgram(const HwConfig& hw) {
  Program program;
  program.hw_fingerprint = hw.fingerprint();
  program.encoding = hw.encoding();
  return program;
}

/// Adds an instruction whose address counts from the begin of `buffer`.
void addRelocated(Program& program, const Instruction& insn, uint32_t buffer) {
  program.relocations.push_back({static_cast<uint32_t>(program.instructions.size()), buffer});
  program.instructions.push_back(insn);
}

BufferDecl buffer(const HwConfig& hw, const char* name, BufferKind kind, MemoryType type,
                  uint64_t count) {
  return {name, kind, count * hw.elemBytes(type), hw.elemBytes(type)};
}

/// Stores the four bytes of ACC elements [0, rows), which it shifts, to the buffer `out`.
void addStores(Program& program, uint32_t rows, uint32_t shift_uop, uint32_t out) {
  for (uint32_t byte = 0; byte < kAccBytes; ++byte) {
    AluInsn shift;
    shift.alu_opcode = AluOpcode::kShr;
    shift.use_imm = true;
    shift.imm = byte == 0 ? 0 : 8;
    shift.uop_bgn = shift_uop;
    shift.uop_end = shift_uop + 1;
    shift.iter_out = 1;
    shift.iter_in = rows;
    shift.dst_factor_in = 1;
    shift.src_factor_in = 1;
    program.instructions.push_back(
        Instruction::alu(shift, {.pop_next = byte > 0, .push_next = true}));
    addRelocated(program,
                 Instruction::store(contiguousRow(MemoryType::kOut, 0, byte * rows, rows),
                                    {.pop_prev = true, .push_prev = true}),
                 out);
  }
  program.instructions.push_back(Instruction::finish({.pop_next = true}));
}

/// ACC[0 ... rows - 1] = 0, or += the products of micro-ops [uop_bgn, uop_end).
GemmInsn gemmOfRows(uint32_t rows, uint32_t uop_bgn, uint32_t uop_end, bool reset) {
  GemmInsn gemm;
  gemm.reset = reset;
  gemm.uop_bgn = uop_bgn;
  gemm.uop_end = uop_end;
  gemm.iter_out = 1;
  gemm.iter_in = rows;
  gemm.dst_factor_in = 1;
  gemm.src_factor_in = 1;
  return gemm;
}

/// Adds the products of `depth` micro-ops to rows that it clears before.
void addGemms(Program& program, const HwConfig& hw, uint32_t rows, uint32_t depth) {
  // Compat 0.0.2: one instruction must not come back to a row at once.
  const uint32_t step = hw.params().compat_0_0_2 ? 1 : depth;
  program.instructions.push_back(
      Instruction::gemm(gemmOfRows(rows, 0, step, true), {.pop_prev = true}));
  for (uint32_t k = 0; k < depth; k += step) {
    program.instructions.push_back(Instruction::gemm(gemmOfRows(rows, k, k + step, false)));
  }
}

}  // namespace

Program copyProgram(const HwConfig& hw, uint32_t count) {
  Program program = emptyProgram(hw);
  program.buffers = {buffer(hw, "from", BufferKind::kInput, MemoryType::kAcc8, count),
                     buffer(hw, "to", BufferKind::kOutput, MemoryType::kOut, count)};
  // One token at a time, since a queue may hold no more.
  const uint32_t step = std::min<uint32_t>(hw.depthElems(MemoryType::kAcc), UINT16_MAX);
  for (uint32_t at = 0; at < count; at += step) {
    const uint32_t size = std::min(step, count - at);
    addRelocated(program,
                 Instruction::load(contiguousRow(MemoryType::kAcc8, 0, at, size),
                                   {.pop_next = at > 0, .push_next = true}),
                 0);
    addRelocated(program,
                 Instruction::store(contiguousRow(MemoryType::kOut, 0, at, size),
                                    {.pop_prev = true, .push_prev = true}),
                 1);
  }
  program.instructions.push_back(Instruction::finish({.pop_next = true}));
  return program;
}

Program sortingCopyProgram(const HwConfig& hw, uint32_t count) {
  Program program = emptyProgram(hw);
  program.uops = {{0, 0, 0}};
  program.buffers = {buffer(hw, "micro-ops", BufferKind::kUop, MemoryType::kUop, 1),
                     buffer(hw, "from", BufferKind::kInput, MemoryType::kAcc, count),
                     buffer(hw, "to", BufferKind::kOutput, MemoryType::kOut, kAccBytes * count)};
  addRelocated(program, Instruction::load(contiguousRow(MemoryType::kUop, 0, 0, 1)), 0);
  addRelocated(program, Instruction::load(contiguousRow(MemoryType::kAcc, 0, 0, count)), 1);
  addStores(program, count, 0, 2);
  return program;
}

std::vector<std::byte> sortedBytes(std::span<const std::byte> bytes) {
  std::vector<std::byte> sorted(bytes.size());
  const size_t words = bytes.size() / kAccBytes;
  for (size_t i = 0; i < bytes.size(); ++i)
    sorted[i % kAccBytes * words + i / kAccBytes] = bytes[i];
  return sorted;
}

std::vector<std::byte> CopyCheck::answer(std::span<const std::byte> bytes) const {
  return sorts ? sortedBytes(bytes) : std::vector<std::byte>(bytes.begin(), bytes.end());
}

CopyCheck copyCheck(const HwConfig& hw, uint32_t count) {
  if (hw.params().compat_0_0_2) return {sortingCopyProgram(hw, count), 1, 2, true};
  return {copyProgram(hw, count), 0, 1, false};
}

GemmSizes gemmSizes(const HwConfig& hw) {
  const uint32_t inps = std::min<uint32_t>(hw.depthElems(MemoryType::kInp), 8);
  const uint32_t depth = inps >= 4 ? 2 : 1;
  const uint32_t rows = std::min({inps - depth + 1, hw.depthElems(MemoryType::kAcc), 4u});
  return {rows, depth};
}

Program gemmProgram(const HwConfig& hw) {
  const auto [rows, depth] = gemmSizes(hw);
  const uint32_t inps = rows + depth - 1;
  Program program = emptyProgram(hw);
  const uint32_t shift_uop = depth == 1 ? 0 : depth;
  for (uint32_t k = 0; k < depth; ++k) program.uops.push_back({0, k, k});
  if (depth > 1) program.uops.push_back({0, 0, 0});
  const auto uops = static_cast<uint32_t>(program.uops.size());
  program.buffers = {buffer(hw, "micro-ops", BufferKind::kUop, MemoryType::kUop, uops),
                     buffer(hw, "inp", BufferKind::kInput, MemoryType::kInp, inps),
                     buffer(hw, "wgt", BufferKind::kConstant, MemoryType::kWgt, depth),
                     buffer(hw, "out", BufferKind::kOutput, MemoryType::kOut, kAccBytes * rows)};
  addRelocated(program, Instruction::load(contiguousRow(MemoryType::kUop, 0, 0, uops)), 0);
  addRelocated(program, Instruction::load(contiguousRow(MemoryType::kInp, 0, 0, inps)), 1);
  addRelocated(program,
               Instruction::load(contiguousRow(MemoryType::kWgt, 0, 0, depth), {.push_next = true}),
               2);
  addGemms(program, hw, rows, depth);
  addStores(program, rows, shift_uop, 3);
  return program;
}

Program clearProgram(const HwConfig& hw) {
  Program program = emptyProgram(hw);
  const auto largest_bytes = static_cast<uint32_t>(largestElemBytes(hw));
  const uint32_t uops = std::min(hw.depthElems(MemoryType::kUop), kClearElems);
  program.uops.resize(uops);
  program.buffers = {
      buffer(hw, "micro-ops", BufferKind::kUop, MemoryType::kUop, uops),
      {"zeros", BufferKind::kInput, uint64_t{kClearElems} * largest_bytes, largest_bytes}};
  // On hardware with compat 0.0.2 a load of micro-ops has one row, and no program reaches more.
  const uint32_t uop_depth = std::min(hw.depthElems(MemoryType::kUop),
                                      hw.params().compat_0_0_2 ? kCompatUops : UINT32_MAX);
  for (uint32_t at = 0; at < uop_depth; at += uops) {
    const uint32_t count = std::min(uops, uop_depth - at);
    addRelocated(program, Instruction::load(contiguousRow(MemoryType::kUop, at, 0, count)), 0);
  }
  for (const MemoryType type : {MemoryType::kAcc, MemoryType::kInp, MemoryType::kWgt}) {
    // All rows are the same one; what they leave is less than a row.
    const uint32_t depth = hw.depthElems(type);
    MemInsn mem = contiguousRow(type, 0, 0, std::min(depth, kClearElems));
    mem.y_size = depth / mem.x_size;
    mem.x_stride = 0;
    const uint32_t rest = depth % mem.x_size;
    const bool is_last = type == MemoryType::kWgt;
    addRelocated(program, Instruction::load(mem, {.push_next = is_last && rest == 0}), 1);
    if (rest == 0) continue;
    addRelocated(
        program,
        Instruction::load(contiguousRow(type, depth - rest, 0, rest), {.push_next = is_last}), 1);
  }
  // There, FINISH does not wait for loads by itself.
  program.instructions.push_back(Instruction::finish({.pop_prev = true}));
  return program;
}

Program dumpProgram(const HwConfig& hw) {
  Program program = emptyProgram(hw);
  const uint32_t depth = hw.depthElems(MemoryType::kAcc);
  // Instructions count to 16383, and a factor is less than the depth. What whole rows leave has a
  // micro-op of its own.
  const uint32_t inner = std::min(depth / 2, 4096u);
  const uint32_t rest = depth % inner;
  program.uops = {{0, 0, 0}};
  if (rest > 0) program.uops.push_back({depth - rest, depth - rest, 0});
  const auto uops = static_cast<uint32_t>(program.uops.size());
  program.buffers = {
      buffer(hw, "micro-ops", BufferKind::kUop, MemoryType::kUop, uops),
      buffer(hw, "acc", BufferKind::kOutput, MemoryType::kOut, uint64_t{kAccBytes} * depth)};
  addRelocated(program, Instruction::load(contiguousRow(MemoryType::kUop, 0, 0, uops)), 0);
  for (uint32_t byte = 0; byte < kAccBytes; ++byte) {
    AluInsn shift;
    shift.alu_opcode = AluOpcode::kShr;
    shift.use_imm = true;
    shift.imm = byte == 0 ? 0 : 8;
    shift.uop_end = 1;
    shift.iter_out = depth / inner;
    shift.iter_in = inner;
    shift.dst_factor_out = shift.src_factor_out = inner;
    shift.dst_factor_in = shift.src_factor_in = 1;
    program.instructions.push_back(
        Instruction::alu(shift, {.pop_next = byte > 0, .push_next = rest == 0}));
    MemInsn mem = contiguousRow(MemoryType::kOut, 0, byte * depth, inner);
    mem.y_size = depth / inner;
    if (rest > 0) {
      shift.uop_bgn = 1;
      shift.uop_end = 2;
      shift.iter_out = 1;
      shift.iter_in = rest;
      program.instructions.push_back(Instruction::alu(shift, {.push_next = true}));
    }
    addRelocated(program, Instruction::store(mem, {.pop_prev = true, .push_prev = rest == 0}), 1);
    if (rest == 0) continue;
    addRelocated(program,
                 Instruction::store(
                     contiguousRow(MemoryType::kOut, depth - rest, (byte + 1) * depth - rest, rest),
                     {.push_prev = true}),
                 1);
  }
  program.instructions.push_back(Instruction::finish({.pop_next = true}));
  return program;
}

}  // namespace vta::driver
