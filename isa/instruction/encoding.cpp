#include "isa/instruction/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include "isa/instruction/field_table.h"
#include "isa/spec/depthwise.h"
#include "isa/spec/parameters.h"
#include "isa/spec/user_operation.h"

namespace vta {
namespace {

using detail::InsnField;
using detail::UopField;

// An instruction or micro-op as 64-bit words, bit 0 in bit 0 of words[0].
using Words = std::array<uint64_t, 4>;

uint64_t maskOf(int width_bits) {
  return width_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << width_bits) - 1;
}

int64_t extract(const Words& words, int lsb, int width_bits, bool is_signed) {
  const uint64_t raw = (words[lsb / 64] >> (lsb % 64)) & maskOf(width_bits);
  if (!is_signed) return static_cast<int64_t>(raw);
  const int shift = 64 - width_bits;
  return static_cast<int64_t>(raw << shift) >> shift;
}

// Puts `value` into `words`. The error says which field it does not fit; `owner` is "GEMM", ...
Status insert(Words& words, std::string_view owner, std::string_view field, int lsb, int width_bits,
              bool is_signed, int64_t value) {
  const int64_t min = is_signed ? -(int64_t{1} << (width_bits - 1)) : 0;
  const int64_t max = (int64_t{1} << (is_signed ? width_bits - 1 : width_bits)) - 1;
  if (value < min || value > max) {
    return invalidArgument(fmt::format("{} field {} is {}; legal: {} to {} ({} bits)", owner, field,
                                       value, min, max, width_bits));
  }
  words[lsb / 64] |= (static_cast<uint64_t>(value) & maskOf(width_bits)) << (lsb % 64);
  return {};
}

void appendBytes(const Words& words, size_t byte_count, std::vector<std::byte>& out) {
  for (size_t i = 0; i < byte_count; ++i) {
    out.push_back(static_cast<std::byte>(words[i / 8] >> (i % 8 * 8)));
  }
}

Words loadWords(std::span<const std::byte> bytes) {
  Words words{};
  for (size_t i = 0; i < bytes.size(); ++i) {
    words[i / 8] |= static_cast<uint64_t>(bytes[i]) << (i % 8 * 8);
  }
  return words;
}

// True when the body alternative is the one that the opcode implies.
bool bodyMatchesOpcode(const Instruction& insn) {
  switch (insn.opcode) {
    case Opcode::kLoad:
    case Opcode::kStore:
      return std::holds_alternative<MemInsn>(insn.body);
    case Opcode::kGemm:
      return std::holds_alternative<GemmInsn>(insn.body);
    case Opcode::kAlu:
      return std::holds_alternative<AluInsn>(insn.body);
    case Opcode::kFinish:
      return std::holds_alternative<FinishInsn>(insn.body);
  }
  return false;
}

Status illegalField(std::string_view owner, std::string_view field, int64_t value,
                    std::string_view legal) {
  return invalidArgument(
      fmt::format("illegal {} field {} = {}; legal: {}", owner, field, value, legal));
}

// The codes of the operations that `hw` has: "0 to 4, 6".
std::string legalAluCodes(const HwConfig& hw) {
  std::string text;
  int first = -1;  // of the codes without a gap up to `last`
  int last = -1;
  const auto finishRun = [&] {
    if (first < 0) return;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last > first) text += fmt::format(" to {}", last);
  };
  for (const AluOperation* operation : aluOperations(hw.params())) {
    const int code = static_cast<int>(operation->opcode);
    if (code != last + 1 || first < 0) {
      finishRun();
      first = code;
    }
    last = code;
  }
  finishRun();
  return text;
}

// The mode, and the loop whose high bits it takes.
Status checkDepthwise(const GemmInsn& gemm, const HwConfig& hw) {
  if (!gemm.depthwise) {
    if (gemm.taps == 1) return {};
    return illegalField("GEMM", "taps", gemm.taps, "1 (it is not depthwise)");
  }
  if (!hw.params().ext_depthwise) {
    return illegalField("GEMM", "depthwise", 1, "0 (this hardware has no extension depthwise)");
  }
  if (gemm.taps < 1 || gemm.taps > inpReadElems(hw.params())) {
    return illegalField("GEMM", "taps", gemm.taps,
                        fmt::format("1 to {} (isa.depthwise_taps)", inpReadElems(hw.params())));
  }
  if (gemm.iter_in <= kMaxDepthwiseIterIn) return {};
  return illegalField("GEMM", "iter_in", gemm.iter_in,
                      fmt::format("0 to {} (it is depthwise)", kMaxDepthwiseIterIn));
}

Status checkMemoryType(std::string_view owner, MemoryType type, const HwConfig& hw) {
  const int code = static_cast<int>(type);
  const bool is_known = code < kMemoryTypeCount;
  if (is_known && hasMemory(hw.params(), memoryInfo(type))) return {};
  // Memory types of extensions are behind those that all hardware has.
  int last = 0;
  std::string others;
  for (const MemoryInfo& memory : memories()) {
    const int own = static_cast<int>(memory.type);
    if (memory.extension == nullptr || (hasMemory(hw.params(), memory) && own == last + 1)) {
      last = own;
    } else if (hasMemory(hw.params(), memory)) {
      others += fmt::format(", {}", own);
    }
  }
  std::string legal = fmt::format("0 to {}{}", last, others);
  if (is_known) {
    legal += fmt::format(" (this hardware has no extension {})",
                         extensionName(memoryInfo(type).extension));
  }
  return illegalField(owner, "memory_type", code, legal);
}

