// The table of all instruction and micro-op fields: the one place that knows names, order, widths,
// and which member of the decoded form a field fills. Internal to the isa library.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/config/hw_config.h"
#include "isa/instruction/instruction.h"

namespace vta::detail {

/// The width of a field as a function of the configuration: `fixed_bits`, plus the log2 depth
/// named, plus what only the wide encoding has room for.
struct FieldWidth {
  enum class Depth : uint8_t { kNone, kUop, kInp, kWgt, kAcc, kAccOrInp };
  int fixed_bits = 0;
  Depth depth = Depth::kNone;
  int more_bits_in_wide = 0;  // in the wide encoding

  int bits(const HwConfig& hw) const;
};

/// One field. `half` 0 fills the first half of the instruction from its bit 0, `half` 1 the second.
template <typename Decoded>
struct FieldSpec {
  std::string_view name;
  FieldWidth width;
  std::string_view unit;
  int half = 0;
  bool is_signed = false;
  int64_t (*get)(const Decoded&) = nullptr;
  void (*set)(Decoded&, int64_t) = nullptr;
};

using InsnField = FieldSpec<Instruction>;
using UopField = FieldSpec<Uop>;

/// Fields common to all instructions, `opcode` first.
std::span<const InsnField> commonFields();

/// Fields after the common ones; empty for FINISH and for illegal opcodes.
std::span<const InsnField> bodyFields(Opcode opcode);

std::span<const UopField> uopFieldTable();

/// Assigns bit positions while walking the fields in order. No field straddles a multiple of 64
/// bits, so every field lies in one 64-bit word.
class FieldCursor {
 public:
  explicit FieldCursor(int half_bits) : half_bits_(half_bits) {}

  /// The lowest bit of the next field, which is `width_bits` wide and lies in `half`.
  int place(int half, int width_bits) {
    if (half != half_) {
      half_ = half;
      next_bit_ = half * half_bits_;
    }
    if (next_bit_ / 64 != (next_bit_ + width_bits - 1) / 64) next_bit_ = (next_bit_ + 63) / 64 * 64;
    const int lsb = next_bit_;
    next_bit_ += width_bits;
    return lsb;
  }

 private:
  int half_bits_;
  int half_ = 0;
  int next_bit_ = 0;
};

/// Calls `fn(field, lsb, width_bits)` for each field of `opcode` from bit 0 up; stops when it
/// returns false.
template <typename Fn>
void forEachField(Opcode opcode, const HwConfig& hw, Fn&& fn) {
  FieldCursor cursor(hw.instructionBytes() * 8 / 2);
  for (std::span<const InsnField> part : {commonFields(), bodyFields(opcode)}) {
    for (const InsnField& field : part) {
      const int width_bits = field.width.bits(hw);
      if (!fn(field, cursor.place(field.half, width_bits), width_bits)) return;
    }
  }
}

template <typename Fn>
void forEachUopField(const HwConfig& hw, Fn&& fn) {
  FieldCursor cursor(hw.uopBytes() * 8);
  for (const UopField& field : uopFieldTable()) {
    const int width_bits = field.width.bits(hw);
    if (!fn(field, cursor.place(0, width_bits), width_bits)) return;
  }
}

}  // namespace vta::detail
