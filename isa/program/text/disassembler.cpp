// Text form of instructions and programs; the syntax is described in docs/isa.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "isa/program/text/assembler.h"
#include "isa/program/text/assembler_syntax.h"
#include "isa/spec/user_operation.h"

namespace vta {
namespace {

using Out = std::back_insert_iterator<std::string>;

// `dram` is what follows "dram=", or "out=" of a hand-over: a number, or a buffer and an offset.
void printMem(Out out, const MemInsn& mem, std::string_view dram) {
  fmt::format_to(out, " {} sram={} {}={} size={}x{} stride={}",
                 syntax::lowerCase(memoryTypeName(mem.memory_type)), mem.sram_base,
                 isOnChip(mem.memory_type) ? "out" : "dram", dram, mem.y_size, mem.x_size,
                 mem.x_stride);
  if (mem.y_pad_0 != 0 || mem.y_pad_1 != 0 || mem.x_pad_0 != 0 || mem.x_pad_1 != 0) {
    fmt::format_to(out, " pad={},{},{},{}", mem.y_pad_0, mem.y_pad_1, mem.x_pad_0, mem.x_pad_1);
  }
  if (mem.pad_kind == PadKind::kMin) fmt::format_to(out, " pad_min");
}

template <typename Body>
void printLoops(Out out, const Body& body) {
  fmt::format_to(out, " uop={}:{} iter={}x{} dst={},{} src={},{}", body.uop_bgn, body.uop_end,
                 body.iter_out, body.iter_in, body.dst_factor_out, body.dst_factor_in,
                 body.src_factor_out, body.src_factor_in);
}

void printAlu(Out out, const AluInsn& alu, const HwParams& params) {
  const AluOperation* const operation = findAluOperation(params, alu.alu_opcode);
  const AluImmediate form = operation != nullptr ? operation->immediate : AluImmediate::kNumber;
  fmt::format_to(out, " {}", syntax::lowerCase(aluOperationName(params, alu.alu_opcode)));
  // CLIP has bounds as its operand, REQUANT beside its operand.
  const bool has_range = form == AluImmediate::kByteRange &&
                         alu.use_imm == (operation->operand == AluOperand::kImmediate);
  if (has_range) {
    const ByteRange range = byteRangeOf(alu.imm);
    fmt::format_to(out, " range={},{}", range.low, range.high);
  } else if (alu.use_imm) {
    fmt::format_to(out, " imm={}", alu.imm);
  } else if (form == AluImmediate::kShift) {
    fmt::format_to(out, " shift={}", alu.imm);
  } else if (alu.imm != 0) {
    fmt::format_to(out, " unused_imm={}", alu.imm);
  }
  printLoops(out, alu);
  if (alu.reset) fmt::format_to(out, " reset");
}

void printInstruction(Out out, const Instruction& insn, std::string_view dram,
                      const HwParams& params) {
  fmt::format_to(out, "{}", syntax::lowerCase(opcodeName(insn.opcode)));
  if (const auto* mem = std::get_if<MemInsn>(&insn.body)) {
    printMem(out, *mem, dram);
  } else if (const auto* gemm = std::get_if<GemmInsn>(&insn.body)) {
    printLoops(out, *gemm);
    fmt::format_to(out, " wgt={},{}", gemm->wgt_factor_out, gemm->wgt_factor_in);
    if (gemm->depthwise) fmt::format_to(out, " taps={}", gemm->taps);
    if (gemm->reset) fmt::format_to(out, " reset");
  } else if (const auto* alu = std::get_if<AluInsn>(&insn.body)) {
    printAlu(out, *alu, params);
  }
  for (const syntax::TokenFlag& flag : syntax::kTokenFlags) {
    if (insn.tokens.*flag.member) fmt::format_to(out, " {}", flag.name);
  }
}

// How instructions refer to each buffer: by name where that is unique and plain.
std::vector<std::string> bufferReferences(const Program& program) {
  std::vector<std::string> references;
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const std::string& name = program.buffers[i].name;
    const auto same = std::count_if(program.buffers.begin(), program.buffers.end(),
                                    [&](const BufferDecl& other) { return other.name == name; });
    const bool plain = syntax::isPlainName(name) && same == 1;
    references.push_back(plain ? name : fmt::format("[{}]", i));
  }
  return references;
}

std::string textOf(const Instruction& insn, const HwParams& params) {
  std::string text;
  const auto* mem = std::get_if<MemInsn>(&insn.body);
  printInstruction(std::back_inserter(text), insn,
                   mem != nullptr ? std::to_string(mem->dram_base) : std::string(), params);
  return text;
}

}  // namespace

std::string disassemble(const Instruction& insn) { return textOf(insn, HwParams()); }

std::string disassemble(const Instruction& insn, const HwConfig& hw) {
  return textOf(insn, hw.params());
}

std::string disassembleProgram(const Program& program, const HwConfig& hw) {
  std::string text;
  const Out out = std::back_inserter(text);
  fmt::format_to(out, "; {}\n", hw.summary());
  fmt::format_to(out, ".encoding {}\n.fingerprint {:016x}\n", encodingName(program.encoding),
                 program.hw_fingerprint);
  for (const BufferDecl& buffer : program.buffers) {
    fmt::format_to(out, ".buffer {} {} size={} align={}\n", syntax::quoted(buffer.name),
                   bufferKindName(buffer.kind), buffer.size_bytes, buffer.alignment_bytes);
  }
  for (const Uop& uop : program.uops) {
    fmt::format_to(out, ".uop {} {} {}\n", uop.dst_idx, uop.src_idx, uop.wgt_idx);
  }

  const std::vector<std::string> references = bufferReferences(program);
  auto relocation = program.relocations.begin();
  auto symbol = program.symbols.begin();
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    for (; symbol != program.symbols.end() && symbol->first_instruction == i; ++symbol) {
      fmt::format_to(out, ".symbol {}\n", syntax::quoted(symbol->name));
    }
    const Instruction& insn = program.instructions[i];
    std::string line;
    if (relocation != program.relocations.end() && relocation->instruction == i) {
      printInstruction(std::back_inserter(line), insn,
                       fmt::format("@{}+{}", references[relocation->buffer], insn.mem().dram_base),
                       hw.params());
      ++relocation;
    } else {
      line = disassemble(insn, hw);
    }
    fmt::format_to(out, "{:<95} ; {}\n", line, i);
  }
  return text;
}

}  // namespace vta
