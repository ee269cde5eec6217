#include "tools/vta_objdump_print.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/instruction/encoding.h"
#include "isa/program/text/assembler.h"

namespace vta::tools {
namespace {

using Json = nlohmann::ordered_json;
using Out = std::back_insert_iterator<std::string>;

void printBuffers(Out out, const Program& program) {
  size_t name_width = 4;
  for (const BufferDecl& buffer : program.buffers) {
    name_width = std::max(name_width, buffer.name.size());
  }
  fmt::format_to(out, "\nbuffers\n{:>6}  {:<{}}  {:<8}  {:>12}  {:>5}\n", "#", "name", name_width,
                 "kind", "bytes", "align");
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const BufferDecl& buffer = program.buffers[i];
    fmt::format_to(out, "{:>6}  {:<{}}  {:<8}  {:>12}  {:>5}\n", i, buffer.name, name_width,
                   bufferKindName(buffer.kind), buffer.size_bytes, buffer.alignment_bytes);
  }
}

void printInstructions(Out out, const Program& program, const HwConfig& hw) {
  fmt::format_to(out, "\ninstructions\n");
  auto symbol = program.symbols.begin();
  auto relocation = program.relocations.begin();
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    for (; symbol != program.symbols.end() && symbol->first_instruction == i; ++symbol) {
      fmt::format_to(out, "<{}>\n", symbol->name);
    }
    const Instruction& insn = program.instructions[i];
    std::string in_buffer;
    if (relocation != program.relocations.end() && relocation->instruction == i) {
      in_buffer = fmt::format("  ; dram in {}", program.buffers[relocation->buffer].name);
      ++relocation;
    }
    fmt::format_to(out, "{:>6}  {:<7}  {}{}\n", i, unitName(insn.unit()), disassemble(insn, hw),
                   in_buffer);
  }
}

void printUops(Out out, const Program& program) {
  if (program.uops.empty()) return;
  fmt::format_to(out, "\nmicro-ops\n{:>6}  {:>5}  {:>5}  {:>5}\n", "#", "dst", "src", "wgt");
  for (size_t i = 0; i < program.uops.size(); ++i) {
    const Uop& uop = program.uops[i];
    fmt::format_to(out, "{:>6}  {:>5}  {:>5}  {:>5}\n", i, uop.dst_idx, uop.src_idx, uop.wgt_idx);
  }
}

// The instruction's fields by decoding its own encoding, so that names and values are the table's.
Json fieldsOf(const Instruction& insn, const HwConfig& hw) {
  Json fields = Json::object();
  std::vector<std::byte> bytes;
  if (!encodeInstruction(insn, hw, bytes).ok()) return fields;
  for (const FieldInfo& field : instructionFields(insn.opcode, hw)) {
    uint64_t word = 0;
    const size_t word_at = static_cast<size_t>(field.lsb / 64) * sizeof word;
    for (size_t i = sizeof word; i-- > 0;) {
      word = word << 8 | static_cast<uint64_t>(bytes[word_at + i]);
    }
    const int above = 64 - field.lsb % 64 - field.width_bits;
    word <<= above;
    const int down = 64 - field.width_bits;
    fields[std::string(field.name)] =
        field.is_signed ? static_cast<int64_t>(word) >> down : static_cast<int64_t>(word >> down);
  }
  return fields;
}

}  // namespace

std::string programListing(const Program& program, const HwConfig& hw) {
  std::string text;
  const Out out = std::back_inserter(text);
  fmt::format_to(out, "program for {}\n", hw.summary());
  fmt::format_to(out, "  fingerprint {:016x}, {} encoding: {}-bit instructions, {}-bit micro-ops\n",
                 program.hw_fingerprint, encodingName(program.encoding), hw.instructionBytes() * 8,
                 hw.uopBytes() * 8);
  fmt::format_to(out, "  {} instructions, {} micro-ops, {} buffers, {} relocations, {} symbols\n",
                 program.instructions.size(), program.uops.size(), program.buffers.size(),
                 program.relocations.size(), program.symbols.size());
  printBuffers(out, program);
  printInstructions(out, program, hw);
  printUops(out, program);
  return text;
}

nlohmann::ordered_json programJson(const Program& program, const HwConfig& hw) {
  Json json;
  json["hw"] = hw.name();
  json["fingerprint"] = fmt::format("{:016x}", program.hw_fingerprint);
  json["encoding"] = encodingName(program.encoding);
  json["buffers"] = Json::array();
  for (const BufferDecl& buffer : program.buffers) {
    json["buffers"].push_back({{"name", buffer.name},
                               {"kind", bufferKindName(buffer.kind)},
                               {"size_bytes", buffer.size_bytes},
                               {"alignment_bytes", buffer.alignment_bytes}});
  }
  json["symbols"] = Json::array();
  for (const Symbol& symbol : program.symbols) {
    json["symbols"].push_back(
        {{"first_instruction", symbol.first_instruction}, {"name", symbol.name}});
  }
  json["instructions"] = Json::array();
  auto relocation = program.relocations.begin();
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& insn = program.instructions[i];
    Json entry = {{"text", disassemble(insn, hw)},
                  {"unit", unitName(insn.unit())},
                  {"opcode", opcodeName(insn.opcode)},
                  {"buffer", nullptr},
                  {"fields", fieldsOf(insn, hw)}};
    if (relocation != program.relocations.end() && relocation->instruction == i) {
      entry["buffer"] = relocation->buffer;
      ++relocation;
    }
    json["instructions"].push_back(std::move(entry));
  }
  json["uops"] = Json::array();
  for (const Uop& uop : program.uops) {
    json["uops"].push_back({uop.dst_idx, uop.src_idx, uop.wgt_idx});
  }
  return json;
}

}  // namespace vta::tools
