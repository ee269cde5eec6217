// The control registers of the core: one table that drivers, the RTL package and the manual share.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace vta {

/// How software may use a register. kWriteOneToClear clears the bits that are written as one.
enum class RegisterAccess : uint8_t { kReadOnly, kReadWrite, kWriteOneToClear };
std::string_view registerAccessName(RegisterAccess access);  // "ro", "rw", "w1c"

/// One 32-bit register of the AXI4-Lite slave.
struct RegisterInfo {
  uint32_t offset = 0;    // bytes
  std::string_view name;  // "insn_count"
  RegisterAccess access = RegisterAccess::kReadOnly;
  std::string_view contents;  // fields from bit 0 up, for the manual
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

// Values and bits.
inline constexpr uint32_t kIdValue = 0x31415456;  // "VTA1"
inline constexpr uint32_t kVersionValue = 1;      // of this register map
inline constexpr uint32_t kControlLaunch = 1u << 0;
inline constexpr uint32_t kControlDone = 1u << 1;
inline constexpr uint32_t kStatusRunning = 1u << 0;
inline constexpr uint32_t kStatusDone = 1u << 1;
inline constexpr uint32_t kStatusFault = 1u << 2;
inline constexpr uint32_t kStatusLaunchRefused = 1u << 3;
inline constexpr uint32_t kIrqDone = 1u << 0;
inline constexpr uint32_t kIrqFault = 1u << 1;

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
