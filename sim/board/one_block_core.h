// What cores with the registers of this project have in common on a virtual board.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/registers/registers.h"
#include "sim/board/board_core.h"

namespace vta::sim {

/// Launches without an instruction address are tests: drivers provoke an interrupt with them.
class OneBlockCore : public BoardCore {
 public:
  Start startOf(uint32_t offset, uint32_t value) final {
    if (offset == reg::kInsnAddr) insn_addr_ = (insn_addr_ & ~uint64_t{0xffffffff}) | value;
    if (offset == reg::kInsnAddrHi) {
      insn_addr_ = (insn_addr_ & 0xffffffff) | uint64_t{value} << 32;
    }
    const bool starts = offset == reg::kControl && (value & reg::kControlLaunch) != 0;
    if (!starts || isBusy()) return Start::kNone;
    return insn_addr_ != 0 ? Start::kLaunch : Start::kTest;
  }

  bool givesUp(uint32_t offset, uint32_t value) const final {
    return offset == reg::kControl && (value & reg::kControlReset) != 0;
  }

  std::optional<uint32_t> readStuck(uint32_t offset) const final {
    if (offset == reg::kStatus) return reg::kStatusRunning;
    if (offset == reg::kControl) return reg::kControlLaunch;
    return std::nullopt;
  }

 private:
  uint64_t insn_addr_ = 0;  // what the driver has written last
};

}  // namespace vta::sim
