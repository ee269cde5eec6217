#include "isa/launch/fault.h"

#include <cstddef>
#include <iterator>

namespace vta {
namespace {

struct FaultRow {
  FaultKind kind;
  std::string_view name;
  reg::FaultCode code;
};

// One row for each kind, in their order.
constexpr FaultRow kFaults[] = {
    {FaultKind::kIllegalInstruction, "illegal instruction", reg::FaultCode::kIllegalInstruction},
    {FaultKind::kSramBounds, "SRAM access out of bounds", reg::FaultCode::kSramBounds},
    {FaultKind::kDramBounds, "DRAM access out of bounds", reg::FaultCode::kBusError},
    {FaultKind::kTokenUnderflow, "token queue underflow", reg::FaultCode::kDeadlock},
    {FaultKind::kTokenOverflow, "token queue overflow", reg::FaultCode::kTokenOverflow},
    {FaultKind::kTokensLeftOver, "tokens left over", reg::FaultCode::kTokensLeftOver},
    {FaultKind::kDeadlock, "deadlock", reg::FaultCode::kDeadlock},
    {FaultKind::kBusError, "bus error", reg::FaultCode::kBusError},
    {FaultKind::kUninitialisedRead, "uninitialised read", reg::FaultCode::kBusError},
    {FaultKind::kRace, "race", reg::FaultCode::kBusError},
};

constexpr bool isInOrder() {
  for (size_t i = 0; i < std::size(kFaults); ++i) {
    if (static_cast<size_t>(kFaults[i].kind) != i) return false;
  }
  return true;
}
static_assert(isInOrder());

const FaultRow* findFault(FaultKind kind) {
  const auto i = static_cast<size_t>(kind);
  return i < std::size(kFaults) ? &kFaults[i] : nullptr;
}

}  // namespace

std::string_view faultKindName(FaultKind kind) {
  const FaultRow* row = findFault(kind);
  return row == nullptr ? "unknown fault" : row->name;
}

reg::FaultCode faultCode(FaultKind kind) {
  const FaultRow* row = findFault(kind);
  return row == nullptr ? reg::FaultCode::kBusError : row->code;
}

std::string_view faultCodeName(reg::FaultCode code) {
  constexpr std::string_view kNames[] = {
      "none",           "illegal instruction", "SRAM bounds", "bad launch",
      "token overflow", "tokens left over",    "deadlock",    "bus error"};
  const auto i = static_cast<size_t>(code);
  return i < std::size(kNames) ? kNames[i] : "unknown";
}

FaultKind faultKind(reg::FaultCode code) {
  switch (code) {
    case reg::FaultCode::kSramBounds:
      return FaultKind::kSramBounds;
    case reg::FaultCode::kTokenOverflow:
      return FaultKind::kTokenOverflow;
    case reg::FaultCode::kTokensLeftOver:
      return FaultKind::kTokensLeftOver;
    case reg::FaultCode::kDeadlock:
      return FaultKind::kDeadlock;
    case reg::FaultCode::kBusError:
      return FaultKind::kBusError;
    case reg::FaultCode::kBadLaunch:
      return FaultKind::kDramBounds;
    case reg::FaultCode::kNone:
    case reg::FaultCode::kIllegalInstruction:
      break;
  }
  return FaultKind::kIllegalInstruction;
}

}  // namespace vta
