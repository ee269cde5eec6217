// The table of the memories that LOAD and STORE address: names, elements and scratchpads.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/spec/hw_params.h"

namespace vta {

/// A memory that LOAD and STORE address; the values are the `memory_type` field.
enum class MemoryType : uint8_t {
  kUop = 0,
  kWgt = 1,
  kInp = 2,
  kAcc = 3,
  kOut = 4,
  kAcc8 = 5,
  kWgtTransposed = 6,  // extension `transpose`
  kInpFromOut = 7      // extension `handover`
};
inline constexpr int kMemoryTypeCount = 8;
std::string_view memoryTypeName(MemoryType type);  // "UOP", "WGT", ... , "INP_FROM_OUT"

/// The base registers: addresses in DRAM count from one of them.
enum class BaseRegister : uint8_t { kUop, kInp, kWgt, kAcc, kOut };
inline constexpr int kBaseRegisterCount = 5;

/// What is the same for a memory in every configuration. One element is `rows` times `columns`
/// values of `width_bits` bits, in DRAM of `dram_width_bits` if these are not the same; a micro-op
/// has none of these, its size follows from the encoding.
struct MemoryInfo {
  MemoryType type = MemoryType::kUop;
  std::string_view name{};     // "ACC_8BIT"
  std::string_view sv_name{};  // "Acc8", the prefix of its constants in SystemVerilog
  int HwParams::*rows = nullptr;
  int HwParams::*columns = nullptr;
  int HwParams::*width_bits = nullptr;
  int dram_width_bits = 0;          // of a value in DRAM; 0: `width_bits`
  BaseRegister base{};              // that addresses count from; no address if `on_chip`
  MemoryType scratchpad{};          // the memory whose scratchpad holds the elements
  uint64_t HwParams::*buf_bytes{};  // the size of that scratchpad
  bool HwParams::*extension{};      // what hardware needs to have it; null: all has it
  bool on_chip = false;             // a LOAD takes its elements from OUT, not from DRAM
  std::string_view element{};       // of the manual: one element
  std::string_view layout{};        // of the manual: the order of values in an element

  /// Bytes of one element in DRAM, where a micro-op takes `uop_bytes`.
  uint64_t elemBytes(const HwParams& params, int uop_bytes) const;
  /// Bits of one element in the scratchpad.
  uint64_t sramElemBits(const HwParams& params, int uop_bytes) const;
  /// The least of the values that are loaded, which padding may be; 0 for micro-ops.
  int32_t leastValue(const HwParams& params) const;
};

/// All memories in the order of their codes.
std::span<const MemoryInfo> memories();
inline const MemoryInfo& memoryInfo(MemoryType type) {
  return memories()[static_cast<size_t>(type)];
}

/// Whether hardware has the memory type.
inline bool hasMemory(const HwParams& params, const MemoryInfo& memory) {
  return memory.extension == nullptr || params.*memory.extension;
}

/// Whether a transfer of `type` leaves DRAM alone: a LOAD then takes elements of OUT.
inline bool isOnChip(MemoryType type) { return memoryInfo(type).on_chip; }

/// The memory whose scratchpad holds the elements of `type`: ACC's for OUT and ACC_8BIT.
inline MemoryType scratchpadOf(MemoryType type) { return memoryInfo(type).scratchpad; }

}  // namespace vta
