#include "isa/instruction/field_table.h"

#include <algorithm>
#include <bit>

#include "isa/spec/depthwise.h"

namespace vta::detail {
namespace {

using Depth = FieldWidth::Depth;

template <typename Body, typename T>
Body ownerOf(T Body::*);

template <auto Member>
using Owner = decltype(ownerOf(Member));

// The part of an instruction that `Member` belongs to: its tokens or the body alternative.
template <typename Body, typename Insn>
auto& partOf(Insn& insn) {
  if constexpr (std::is_same_v<Body, Tokens>) {
    return insn.tokens;
  } else {
    return *std::get_if<Body>(&insn.body);
  }
}

template <auto Member>
constexpr InsnField field(std::string_view name, FieldWidth width, std::string_view unit,
                          int half = 0, bool is_signed = false) {
  using Body = Owner<Member>;
  using Value = std::remove_reference_t<decltype(std::declval<Body&>().*Member)>;
  return {name,
          width,
          unit,
          half,
          is_signed,
          [](const Instruction& insn) { return static_cast<int64_t>(partOf<Body>(insn).*Member); },
          [](Instruction& insn, int64_t value) {
            partOf<Body>(insn).*Member = static_cast<Value>(value);
          }};
}

template <auto Member>
constexpr UopField uopField(std::string_view name, FieldWidth width) {
  return {name,
          width,
          "elements",
          0,
          false,
          [](const Uop& uop) { return static_cast<int64_t>(uop.*Member); },
          [](Uop& uop, int64_t value) { uop.*Member = static_cast<uint32_t>(value); }};
}

constexpr FieldWidth kUopDepth = {0, Depth::kUop};
constexpr FieldWidth kInpDepth = {0, Depth::kInp};
constexpr FieldWidth kWgtDepth = {0, Depth::kWgt};
constexpr FieldWidth kAccDepth = {0, Depth::kAcc};
constexpr FieldWidth kAccOrInpDepth = {0, Depth::kAccOrInp};
constexpr FieldWidth bits(int count) { return {count, Depth::kNone}; }

// The setter of `opcode` leaves the body alone: the decoder has chosen it by then.
constexpr InsnField kCommon[] = {
    {"opcode", bits(3), "code", 0, false,
     [](const Instruction& insn) { return static_cast<int64_t>(insn.opcode); },
     [](Instruction& insn, int64_t value) { insn.opcode = static_cast<Opcode>(value); }},
    field<&Tokens::pop_prev>("pop_prev", bits(1), "flag"),
    field<&Tokens::pop_next>("pop_next", bits(1), "flag"),
    field<&Tokens::push_prev>("push_prev", bits(1), "flag"),
    field<&Tokens::push_next>("push_next", bits(1), "flag"),
};

constexpr InsnField kMem[] = {
    field<&MemInsn::memory_type>("memory_type", bits(3), "code"),
    field<&MemInsn::sram_base>("sram_base", bits(16), "elements"),
    field<&MemInsn::dram_base>("dram_base", bits(32), "elements"),
    field<&MemInsn::pad_kind>("pad_kind", bits(6), "code"),
    field<&MemInsn::y_size>("y_size", bits(16), "rows", 1),
    field<&MemInsn::x_size>("x_size", bits(16), "elements", 1),
    field<&MemInsn::x_stride>("x_stride", bits(16), "elements", 1),
    field<&MemInsn::y_pad_0>("y_pad_0", bits(4), "rows", 1),
    field<&MemInsn::y_pad_1>("y_pad_1", bits(4), "rows", 1),
    field<&MemInsn::x_pad_0>("x_pad_0", bits(4), "elements", 1),
    field<&MemInsn::x_pad_1>("x_pad_1", bits(4), "elements", 1),
};

// A depthwise GEMM has the number of its taps, less one, above the iterations of its inner loop.
// `iter_in` is decoded before `depthwise`, which takes the taps away from it.
constexpr InsnField kGemmIterIn = {
    "iter_in",
    bits(kIterBits),
    "iterations",
    0,
    false,
    [](const Instruction& insn) {
      const GemmInsn& gemm = insn.gemm();
      const uint32_t taps = gemm.depthwise ? gemm.taps - 1 : 0;
      return static_cast<int64_t>(gemm.iter_in) + (int64_t{taps} << kDepthwiseIterBits);
    },
    [](Instruction& insn, int64_t value) { insn.gemm().iter_in = static_cast<uint32_t>(value); }};
constexpr InsnField kGemmDepthwise = {
    "depthwise",
    bits(1),
    "flag",
    0,
    false,
    [](const Instruction& insn) { return static_cast<int64_t>(insn.gemm().depthwise); },
    [](Instruction& insn, int64_t value) {
      GemmInsn& gemm = insn.gemm();
      gemm.depthwise = value != 0;
      if (!gemm.depthwise) return;
      gemm.taps = (gemm.iter_in >> kDepthwiseIterBits) + 1;
      gemm.iter_in &= kMaxDepthwiseIterIn;
    }};

constexpr InsnField kGemm[] = {
    field<&GemmInsn::reset>("reset", bits(1), "flag"),
    field<&GemmInsn::uop_bgn>("uop_bgn", kUopDepth, "micro-ops"),
    field<&GemmInsn::uop_end>("uop_end", {1, Depth::kUop}, "micro-ops"),
    field<&GemmInsn::iter_out>("iter_out", bits(kIterBits), "iterations"),
    kGemmIterIn,
    kGemmDepthwise,
    field<&GemmInsn::dst_factor_out>("dst_factor_out", kAccDepth, "elements", 1),
    field<&GemmInsn::dst_factor_in>("dst_factor_in", kAccDepth, "elements", 1),
    field<&GemmInsn::src_factor_out>("src_factor_out", kInpDepth, "elements", 1),
    field<&GemmInsn::src_factor_in>("src_factor_in", kInpDepth, "elements", 1),
    field<&GemmInsn::wgt_factor_out>("wgt_factor_out", kWgtDepth, "elements", 1),
    field<&GemmInsn::wgt_factor_in>("wgt_factor_in", kWgtDepth, "elements", 1),
};

// The code of an ALU operation in two fields: where published hardware has its three bits, and in
// what is free of the instruction's first half.
constexpr int kLowMask = (1 << kAluOpcodeBits) - 1;
int64_t aluCode(const Instruction& insn) { return static_cast<int64_t>(insn.alu().alu_opcode); }

constexpr InsnField kAluOpcodeLow = {
    "alu_opcode",
    bits(kAluOpcodeBits),
    "code",
    1,
    false,
    [](const Instruction& insn) { return aluCode(insn) & kLowMask; },
    [](Instruction& insn, int64_t value) {
      insn.alu().alu_opcode = static_cast<AluOpcode>((aluCode(insn) & ~kLowMask) | value);
    }};
constexpr FieldWidth kPageBits = {std::bit_width(unsigned{kBaseAluPages - 1}), Depth::kNone, 4};
constexpr InsnField kAluOpcodePage = {
    "alu_page",
    kPageBits,
    "code",
    0,
    false,
    [](const Instruction& insn) { return aluCode(insn) >> kAluOpcodeBits; },
    [](Instruction& insn, int64_t value) {
      insn.alu().alu_opcode =
          static_cast<AluOpcode>((aluCode(insn) & kLowMask) | value << kAluOpcodeBits);
    }};

constexpr InsnField kAlu[] = {
    field<&AluInsn::reset>("reset", bits(1), "flag"),
    field<&AluInsn::uop_bgn>("uop_bgn", kUopDepth, "micro-ops"),
    field<&AluInsn::uop_end>("uop_end", {1, Depth::kUop}, "micro-ops"),
    field<&AluInsn::iter_out>("iter_out", bits(kIterBits), "iterations"),
    field<&AluInsn::iter_in>("iter_in", bits(kIterBits), "iterations"),
    kAluOpcodePage,
    field<&AluInsn::dst_factor_out>("dst_factor_out", kAccDepth, "elements", 1),
    field<&AluInsn::dst_factor_in>("dst_factor_in", kAccDepth, "elements", 1),
    field<&AluInsn::src_factor_out>("src_factor_out", kAccDepth, "elements", 1),
    field<&AluInsn::src_factor_in>("src_factor_in", kAccDepth, "elements", 1),
    kAluOpcodeLow,
    field<&AluInsn::use_imm>("use_imm", bits(1), "flag", 1),
    field<&AluInsn::imm>("imm", bits(16), "value", 1, true),
};

constexpr UopField kUop[] = {
    uopField<&Uop::dst_idx>("dst_idx", kAccDepth),
    uopField<&Uop::src_idx>("src_idx", kAccOrInpDepth),
    uopField<&Uop::wgt_idx>("wgt_idx", kWgtDepth),
};

}  // namespace

int FieldWidth::bits(const HwConfig& hw) const {
  const int own_bits = fixed_bits + (hw.encoding() == Encoding::kWide ? more_bits_in_wide : 0);
  switch (depth) {
    case Depth::kNone:
      return own_bits;
    case Depth::kUop:
      return own_bits + hw.logDepth(MemoryType::kUop);
    case Depth::kInp:
      return own_bits + hw.logDepth(MemoryType::kInp);
    case Depth::kWgt:
      return own_bits + hw.logDepth(MemoryType::kWgt);
    case Depth::kAcc:
      return own_bits + hw.logDepth(MemoryType::kAcc);
    case Depth::kAccOrInp:
      return own_bits + std::max(hw.logDepth(MemoryType::kAcc), hw.logDepth(MemoryType::kInp));
  }
  return own_bits;
}

std::span<const InsnField> commonFields() { return kCommon; }

std::span<const InsnField> bodyFields(Opcode opcode) {
  switch (opcode) {
    case Opcode::kLoad:
    case Opcode::kStore:
      return kMem;
    case Opcode::kGemm:
      return kGemm;
    case Opcode::kAlu:
      return kAlu;
    case Opcode::kFinish:
      break;
  }
  return {};
}

std::span<const UopField> uopFieldTable() { return kUop; }

}  // namespace vta::detail
