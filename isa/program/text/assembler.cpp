#include "isa/program/text/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "isa/instruction/encoding.h"
#include "isa/program/text/assembler_syntax.h"
#include "isa/program/text/assembler_words.h"
#include "isa/spec/depthwise.h"
#include "isa/spec/user_operation.h"

namespace vta {
namespace {

using syntax::Operands;
using syntax::parseNumber;
using syntax::Place;
using syntax::Word;

template <typename Enum>
std::optional<Enum> enumByName(std::string_view name, int count, std::string_view (*nameOf)(Enum)) {
  for (int i = 0; i < count; ++i) {
    if (syntax::lowerCase(nameOf(static_cast<Enum>(i))) == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

Status parsePadding(Operands& operands, MemInsn& mem) {
  std::optional<Word> pad = operands.takeValue("pad");
  if (pad) {
    Operands pads(std::array{Word{"pad=" + pad->text, pad->column, false}}, operands.endColumn(),
                  operands.place());
    VTA_RETURN_IF_ERROR(
        pads.numbers("pad", ',', {&mem.y_pad_0, &mem.y_pad_1, &mem.x_pad_0, &mem.x_pad_1}));
  }
  if (operands.takeFlag("pad_min")) mem.pad_kind = PadKind::kMin;
  return {};
}

Status parseMem(Operands& operands, MemInsn& mem, std::string& dram_buffer) {
  VTA_ASSIGN_OR_RETURN(const Word type_word, operands.takeFirst("memory type"));
  const auto type = enumByName(type_word.text, kMemoryTypeCount, memoryTypeName);
  if (!type) {
    return operands.place().error(
        type_word.column,
        fmt::format("unknown memory type \"{}\"; legal: uop, wgt, inp, acc, out, acc_8bit, "
                    "wgt_transposed, inp_from_out",
                    type_word.text));
  }
  mem.memory_type = *type;
  VTA_RETURN_IF_ERROR(operands.numbers("sram", ',', {&mem.sram_base}));
  VTA_RETURN_IF_ERROR(operands.numbers("size", 'x', {&mem.y_size, &mem.x_size}));
  VTA_RETURN_IF_ERROR(operands.numbers("stride", ',', {&mem.x_stride}));

  if (isOnChip(*type)) {
    VTA_RETURN_IF_ERROR(operands.numbers("out", ',', {&mem.dram_base}));
    return parsePadding(operands, mem);
  }
  std::optional<Word> dram = operands.takeValue("dram");
  if (!dram) {
    return operands.place().error(operands.endColumn(), "dram=N or dram=@buffer+N is missing");
  }
  std::string_view offset = dram->text;
  if (offset.starts_with('@')) {
    const size_t plus = offset.rfind('+');
    dram_buffer = offset.substr(1, plus == std::string_view::npos ? plus : plus - 1);
    offset = plus == std::string_view::npos ? std::string_view("0") : offset.substr(plus + 1);
  }
  const bool names_nothing = dram->text.starts_with('@') && dram_buffer.empty();
  const auto value = parseNumber(offset);
  if (names_nothing || !value || *value < 0 || *value > UINT32_MAX) {
    return operands.place().error(
        dram->column,
        fmt::format("dram={} is not of the form dram=N or dram=@buffer+N", dram->text));
  }
  mem.dram_base = static_cast<uint32_t>(*value);
  return parsePadding(operands, mem);
}

template <typename Body>
Status parseLoops(Operands& operands, Body& body) {
  VTA_RETURN_IF_ERROR(operands.numbers("uop", ':', {&body.uop_bgn, &body.uop_end}));
  VTA_RETURN_IF_ERROR(operands.numbers("iter", 'x', {&body.iter_out, &body.iter_in}));
  VTA_RETURN_IF_ERROR(operands.numbers("dst", ',', {&body.dst_factor_out, &body.dst_factor_in}));
  VTA_RETURN_IF_ERROR(operands.numbers("src", ',', {&body.src_factor_out, &body.src_factor_in}));
  body.reset = operands.takeFlag("reset");
  return {};
}

// taps=N: a depthwise GEMM.
Status parseTaps(Operands& operands, GemmInsn& gemm) {
  const auto taps = operands.takeValue("taps");
  if (!taps) return {};
  const auto count = parseNumber(taps->text);
  if (!count || *count < 1 || *count > kMaxTaps) {
    return operands.place().error(
        taps->column, fmt::format("taps={} is not a number from 1 to {}", taps->text, kMaxTaps));
  }
  gemm.depthwise = true;
  gemm.taps = static_cast<uint32_t>(*count);
  return {};
}

Status readSigned(const Operands& operands, const Word& word, std::string_view key,
                  int64_t& value) {
  const auto parsed = parseNumber(word.text);
  if (!parsed || *parsed < INT32_MIN || *parsed > INT32_MAX) {
    return operands.place().error(word.column,
                                  fmt::format("{}={} is not a number", key, word.text));
  }
  value = *parsed;
  return {};
}

// The bounds of "range=LO,HI" as an immediate.
Status readRange(const Operands& operands, const Word& word, int64_t& value) {
  const size_t comma = word.text.find(',');
  const auto low = parseNumber(std::string_view(word.text).substr(0, comma));
  const auto high = comma == std::string::npos
                        ? std::nullopt
                        : parseNumber(std::string_view(word.text).substr(comma + 1));
  if (!low || !high || *low < -128 || *low > 127 || *high < -128 || *high > 127) {
    return operands.place().error(
        word.column,
        fmt::format("range={} is not of the form range=LO,HI within -128 to 127", word.text));
  }
  value = byteRangeImmediate({static_cast<int>(*low), static_cast<int>(*high)});
  return {};
}

// imm=N or range=LO,HI (the immediate operand), shift=N (beside a tensor operand) or unused_imm=N
// (the field of a tensor operation that does not read it).
Status parseImmediate(Operands& operands, const AluOperation& operation, AluInsn& alu) {
  const auto needs = [&](AluImmediate form, const Word& word, std::string_view key) -> Status {
    if (operation.immediate == form) return {};
    return operands.place().error(
        word.column, fmt::format("{} has no {}", syntax::lowerCase(operation.name), key));
  };
  int64_t value = 0;
  if (const auto imm = operands.takeValue("imm")) {
    VTA_RETURN_IF_ERROR(readSigned(operands, *imm, "imm", value));
    alu.use_imm = true;
  } else if (const auto shift = operands.takeValue("shift")) {
    VTA_RETURN_IF_ERROR(needs(AluImmediate::kShift, *shift, "shift"));
    VTA_RETURN_IF_ERROR(readSigned(operands, *shift, "shift", value));
  } else if (const auto range = operands.takeValue("range")) {
    VTA_RETURN_IF_ERROR(needs(AluImmediate::kByteRange, *range, "range"));
    VTA_RETURN_IF_ERROR(readRange(operands, *range, value));
    alu.use_imm = operation.operand == AluOperand::kImmediate;
  } else if (const auto unused = operands.takeValue("unused_imm")) {
    VTA_RETURN_IF_ERROR(readSigned(operands, *unused, "unused_imm", value));
  }
  alu.imm = static_cast<int32_t>(value);
  return {};
}

Status parseAlu(Operands& operands, const HwConfig& hw, AluInsn& alu) {
  VTA_ASSIGN_OR_RETURN(const Word word, operands.takeFirst("ALU operation"));
  std::string legal;
  // Also those that `hw` lacks: encoding the instruction says which extension has them.
  std::vector<const AluOperation*> known;
  for (const AluOperation& operation : kAluOperations) known.push_back(&operation);
  for (const auto& operation : hw.params().operations.list()) known.push_back(&operation->row);
  for (const AluOperation* operation : known) {
    const std::string name = syntax::lowerCase(operation->name);
    if (name == word.text) {
      alu.alu_opcode = operation->opcode;
      VTA_RETURN_IF_ERROR(parseImmediate(operands, *operation, alu));
      return parseLoops(operands, alu);
    }
    legal += (legal.empty() ? "" : ", ") + name;
  }
  return operands.place().error(
      word.column, fmt::format("unknown ALU operation \"{}\"; legal: {}", word.text, legal));
}

class Assembler {
 public:
  Assembler(std::string_view source, const HwConfig& hw) : place_{source, 0}, hw_(hw) {
    program_.hw_fingerprint = hw.fingerprint();
    program_.encoding = hw.encoding();
  }

  Result<Program> run(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      ++place_.line;
      VTA_RETURN_IF_ERROR(parseLine(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    VTA_RETURN_IF_ERROR(checkProgramStructure(program_, hw_).withContext(place_.source));
    return std::move(program_);
  }

 private:
  Status parseLine(std::string_view line) {
    VTA_ASSIGN_OR_RETURN(const std::vector<Word> words, syntax::splitLine(line, place_));
    if (words.empty()) return {};
    const Word& head = words.front();
    const auto rest = std::span(words).subspan(1);
    if (head.text.starts_with('.') && !head.quoted) return parseDirective(head, rest, line.size());
    return parseInstruction(head, rest, line.size());
  }

  Status parseDirective(const Word& head, std::span<const Word> args, size_t line_size) {
    if (head.text == ".encoding") {
      return expectText(args, encodingName(hw_.encoding()), line_size);
    }
    if (head.text == ".fingerprint") {
      return expectText(args, fmt::format("{:016x}", hw_.fingerprint()), line_size);
    }
    if (head.text == ".buffer") return parseBuffer(args, line_size);
    if (head.text == ".uop") return parseUop(args, line_size);
    if (head.text == ".symbol") return parseSymbol(args, line_size);
    return place_.error(
        head.column,
        fmt::format("unknown directive {}; legal: .encoding, .fingerprint, .buffer, .uop, .symbol",
                    head.text));
  }

  // .encoding and .fingerprint: the text was written for `hw`, or it is refused.
  Status expectText(std::span<const Word> args, std::string_view expected, size_t line_size) const {
    if (args.size() == 1 && args[0].text == expected) return {};
    return place_.error(
        args.empty() ? line_size + 1 : args[0].column,
        fmt::format("the configuration \"{}\" needs {} here", hw_.name(), expected));
  }

  Status parseBuffer(std::span<const Word> args, size_t line_size) {
    constexpr std::string_view kForm = ".buffer \"NAME\" KIND size=N align=N";
    if (args.size() < 2 || !args[0].quoted) {
      return place_.error(line_size + 1, fmt::format("expected {}", kForm));
    }
    constexpr int kKindCount = 5;
    const auto kind = enumByName(args[1].text, kKindCount, bufferKindName);
    if (!kind) {
      return place_.error(
          args[1].column,
          fmt::format("unknown buffer kind \"{}\"; legal: uop, constant, input, output, scratch",
                      args[1].text));
    }
    Operands operands(args.subspan(2), line_size + 1, place_);
    const auto size = operands.takeValue("size");
    const auto size_bytes = size ? parseNumber(size->text) : std::nullopt;
    if (!size_bytes || *size_bytes < 0) {
      return place_.error(size ? size->column : line_size + 1, fmt::format("expected {}", kForm));
    }
    BufferDecl buffer{args[0].text, *kind, static_cast<uint64_t>(*size_bytes), 1};
    VTA_RETURN_IF_ERROR(operands.numbers("align", ',', {&buffer.alignment_bytes}));
    program_.buffers.push_back(std::move(buffer));
    return operands.expectEmpty();
  }

  Status parseUop(std::span<const Word> args, size_t line_size) {
    Uop uop;
    uint32_t* const targets[] = {&uop.dst_idx, &uop.src_idx, &uop.wgt_idx};
    if (args.size() != 3) return place_.error(line_size + 1, "expected .uop DST SRC WGT");
    for (size_t i = 0; i < 3; ++i) {
      const auto value = parseNumber(args[i].text);
      if (!value || *value < 0 || *value > UINT32_MAX) {
        return place_.error(args[i].column, fmt::format("\"{}\" is not an index", args[i].text));
      }
      *targets[i] = static_cast<uint32_t>(*value);
    }
    scratch_.clear();
    const Status fits = encodeUop(uop, hw_, scratch_);
    if (!fits.ok()) return place_.error(args[0].column, fits.message());
    program_.uops.push_back(uop);
    return {};
  }

  Status parseSymbol(std::span<const Word> args, size_t line_size) {
    if (args.size() != 1 || !args[0].quoted) {
      return place_.error(line_size + 1, "expected .symbol \"NAME\"");
    }
    program_.symbols.push_back({static_cast<uint32_t>(program_.instructions.size()), args[0].text});
    return {};
  }

  Status parseInstruction(const Word& head, std::span<const Word> args, size_t line_size) {
    Operands operands(args, line_size + 1, place_);
    const auto opcode = enumByName(head.text, kOpcodeCount, opcodeName);
    if (!opcode) {
      return place_.error(head.column,
                          fmt::format("unknown instruction \"{}\"; legal: load, store, gemm, alu, "
                                      "finish",
                                      head.text));
    }
    Instruction insn{*opcode, {}, FinishInsn{}};
    std::string dram_buffer;
    if (*opcode == Opcode::kLoad || *opcode == Opcode::kStore) {
      VTA_RETURN_IF_ERROR(parseMem(operands, insn.body.emplace<MemInsn>(), dram_buffer));
    } else if (*opcode == Opcode::kGemm) {
      auto& gemm = insn.body.emplace<GemmInsn>();
      VTA_RETURN_IF_ERROR(parseLoops(operands, gemm));
      VTA_RETURN_IF_ERROR(
          operands.numbers("wgt", ',', {&gemm.wgt_factor_out, &gemm.wgt_factor_in}));
      VTA_RETURN_IF_ERROR(parseTaps(operands, gemm));
    } else if (*opcode == Opcode::kAlu) {
      VTA_RETURN_IF_ERROR(parseAlu(operands, hw_, insn.body.emplace<AluInsn>()));
    }
    for (const syntax::TokenFlag& flag : syntax::kTokenFlags) {
      insn.tokens.*flag.member = operands.takeFlag(flag.name);
    }
    VTA_RETURN_IF_ERROR(operands.expectEmpty());
    scratch_.clear();
    const Status fits = encodeInstruction(insn, hw_, scratch_);
    if (!fits.ok()) return place_.error(head.column, fits.message());
    if (!dram_buffer.empty()) VTA_RETURN_IF_ERROR(addRelocation(head, dram_buffer));
    program_.instructions.push_back(insn);
    return {};
  }

  // `reference` is a buffer's name, or its number in brackets.
  Status addRelocation(const Word& head, std::string_view reference) {
    const auto at = static_cast<uint32_t>(program_.instructions.size());
    if (reference.starts_with('[') && reference.ends_with(']')) {
      const auto index = parseNumber(reference.substr(1, reference.size() - 2));
      if (index && *index >= 0 && *index < static_cast<int64_t>(program_.buffers.size())) {
        program_.relocations.push_back({at, static_cast<uint32_t>(*index)});
        return {};
      }
    }
    const auto found =
        std::find_if(program_.buffers.begin(), program_.buffers.end(),
                     [&](const BufferDecl& buffer) { return buffer.name == reference; });
    if (found == program_.buffers.end()) {
      return place_.error(head.column, fmt::format("no buffer \"{}\" was declared", reference));
    }
    program_.relocations.push_back({at, static_cast<uint32_t>(found - program_.buffers.begin())});
    return {};
  }

  Place place_;
  const HwConfig& hw_;
  Program program_;
  std::vector<std::byte> scratch_;
};

}  // namespace

Result<Program> assemble(std::string_view text, std::string_view source_name, const HwConfig& hw) {
  return Assembler(source_name, hw).run(text);
}

}  // namespace vta
