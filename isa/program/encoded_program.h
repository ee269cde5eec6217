// EncodedProgram: a program's binary form, taken apart but not decoded. Loaders copy its bytes and
// add addresses; they need to know nothing else about instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "isa/config/hw_config.h"
#include "isa/program/program.h"

namespace vta {

/// Spans point into the bytes that viewProgram was given.
struct EncodedProgram {
  uint64_t hw_fingerprint = 0;
  Encoding encoding = Encoding::kBase;
  uint32_t instruction_count = 0;
  std::span<const std::byte> instructions;  // DRAM addresses count from the start of their buffer
  std::span<const std::byte> uops;
  std::vector<BufferDecl> buffers;
  std::vector<Relocation> relocations;
  std::vector<Symbol> symbols;

  /// The buffer of the micro-ops, nullptr when there is none.
  const BufferDecl* uopBuffer() const;
};

/// Whether viewProgram computes the checksum. Bytes that are part of a checked module need not be
/// checked once more.
enum class ProgramChecksum : uint8_t { kCheck, kTrust };

/// Takes apart what serializeProgram wrote. Errors: truncated or corrupt data, another version,
/// another configuration, a number that is out of range. Instructions are not looked at.
Result<EncodedProgram> viewProgram(std::span<const std::byte> bytes, const HwConfig& hw,
                                   ProgramChecksum checksum = ProgramChecksum::kCheck);

/// Adds `buffer_addresses[i]` (device byte addresses, one for each buffer) to the DRAM base of
/// every relocated instruction in `stream`, which is then what a device fetches. Errors: a wrong
/// number of addresses, a misaligned one, or one that does not fit the dram_base field.
Status relocate(std::span<std::byte> stream, const HwConfig& hw,
                std::span<const BufferDecl> buffers, std::span<const Relocation> relocations,
                std::span<const uint64_t> buffer_addresses);

/// Name of the symbol that covers `instruction`, or "" when there is none.
std::string_view symbolAt(std::span<const Symbol> symbols, uint32_t instruction);

}  // namespace vta
