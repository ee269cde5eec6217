// Why a run of the functional model stopped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/registers/registers.h"

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

/// The code under which the hardware reports such a fault: it sees an access outside memory, like
/// whatever else is no fault of the core's own, as an error response.
reg::FaultCode faultCode(FaultKind kind);

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
  std::vector<uint32_t> related = {};  // other instructions that the reason names
};

}  // namespace vta::sim