// Codes that exist as bits but not as values, and extensions that `hw` lacks.
Status checkCodes(const Instruction& insn, const HwConfig& hw) {
  if (const auto* mem = std::get_if<MemInsn>(&insn.body)) {
    const std::string_view owner = opcodeName(insn.opcode);
    VTA_RETURN_IF_ERROR(checkMemoryType(owner, mem->memory_type, hw));
    const bool has_pad_min = hw.params().ext_pad_min;
    const bool pad_min = mem->pad_kind == PadKind::kMin && has_pad_min;
    if (mem->pad_kind != PadKind::kZero && !pad_min) {
      return illegalField(owner, "pad_kind", static_cast<int>(mem->pad_kind),
                          has_pad_min ? "0 or 1" : "0 (this hardware has no extension pad_min)");
    }
  }
  if (const auto* gemm = std::get_if<GemmInsn>(&insn.body)) return checkDepthwise(*gemm, hw);
  if (const auto* alu = std::get_if<AluInsn>(&insn.body)) {
    const AluOperation* const operation = findAluOperation(hw.params(), alu->alu_opcode);
    if (operation == nullptr || !hasAluOperation(hw.params(), *operation)) {
      std::string legal = legalAluCodes(hw);
      if (operation != nullptr) {
        legal += fmt::format(" (no extension {})", extensionName(operation->extension));
      }
      return illegalField("ALU", "alu_opcode", static_cast<int>(alu->alu_opcode), legal);
    }
  }
  return {};
}

}  // namespace

std::vector<FieldInfo> instructionFields(Opcode opcode, const HwConfig& hw) {
  std::vector<FieldInfo> fields;
  detail::forEachField(opcode, hw, [&](const InsnField& field, int lsb, int width_bits) {
    fields.push_back({field.name, lsb, width_bits, field.is_signed, field.unit});
    return true;
  });
  return fields;
}

std::vector<FieldInfo> uopFields(const HwConfig& hw) {
  std::vector<FieldInfo> fields;
  detail::forEachUopField(hw, [&](const UopField& field, int lsb, int width_bits) {
    fields.push_back({field.name, lsb, width_bits, field.is_signed, field.unit});
    return true;
  });
  return fields;
}

Status encodeInstruction(const Instruction& insn, const HwConfig& hw, std::vector<std::byte>& out) {
  if (!bodyMatchesOpcode(insn)) {
    return invalidArgument(fmt::format("instruction with opcode {} ({}) has another kind of body",
                                       static_cast<int>(insn.opcode), opcodeName(insn.opcode)));
  }
  VTA_RETURN_IF_ERROR(checkCodes(insn, hw));
  Words words{};
  Status status;
  const std::string_view owner = opcodeName(insn.opcode);
  detail::forEachField(insn.opcode, hw, [&](const InsnField& field, int lsb, int width_bits) {
    status = insert(words, owner, field.name, lsb, width_bits, field.is_signed, field.get(insn));
    return status.ok();
  });
  if (!status.ok()) return status;
  appendBytes(words, hw.instructionBytes(), out);
  return {};
}

Result<Instruction> decodeInstruction(std::span<const std::byte> bytes, const HwConfig& hw) {
  const auto size = static_cast<size_t>(hw.instructionBytes());
  if (bytes.size() < size) {
    return invalidArgument(
        fmt::format("an instruction needs {} bytes, {} are left", size, bytes.size()));
  }
  const Words words = loadWords(bytes.first(size));
  Instruction insn;
  const int64_t opcode = extract(words, 0, 3, false);
  switch (static_cast<Opcode>(opcode)) {
    case Opcode::kLoad:
    case Opcode::kStore:
      insn.body = MemInsn{};
      break;
    case Opcode::kGemm:
      insn.body = GemmInsn{};
      break;
    case Opcode::kAlu:
      insn.body = AluInsn{};
      break;
    case Opcode::kFinish:
      break;
    default:
      return illegalField("instruction", "opcode", opcode, "0 to 4");
  }
  detail::forEachField(static_cast<Opcode>(opcode), hw,
                       [&](const InsnField& field, int lsb, int width_bits) {
                         field.set(insn, extract(words, lsb, width_bits, field.is_signed));
                         return true;
                       });
  VTA_RETURN_IF_ERROR(checkCodes(insn, hw));
  return insn;
}

Status encodeUop(const Uop& uop, const HwConfig& hw, std::vector<std::byte>& out) {
  Words words{};
  Status status;
  detail::forEachUopField(hw, [&](const UopField& field, int lsb, int width_bits) {
    status = insert(words, "micro-op", field.name, lsb, width_bits, false, field.get(uop));
    return status.ok();
  });
  if (!status.ok()) return status;
  appendBytes(words, hw.uopBytes(), out);
  return {};
}

Uop decodeUop(std::span<const std::byte> bytes, const HwConfig& hw) {
  assert(bytes.size() >= static_cast<size_t>(hw.uopBytes()));
  const Words words = loadWords(bytes.first(hw.uopBytes()));
  Uop uop;
  detail::forEachUopField(hw, [&](const UopField& field, int lsb, int width_bits) {
    field.set(uop, extract(words, lsb, width_bits, false));
    return true;
  });
  return uop;
}

}  // namespace vta
