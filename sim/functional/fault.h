// Why a run of the functional model stopped.
#pragma once

#include <cstdint>
#include <string>

namespace vta::sim {

enum class FaultKind : uint8_t {
  kIllegalInstruction,
  kSramBounds,
  kDramBounds,
  kTokenOverflow,
  kTokensLeftOver,
  kDeadlock,           // includes a token that no instruction is left to push
  kUninitialisedRead,  // checked mode
  kRace,               // checked mode
};

/// What one instruction did wrong.
struct Violation {
  FaultKind kind = FaultKind::kIllegalInstruction;
  std::string reason;
};

/// A violation with its place: the instruction's number in the stream and its disassembly.
struct Fault {
  FaultKind kind = FaultKind::kIllegalInstruction;
  uint32_t instruction = 0;
  std::string disassembly;
  std::string reason;
};

}  // namespace vta::sim
