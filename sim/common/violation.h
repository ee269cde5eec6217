// What one instruction did wrong, before it is known which one it was.
#pragma once

#include <string>

#include "isa/launch/fault.h"

namespace vta::sim {

struct Violation {
  FaultKind kind = FaultKind::kIllegalInstruction;
  std::string reason;
};

}  // namespace vta::sim
