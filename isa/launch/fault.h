// Why a launch stopped, as simulators and devices tell it, and the codes that hardware has for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/registers/registers.h"

namespace vta {

enum class FaultKind : uint8_t {
  kIllegalInstruction,
  kSramBounds,
  kDramBounds,
  kTokenUnderflow,  // a pop from an empty queue, where pops do not wait (else it is a deadlock)
  kTokenOverflow,
  kTokensLeftOver,
  kDeadlock,  // includes a token that no instruction is left to push
  kBusError,
  kUninitialisedRead,  // checked mode
  kRace,               // checked mode
};

std::string_view faultKindName(FaultKind kind);

/// The code under which the hardware reports such a fault: it sees an access outside memory, like
/// whatever else is no fault of the core's own, as an error response.
reg::FaultCode faultCode(FaultKind kind);

/// What the hardware means by `code`, which is not kNone.
FaultKind faultKind(reg::FaultCode code);

/// "SRAM bounds", as the hardware's own report; "none".
std::string_view faultCodeName(reg::FaultCode code);

/// Why a launch stopped. `instruction` is its number in the launched stream.
struct Fault {
  FaultKind kind = FaultKind::kIllegalInstruction;
  uint32_t instruction = 0;
  std::string disassembly;
  std::string reason;
  std::vector<uint32_t> related = {};  // other instructions that the reason names
};

}  // namespace vta
