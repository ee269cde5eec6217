// Program: what the kernel compiler emits and a device runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"

namespace vta {

/// What a program's DRAM buffer holds. Only kUop is owned by the program itself.
enum class BufferKind : uint8_t { kUop, kConstant, kInput, kOutput, kScratch };
std::string_view bufferKindName(BufferKind kind);

/// A DRAM buffer that a program addresses by relocation. The loader places it at an address that is
/// a multiple of `alignment_bytes` and at least `size_bytes` long.
struct BufferDecl {
  std::string name;
  BufferKind kind = BufferKind::kInput;
  uint64_t size_bytes = 0;
  uint32_t alignment_bytes = 1;
  bool operator==(const BufferDecl&) const = default;
};

/// `instructions[instruction].mem().dram_base` counts elements from the start of `buffer`; the
/// loader adds the buffer's address divided by the element size.
struct Relocation {
  uint32_t instruction = 0;
  uint32_t buffer = 0;
  bool operator==(const Relocation&) const = default;
};

/// Names the instructions [first_instruction, next symbol or end): a layer or kernel, for
/// debugging.
struct Symbol {
  uint32_t first_instruction = 0;
  std::string name;
  bool operator==(const Symbol&) const = default;
};

/// An ordered instruction stream with its micro-ops, buffers, relocations and symbols.
/// Invariants: the last instruction is FINISH; every LOAD and STORE with x_size > 0 has exactly one
/// relocation; relocations and symbols are sorted by instruction. If `uops` is not empty, exactly
/// one buffer has kind kUop, and the loader fills it with the encoded micro-ops.
struct Program {
  uint64_t hw_fingerprint = 0;
  Encoding encoding = Encoding::kBase;
  std::vector<Instruction> instructions;
  std::vector<Uop> uops;
  std::vector<BufferDecl> buffers;
  std::vector<Relocation> relocations;
  std::vector<Symbol> symbols;

  bool operator==(const Program&) const = default;

  /// Name of the symbol that covers `instruction`, or "" when there is none.
  std::string_view symbolAt(uint32_t instruction) const;
};

/// The invariants above, the match of `program` with `hw`, and that every index is in range. What
/// only execution shows (tokens, races, bounds) is verifyProgram's business.
Status checkProgramStructure(const Program& program, const HwConfig& hw);

/// Binary form: header with magic, format version, encoding, configuration fingerprint and
/// checksum. Errors: a field that does not fit the encoding.
Result<std::vector<std::byte>> serializeProgram(const Program& program, const HwConfig& hw);

/// Reads the binary form. Errors: truncated or corrupt data, another version, another
/// configuration.
Result<Program> deserializeProgram(std::span<const std::byte> bytes, const HwConfig& hw);

/// The encoded instruction stream with `buffer_addresses[i]` (device byte addresses, one per
/// program.buffers entry) added to every relocated DRAM base. This is what a device fetches.
/// Errors: a misaligned address, or one that does not fit the dram_base field.
Result<std::vector<std::byte>> encodeInstructionStream(const Program& program, const HwConfig& hw,
                                                       std::span<const uint64_t> buffer_addresses);

/// The encoded micro-ops, as the kUop buffer holds them.
Result<std::vector<std::byte>> encodeUopStream(const Program& program, const HwConfig& hw);

/// Joins programs that run one after the other into one launch: every FINISH but the last becomes a
/// barrier, so that program k+1 sees all stores of program k. Buffers are concatenated;
/// `buffer_maps[k][i]` gives buffer i of program k in the result. Buffers with equal non-empty
/// names and equal kinds are merged (largest size and alignment); the micro-op buffers become one.
/// Errors: no programs, one that is malformed or of another configuration, a FINISH that pushes.
struct LinkedProgram {
  Program program;
  std::vector<std::vector<uint32_t>> buffer_maps;
};
Result<LinkedProgram> linkPrograms(std::span<const Program> programs, const HwConfig& hw);

}  // namespace vta
