#include "sim/common/fault.h"

#include <gtest/gtest.h>

namespace vta::sim {
namespace {

TEST(Fault, EachKindHasTheCodeOfTheHardware) {
  EXPECT_EQ(faultCode(FaultKind::kIllegalInstruction), reg::FaultCode::kIllegalInstruction);
  EXPECT_EQ(faultCode(FaultKind::kSramBounds), reg::FaultCode::kSramBounds);
  EXPECT_EQ(faultCode(FaultKind::kDramBounds), reg::FaultCode::kBusError);
  EXPECT_EQ(faultCode(FaultKind::kTokenOverflow), reg::FaultCode::kTokenOverflow);
  EXPECT_EQ(faultCode(FaultKind::kTokensLeftOver), reg::FaultCode::kTokensLeftOver);
  EXPECT_EQ(faultCode(FaultKind::kDeadlock), reg::FaultCode::kDeadlock);
}

}  // namespace
}  // namespace vta::sim
