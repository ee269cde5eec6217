// What goes wrong on a virtual board, and when.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::sim {

/// What the board does that a good one does not.
enum class BoardFaultKind : uint8_t {
  kLostInterrupt,  // the end of the launch is not announced
  kStuck,          // the launch never ends
  kDeadBus,        // the memory never answers the launch, nor a reset core
  kBusError,       // the memory answers with an error
  kStaleDevice,    // lines that are flushed for the launch are not written back
  kStaleCpu,       // lines that are invalidated behind the launch keep what they held
  kTruncated,      // the last part of what the launch stores does not arrive
  kWrongAddress,   // a part of what the launch stores goes to another place
  kArithmetic,     // one bit of a result is wrong
  kReset,          // the core is reset in the middle
  kGone,           // the board's process ends in the middle
};
std::string_view boardFaultName(BoardFaultKind kind);  ///< "lost-interrupt", ...
/// All kinds, in the order of the enumeration.
std::span<const BoardFaultKind> boardFaultKinds();

/// A fault that happens in the launches [first, last], which are counted from 1. Launches without
/// an instruction address, which drivers test interrupts with, do not count.
struct BoardFault {
  BoardFaultKind kind = BoardFaultKind::kLostInterrupt;  ///< what goes wrong
  uint64_t first_launch = 1;                             ///< from 1
  uint64_t last_launch = 1;                              ///< itself with the fault

  /// Whether launch number `launch` has the fault.
  bool isIn(uint64_t launch) const { return launch >= first_launch && launch <= last_launch; }
};

/// Reads "KIND@LAUNCH", "KIND@FIRST-LAST" or "KIND@*". Errors: kInvalidArgument, with what is
/// legal.
Result<BoardFault> parseBoardFault(std::string_view text);

}  // namespace vta::sim
