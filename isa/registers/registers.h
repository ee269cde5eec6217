// The control registers of the core: one table that drivers, the RTL package and the manual share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace vta {

/// How software may use a register. kWriteOneToClear clears the bits that are written as one.
enum class RegisterAccess : uint8_t { kReadOnly, kReadWrite, kWriteOneToClear };
std::string_view registerAccessName(RegisterAccess access);  // "ro", "rw", "w1c"

/// Some bits of a register. Bits outside all fields read as 0 and ignore writes.
struct RegisterField {
  std::string_view name;  // "launch_refused"
  int lsb = 0;
  int width_bits = 1;
  std::string_view doc;  // for the manual

  constexpr uint32_t max() const { return static_cast<uint32_t>((uint64_t{1} << width_bits) - 1); }
  constexpr uint32_t mask() const { return max() << lsb; }
  /// `value` at the field's place; what does not fit is cut off.
  constexpr uint32_t encode(uint32_t value) const { return (value & max()) << lsb; }
  constexpr uint32_t decode(uint32_t word) const { return word >> lsb & max(); }
};

/// One 32-bit register of the AXI4-Lite slave.
struct RegisterInfo {
  uint32_t offset = 0;    // bytes
  std::string_view name;  // "insn_count"
  RegisterAccess access = RegisterAccess::kReadOnly;
  std::string_view contents;  // in words, where there are no fields or before them
  std::span<const RegisterField> fields{};

  /// What the manual says: contents and fields from bit 0 up.
  std::string description() const;
};

/// All registers in the order of their offsets. 64-bit counters take two: low word, high word.
std::span<const RegisterInfo> controlRegisters();

