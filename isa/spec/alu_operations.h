// The operations of the tensor ALU: the one list of what is to be known about each.
//
// Encoder, decoder, legality, assembler, disassembler, the check for published hardware, random
// programs, energy and the RTL's package read this table. What an operation computes is written
// where it is computed: sim/functional/kernels, hw/vta_rtl's ALU lane, and the reference of
// compiler/kernel that tests compare them with.
//
// All operations read ACC[dst] and take the same time (isa/spec/timing.h): the ALU is one pipeline.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

#include "isa/spec/hw_params.h"

namespace vta {

/// The values are what the fields `alu_opcode`, for the low bits, and `alu_page` hold together.
enum class AluOpcode : uint8_t {
  kMin = 0,
  kMax = 1,
  kAdd = 2,
  kShr = 3,
  kMul = 4,
  kQmul = 5,
  kClip = 6,
  kPrelu = 8,
  kRequant = 9,
  kTable = 10,
  kLut = 11,
};

/// Bits of the `alu_opcode` field: operations on one page.
inline constexpr int kAluOpcodeBits = 3;
/// Pages that the base encoding can name. An operation on a later one needs the wide encoding.
inline constexpr int kBaseAluPages = 2;

/// What the second operand of an operation may be; `use_imm` says which one an instruction has.
/// A pair is the two elements of ACC whose indices differ from src in the lowest bit at most; an
/// instruction with it has `use_imm` 0.
enum class AluOperand : uint8_t { kTensorOrImmediate, kTensor, kImmediate, kPair };

/// What the 16 bits of the `imm` field hold.
enum class AluImmediate : uint8_t {
  kNumber,     // the immediate operand, signed; nothing in a tensor operation
  kShift,      // a number of bits to shift by, 0 to kMaxAluShift
  kByteRange,  // two signed bytes: the lower bound in 7:0, the upper in 15:8, not below it
  kZero,       // nothing: it is 0
};

/// When the result never falls as x rises, as long as nothing wraps: what a maximum over windows
/// may change places with.
enum class AluMonotone : uint8_t { kAlways, kForMultipliersFromZero, kNever };

/// The largest amount of an AluImmediate::kShift: QMUL rounds inside 64 bits.
inline constexpr int kMaxAluShift = 62;

/// REQUANT's shift is in the highest bits of a lane of its multiplier, from this bit on, above the
/// widest multiplier.
constexpr int requantShiftLsb(const HwParams& params) {
  constexpr int kShiftBits = 6;
  return params.acc_width_bits - kShiftBits;
}

struct AluOperation {
  AluOpcode opcode{};
  std::string_view name{};  // in upper case; the assembler's is in lower case
  // What a configuration has to say for its hardware to have it; null: base instruction set.
  bool HwParams::*extension = nullptr;
  bool is_published = false;  // it exists on published 0.0.2 hardware
  AluOperand operand = AluOperand::kTensorOrImmediate;
  AluImmediate immediate = AluImmediate::kNumber;
  AluMonotone monotone = AluMonotone::kAlways;
  // What a lane does, for the energy estimate: a comparison, a shift or an access to the lane's
  // table costs an addition.
  int adds = 0;
  int multiplies = 0;
  std::string_view meaning{};  // of x = ACC[dst] and y, the second operand
};

inline constexpr AluOperation kAluOperations[] = {
    {.opcode = AluOpcode::kMin,
     .name = "MIN",
     .is_published = true,
     .adds = 1,
     .meaning = "the smaller of x and y"},
    {.opcode = AluOpcode::kMax,
     .name = "MAX",
     .is_published = true,
     .adds = 1,
     .meaning = "the larger of x and y"},
    {.opcode = AluOpcode::kAdd, .name = "ADD", .is_published = true, .adds = 1, .meaning = "x + y"},
    {.opcode = AluOpcode::kShr,
     .name = "SHR",
     .is_published = true,
     .adds = 1,
     .meaning = "x shifted right by y, left where y is negative"},
    {.opcode = AluOpcode::kMul,
     .name = "MUL",
     .monotone = AluMonotone::kForMultipliersFromZero,
     .multiplies = 1,
     .meaning = "x * y"},
    {.opcode = AluOpcode::kQmul,
     .name = "QMUL",
     .extension = &HwParams::ext_qmul,
     .operand = AluOperand::kTensor,
     .immediate = AluImmediate::kShift,
     .monotone = AluMonotone::kForMultipliersFromZero,
     .multiplies = 1,
     .meaning = "x * y / 2^imm, rounded and saturated"},
    {.opcode = AluOpcode::kClip,
     .name = "CLIP",
     .extension = &HwParams::ext_clip,
     .operand = AluOperand::kImmediate,
     .immediate = AluImmediate::kByteRange,
     .adds = 2,
     .meaning = "x, but not below the lower and not above the upper bound"},
    {.opcode = AluOpcode::kPrelu,
     .name = "PRELU",
     .extension = &HwParams::ext_prelu,
     .operand = AluOperand::kTensor,
     .immediate = AluImmediate::kShift,
     .monotone = AluMonotone::kForMultipliersFromZero,
     .adds = 1,
     .multiplies = 1,
     .meaning = "x where it is not negative, elsewhere what QMUL gives"},
    {.opcode = AluOpcode::kRequant,
     .name = "REQUANT",
     .extension = &HwParams::ext_requant,
     .operand = AluOperand::kPair,
     .immediate = AluImmediate::kByteRange,
     .monotone = AluMonotone::kForMultipliersFromZero,
     .adds = 3,
     .multiplies = 1,
     .meaning = "ADD of the bias, QMUL, CLIP"},
    {.opcode = AluOpcode::kTable,
     .name = "TABLE",
     .extension = &HwParams::ext_lut,
     .operand = AluOperand::kImmediate,
     .monotone = AluMonotone::kNever,
     .adds = 1,
     .meaning = "x, which becomes word (dst + imm) mod 64 of the table"},
    {.opcode = AluOpcode::kLut,
     .name = "LUT",
     .extension = &HwParams::ext_lut,
     .operand = AluOperand::kImmediate,
     .immediate = AluImmediate::kZero,
     .monotone = AluMonotone::kNever,
     .adds = 1,
     .meaning = "the result that the table has for the low byte of x"},
};

/// The operation with this code, or null.
constexpr const AluOperation* findAluOperation(AluOpcode opcode) {
  for (const AluOperation& operation : kAluOperations) {
    if (operation.opcode == opcode) return &operation;
  }
  return nullptr;
}

/// The largest code of all operations.
constexpr int maxAluCode() {
  return static_cast<int>(kAluOperations[std::size(kAluOperations) - 1].opcode);
}

/// Whether hardware with these parameters has the operation.
constexpr bool hasAluOperation(const HwParams& params, const AluOperation& operation) {
  return operation.extension == nullptr || params.*operation.extension;
}

/// Whether the operation reads the pair of elements that src names.
constexpr bool readsPair(AluOpcode opcode) {
  const AluOperation* const operation = findAluOperation(opcode);
  return operation != nullptr && operation->operand == AluOperand::kPair;
}

/// Whether the operation writes the table of the extension `lut`; whether it reads that.
constexpr bool writesTable(AluOpcode opcode) { return opcode == AluOpcode::kTable; }
constexpr bool readsTable(AluOpcode opcode) { return opcode == AluOpcode::kLut; }

/// REQUANT's shift, 0 to 63, from lane 0 of its multiplier.
constexpr int requantShiftOf(int32_t lane, const HwParams& params) {
  return static_cast<int>(static_cast<uint32_t>(lane) >> requantShiftLsb(params) & 63);
}

/// "MIN", ...; "illegal" for a code that no operation has.
constexpr std::string_view aluOpcodeName(AluOpcode opcode) {
  const AluOperation* const operation = findAluOperation(opcode);
  return operation == nullptr ? "illegal" : operation->name;
}

/// The bounds in an AluImmediate::kByteRange.
struct ByteRange {
  int low = 0;
  int high = 0;
};

constexpr ByteRange byteRangeOf(int32_t imm) {
  return {static_cast<int8_t>(imm & 0xff), static_cast<int8_t>((imm >> 8) & 0xff)};
}

/// The immediate with these bounds, which are -128 to 127.
constexpr int32_t byteRangeImmediate(ByteRange range) {
  return static_cast<int16_t>((range.low & 0xff) | (range.high & 0xff) << 8);
}

namespace detail {
constexpr bool aluOpcodesRise() {
  for (size_t i = 1; i < std::size(kAluOperations); ++i) {
    if (kAluOperations[i].opcode <= kAluOperations[i - 1].opcode) return false;
  }
  return true;
}
static_assert(aluOpcodesRise(), "one row for each code, in the order of the codes");
static_assert(maxAluCode() < kBaseAluPages << kAluOpcodeBits,
              "a configuration with this operation needs the wide encoding: HwConfig::create has "
              "to choose it");
}  // namespace detail

}  // namespace vta
