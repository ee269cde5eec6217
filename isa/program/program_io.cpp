// Binary form of programs. Layout: docs/isa.md, "Program files".
#include <fmt/format.h>

#include <limits>

#include "base/hash.h"
#include "isa/instruction/encoding.h"
#include "isa/program/encoded_program.h"
#include "isa/program/program.h"
#include "isa/program/program_layout.h"

namespace vta {
namespace {

using namespace program_layout;

class Writer {
 public:
  template <typename T>
  void number(T value) {
    for (size_t i = 0; i < sizeof(T); ++i) {
      bytes_.push_back(static_cast<std::byte>(static_cast<uint64_t>(value) >> (8 * i)));
    }
  }
  void raw(std::string_view text) {
    for (char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  void text(std::string_view text) {
    number(static_cast<uint32_t>(text.size()));
    raw(text);
  }
  void append(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void patch(size_t offset, uint64_t value) {
    for (size_t i = 0; i < 8; ++i) bytes_[offset + i] = static_cast<std::byte>(value >> (8 * i));
  }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

Result<std::vector<std::byte>> serializeProgram(const Program& program, const HwConfig& hw) {
  VTA_RETURN_IF_ERROR(checkProgramStructure(program, hw));
  Writer writer;
  writer.raw(kMagic);
  writer.number(kFormatVersion);
  writer.number(static_cast<uint8_t>(program.encoding));
  for (int i = 0; i < 5; ++i) writer.number(uint8_t{0});
  writer.number(uint64_t{0});  // checksum, patched below
  writer.number(program.hw_fingerprint);
  for (size_t count : {program.instructions.size(), program.uops.size(), program.buffers.size(),
                       program.relocations.size(), program.symbols.size()}) {
    if (count > std::numeric_limits<uint32_t>::max()) {
      return invalidArgument("program has more than 2^32 - 1 entries of one kind");
    }
    writer.number(static_cast<uint32_t>(count));
  }
  writer.number(uint32_t{0});

  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Status status = encodeInstruction(program.instructions[i], hw, writer.bytes());
    if (!status.ok()) return status.withContext(fmt::format("instruction {}", i));
  }
  VTA_ASSIGN_OR_RETURN(const std::vector<std::byte> uops, encodeUopStream(program, hw));
  writer.append(uops);
  for (const BufferDecl& buffer : program.buffers) {
    writer.number(static_cast<uint8_t>(buffer.kind));
    writer.number(buffer.size_bytes);
    writer.number(buffer.alignment_bytes);
    writer.text(buffer.name);
  }
  for (const Relocation& relocation : program.relocations) {
    writer.number(relocation.instruction);
    writer.number(relocation.buffer);
  }
  for (const Symbol& symbol : program.symbols) {
    writer.number(symbol.first_instruction);
    writer.text(symbol.name);
  }
  writer.patch(kChecksumOffset, hashBytes(std::span(writer.bytes()).subspan(kChecksummedFrom)));
  return std::move(writer.bytes());
}

Result<Program> deserializeProgram(std::span<const std::byte> bytes, const HwConfig& hw) {
  VTA_ASSIGN_OR_RETURN(EncodedProgram encoded, viewProgram(bytes, hw));
  Program program;
  program.hw_fingerprint = encoded.hw_fingerprint;
  program.encoding = encoded.encoding;
  program.instructions.reserve(encoded.instruction_count);
  const auto instruction_bytes = static_cast<size_t>(hw.instructionBytes());
  for (uint32_t i = 0; i < encoded.instruction_count; ++i) {
    const auto bits = encoded.instructions.subspan(i * instruction_bytes, instruction_bytes);
    Result<Instruction> insn = decodeInstruction(bits, hw);
    if (!insn.ok()) return insn.status().withContext(fmt::format("instruction {}", i));
    program.instructions.push_back(*insn);
  }
  const auto uop_bytes = static_cast<size_t>(hw.uopBytes());
  program.uops.reserve(encoded.uops.size() / uop_bytes);
  for (size_t at = 0; at < encoded.uops.size(); at += uop_bytes) {
    program.uops.push_back(decodeUop(encoded.uops.subspan(at, uop_bytes), hw));
  }
  program.buffers = std::move(encoded.buffers);
  program.relocations = std::move(encoded.relocations);
  program.symbols = std::move(encoded.symbols);
  VTA_RETURN_IF_ERROR(checkProgramStructure(program, hw));
  return program;
}

}  // namespace vta