namespace reg {

// The published single-block map.
inline constexpr uint32_t kControl = 0x00;
inline constexpr uint32_t kCycles = 0x04;
inline constexpr uint32_t kInsnCount = 0x08;
inline constexpr uint32_t kInsnAddr = 0x0c;
inline constexpr uint32_t kUopBase = 0x10;
inline constexpr uint32_t kInpBase = 0x14;
inline constexpr uint32_t kWgtBase = 0x18;
inline constexpr uint32_t kAccBase = 0x1c;
inline constexpr uint32_t kOutBase = 0x20;
inline constexpr uint32_t kUser = 0x24;

// This project's.
inline constexpr uint32_t kId = 0x40;
inline constexpr uint32_t kVersion = 0x44;
inline constexpr uint32_t kFingerprint = 0x48;  // two words
inline constexpr uint32_t kConfig = 0x50;
inline constexpr uint32_t kDepths = 0x54;
inline constexpr uint32_t kExtensions = 0x58;
inline constexpr uint32_t kStatus = 0x60;
inline constexpr uint32_t kFault = 0x64;
inline constexpr uint32_t kFaultInsn = 0x68;
inline constexpr uint32_t kIrqEnable = 0x70;
inline constexpr uint32_t kIrqStatus = 0x74;
inline constexpr uint32_t kInsnAddrHi = 0x80;
inline constexpr uint32_t kUopBaseHi = 0x84;
inline constexpr uint32_t kInpBaseHi = 0x88;
inline constexpr uint32_t kWgtBaseHi = 0x8c;
inline constexpr uint32_t kAccBaseHi = 0x90;
inline constexpr uint32_t kOutBaseHi = 0x94;
inline constexpr uint32_t kLastUopInp = 0x98;
inline constexpr uint32_t kLastWgtAcc = 0x9c;

// 64-bit performance counters of the last or running launch, low word first.
inline constexpr uint32_t kCounterCycles = 0x100;
inline constexpr uint32_t kCounterGemmUops = 0x108;
inline constexpr uint32_t kCounterAluUops = 0x110;
// Units in the order fetch, load, compute, store; counters of a unit in the order of the enum.
inline constexpr uint32_t kUnitCounters = 0x140;
inline constexpr uint32_t kUnitCounterStride = 0x40;
enum class UnitCounter : uint8_t {
  kInstructions,
  kBusyCycles,
  kStallTokenCycles,
  kStallMemoryCycles,
  kStallHazardCycles,
  kReadBytes,
  kWriteBytes,
};
constexpr uint32_t unitCounterOffset(int unit, UnitCounter counter) {
  return kUnitCounters + kUnitCounterStride * static_cast<uint32_t>(unit) +
         8 * static_cast<uint32_t>(counter);
}

inline constexpr uint32_t kIdValue = 0x31415456;  // "VTA1"
inline constexpr uint32_t kVersionValue = 1;      // of this register map

// Fields.
inline constexpr RegisterField kControlFields[] = {
    {"launch", 0, 1, "launch (reads as running)"},
    {"done", 1, 1, "done"},
    {"reset", 2, 1, "reset (reads as 0)"},
};
inline constexpr RegisterField kConfigFields[] = {
    {"log_batch", 0, 4, "log2 batch"},
    {"log_block_in", 4, 4, "log2 block_in"},
    {"log_block_out", 8, 4, "log2 block_out"},
    {"wide_encoding", 12, 1, "wide encoding"},
    {"qmul", 13, 1, "qmul"},
    {"clip", 14, 1, "clip"},
    {"pad_min", 15, 1, "pad_min"},
    {"concurrent_compute", 16, 1, "concurrent compute"},
    {"counters", 17, 1, "counters present"},
    {"int8_packing", 18, 1, "packed multipliers"},
    {"log_bus_bytes", 20, 4, "log2 bus bytes"},
    {"addr_bits", 24, 8, "address bits"},
};
inline constexpr RegisterField kDepthsFields[] = {
    {"uop", 0, 8, "uop"},
    {"inp", 8, 8, "inp"},
    {"wgt", 16, 8, "wgt"},
    {"acc", 24, 8, "acc"},
};
// Zero in hardware from before these registers, whose depths are powers of two.
inline constexpr RegisterField kLastUopInpFields[] = {
    {"uop", 0, 16, "uop"},
    {"inp", 16, 16, "inp"},
};
inline constexpr RegisterField kLastWgtAccFields[] = {
    {"wgt", 0, 16, "wgt"},
    {"acc", 16, 16, "acc"},
};
inline constexpr RegisterField kStatusFields[] = {
    {"running", 0, 1, "running"},   {"done", 1, 1, "done"},
    {"fault", 2, 1, "fault"},       {"launch_refused", 3, 1, "launch refused"},
    {"draining", 4, 1, "draining"},
};
inline constexpr RegisterField kFaultFields[] = {{"code", 0, 8, "fault code, 0 without fault"}};
// Of irq_enable and of irq_status.
inline constexpr RegisterField kIrqFields[] = {{"done", 0, 1, "done"}, {"fault", 1, 1, "fault"}};

/// The field of that name; a name that is not there does not compile.
consteval RegisterField fieldIn(std::span<const RegisterField> fields, std::string_view name) {
  for (const RegisterField& field : fields) {
    if (field.name == name) return field;
  }
  throw "no such field";
}

// Single bits.
inline constexpr uint32_t kControlLaunch = fieldIn(kControlFields, "launch").mask();
inline constexpr uint32_t kControlDone = fieldIn(kControlFields, "done").mask();
inline constexpr uint32_t kControlReset = fieldIn(kControlFields, "reset").mask();
inline constexpr uint32_t kStatusRunning = fieldIn(kStatusFields, "running").mask();
inline constexpr uint32_t kStatusDone = fieldIn(kStatusFields, "done").mask();
inline constexpr uint32_t kStatusFault = fieldIn(kStatusFields, "fault").mask();
inline constexpr uint32_t kStatusLaunchRefused = fieldIn(kStatusFields, "launch_refused").mask();
inline constexpr uint32_t kStatusDraining = fieldIn(kStatusFields, "draining").mask();
inline constexpr uint32_t kIrqDone = fieldIn(kIrqFields, "done").mask();
inline constexpr uint32_t kIrqFault = fieldIn(kIrqFields, "fault").mask();

/// Codes of the fault register.
enum class FaultCode : uint8_t {
  kNone = 0,
  kIllegalInstruction = 1,
  kSramBounds = 2,
  kBadLaunch = 3,  // zero or unaligned instruction address, unaligned base address
  kTokenOverflow = 4,
  kTokensLeftOver = 5,
  kDeadlock = 6,
  kBusError = 7,
};

}  // namespace reg
}  // namespace vta
