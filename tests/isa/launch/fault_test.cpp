#include "isa/launch/fault.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace vta {
namespace {

TEST(Fault, EachKindHasTheCodeOfTheHardware) {
  EXPECT_EQ(faultCode(FaultKind::kIllegalInstruction), reg::FaultCode::kIllegalInstruction);
  EXPECT_EQ(faultCode(FaultKind::kSramBounds), reg::FaultCode::kSramBounds);
  EXPECT_EQ(faultCode(FaultKind::kDramBounds), reg::FaultCode::kBusError);
  EXPECT_EQ(faultCode(FaultKind::kTokenOverflow), reg::FaultCode::kTokenOverflow);
  EXPECT_EQ(faultCode(FaultKind::kTokensLeftOver), reg::FaultCode::kTokensLeftOver);
  EXPECT_EQ(faultCode(FaultKind::kDeadlock), reg::FaultCode::kDeadlock);
}

TEST(Fault, CodesOfTheHardwareAreReadBack) {
  for (const FaultKind kind :
       {FaultKind::kIllegalInstruction, FaultKind::kSramBounds, FaultKind::kTokenOverflow,
        FaultKind::kTokensLeftOver, FaultKind::kDeadlock, FaultKind::kBusError}) {
    EXPECT_EQ(faultKind(faultCode(kind)), kind) << faultKindName(kind);
  }
  EXPECT_EQ(faultKind(reg::FaultCode::kBadLaunch), FaultKind::kDramBounds);
}

TEST(Fault, NamesAreDistinct) {
  std::set<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(FaultKind::kRace); ++kind) {
    names.insert(faultKindName(static_cast<FaultKind>(kind)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(FaultKind::kRace) + 1);
  EXPECT_EQ(faultKindName(static_cast<FaultKind>(99)), "unknown fault");
}

}  // namespace
}  // namespace vta
