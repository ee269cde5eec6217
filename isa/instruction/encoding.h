// Binary encoding of instructions and micro-ops, driven by one field table.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"

namespace vta {

/// One field of an encoding for a given configuration. The table is the single description that the
/// encoder, decoder, manual page and RTL package are derived from or checked against.
struct FieldInfo {
  std::string_view name;  // "uop_bgn"
  int lsb = 0;            // bit position from bit 0 of the instruction or micro-op
  int width_bits = 0;
  bool is_signed = false;
  std::string_view unit;  // "elements", "iterations", "flag", ...
};

/// The fields of LOAD/STORE (kLoad or kStore), GEMM, ALU or FINISH in `hw`'s encoding, from bit 0
/// up.
std::vector<FieldInfo> instructionFields(Opcode opcode, const HwConfig& hw);

/// The fields of a micro-op in `hw`'s encoding.
std::vector<FieldInfo> uopFields(const HwConfig& hw);

/// Appends the encoding of `insn` (hw.instructionBytes() bytes, little endian) to `out`.
/// A value that does not fit its field is an error naming field, value and legal range.
Status encodeInstruction(const Instruction& insn, const HwConfig& hw, std::vector<std::byte>& out);

/// Decodes hw.instructionBytes() bytes. Illegal opcodes, memory types, ALU opcodes or extensions
/// that `hw` lacks are errors that name the field and its value.
Result<Instruction> decodeInstruction(std::span<const std::byte> bytes, const HwConfig& hw);

Status encodeUop(const Uop& uop, const HwConfig& hw, std::vector<std::byte>& out);
Uop decodeUop(std::span<const std::byte> bytes, const HwConfig& hw);

}  // namespace vta
