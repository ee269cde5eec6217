#include "isa/program/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/instruction/encoding.h"
#include "isa/program/encoded_program.h"

namespace vta {
namespace {

Status checkBuffers(const Program& program, const HwConfig& hw) {
  uint64_t uop_buffer_count = 0;
  for (const BufferDecl& buffer : program.buffers) {
    if (!std::has_single_bit(buffer.alignment_bytes)) {
      return invalidArgument(fmt::format("buffer \"{}\" has alignment {}; legal: powers of two",
                                         buffer.name, buffer.alignment_bytes));
    }
    if (buffer.kind != BufferKind::kUop) continue;
    ++uop_buffer_count;
    const uint64_t needed_bytes = program.uops.size() * hw.uopBytes();
    if (buffer.size_bytes < needed_bytes) {
      return invalidArgument(
          fmt::format("micro-op buffer \"{}\" has {} bytes, the program's {} micro-ops need {}",
                      buffer.name, buffer.size_bytes, program.uops.size(), needed_bytes));
    }
  }
  if (uop_buffer_count > 1 || (uop_buffer_count == 0 && !program.uops.empty())) {
    return invalidArgument(
        fmt::format("program has {} micro-ops and {} micro-op buffers; legal: one buffer, or "
                    "none without micro-ops",
                    program.uops.size(), uop_buffer_count));
  }
  return {};
}

// UOP loads read the micro-op buffer and nothing else does.
Status checkRelocationTarget(const Program& program, const Relocation& relocation) {
  const bool loads_uops =
      program.instructions[relocation.instruction].mem().memory_type == MemoryType::kUop;
  const BufferDecl& buffer = program.buffers[relocation.buffer];
  if (loads_uops == (buffer.kind == BufferKind::kUop)) return {};
  return invalidArgument(fmt::format(
      "instruction {} relocates a {} access to buffer \"{}\" of kind {}", relocation.instruction,
      loads_uops ? "micro-op" : "data", buffer.name, bufferKindName(buffer.kind)));
}

Status checkRelocations(const Program& program) {
  size_t next = 0;
  const auto& relocations = program.relocations;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const auto* mem = std::get_if<MemInsn>(&program.instructions[i].body);
    const bool has_one = next < relocations.size() && relocations[next].instruction == i;
    if (has_one && relocations[next].buffer >= program.buffers.size()) {
      return invalidArgument(fmt::format("relocation of instruction {} names buffer {} of {}", i,
                                         relocations[next].buffer, program.buffers.size()));
    }
    const bool needs_one = mem != nullptr && mem->x_size > 0 && !isOnChip(mem->memory_type);
    if (needs_one != has_one) {
      return invalidArgument(fmt::format("instruction {} ({}) {}", i,
                                         opcodeName(program.instructions[i].opcode),
                                         needs_one ? "addresses memory but has no relocation"
                                                   : "has a relocation but addresses no memory"));
    }
    if (!has_one) continue;
    VTA_RETURN_IF_ERROR(checkRelocationTarget(program, relocations[next]));
    ++next;
  }
  if (next == relocations.size()) return {};
  return invalidArgument(fmt::format(
      "relocation {} (of instruction {}) is out of order, repeated or past the end; legal: sorted, "
      "one for each LOAD and STORE of DRAM with x_size > 0",
      next, relocations[next].instruction));
}

Status checkSymbols(const Program& program) {
  for (size_t i = 0; i < program.symbols.size(); ++i) {
    const uint32_t at = program.symbols[i].first_instruction;
    const bool sorted = i == 0 || program.symbols[i - 1].first_instruction <= at;
    if (!sorted || at >= program.instructions.size()) {
      return invalidArgument(fmt::format(
          "symbol \"{}\" at instruction {} is {}", program.symbols[i].name, at,
          sorted ? fmt::format("past the end ({} instructions)", program.instructions.size())
                 : "out of order"));
    }
  }
  return {};
}

}  // namespace

std::string_view bufferKindName(BufferKind kind) {
  constexpr std::string_view kNames[] = {"uop", "constant", "input", "output", "scratch"};
  const auto i = static_cast<size_t>(kind);
  return i < std::size(kNames) ? kNames[i] : "illegal";
}

std::string_view Program::symbolAt(uint32_t instruction) const {
  return vta::symbolAt(symbols, instruction);
}

Status checkProgramStructure(const Program& program, const HwConfig& hw) {
  if (program.hw_fingerprint != hw.fingerprint() || program.encoding != hw.encoding()) {
    return invalidArgument(fmt::format(
        "program was built for another hardware configuration: it has fingerprint {:016x} and {} "
        "encoding, \"{}\" has {:016x} and {}; rebuild it or choose its configuration",
        program.hw_fingerprint, encodingName(program.encoding), hw.name(), hw.fingerprint(),
        encodingName(hw.encoding())));
  }
  if (program.instructions.empty() || program.instructions.back().opcode != Opcode::kFinish) {
    return invalidArgument("program does not end with FINISH");
  }
  VTA_RETURN_IF_ERROR(checkBuffers(program, hw));
  VTA_RETURN_IF_ERROR(checkRelocations(program));
  return checkSymbols(program);
}

Result<std::vector<std::byte>> encodeInstructionStream(const Program& program, const HwConfig& hw,
                                                       std::span<const uint64_t> buffer_addresses) {
  VTA_RETURN_IF_ERROR(checkProgramStructure(program, hw));
  std::vector<std::byte> stream;
  stream.reserve(program.instructions.size() * hw.instructionBytes());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    VTA_RETURN_IF_ERROR(encodeInstruction(program.instructions[i], hw, stream)
                            .withContext(fmt::format("instruction {}", i)));
  }
  VTA_RETURN_IF_ERROR(relocate(stream, hw, program.buffers, program.relocations, buffer_addresses));
  return stream;
}

Result<std::vector<std::byte>> encodeUopStream(const Program& program, const HwConfig& hw) {
  std::vector<std::byte> stream;
  stream.reserve(program.uops.size() * hw.uopBytes());
  for (size_t i = 0; i < program.uops.size(); ++i) {
    const Status status = encodeUop(program.uops[i], hw, stream);
    if (!status.ok()) return status.withContext(fmt::format("micro-op {}", i));
  }
  return stream;
}

}  // namespace vta
