#include "sim/common/fault.h"

namespace vta::sim {

reg::FaultCode faultCode(FaultKind kind) {
  switch (kind) {
    case FaultKind::kIllegalInstruction:
      return reg::FaultCode::kIllegalInstruction;
    case FaultKind::kSramBounds:
      return reg::FaultCode::kSramBounds;
    case FaultKind::kTokenOverflow:
      return reg::FaultCode::kTokenOverflow;
    case FaultKind::kTokensLeftOver:
      return reg::FaultCode::kTokensLeftOver;
    case FaultKind::kDeadlock:
      return reg::FaultCode::kDeadlock;
    default:
      return reg::FaultCode::kBusError;
  }
}

}  // namespace vta::sim
