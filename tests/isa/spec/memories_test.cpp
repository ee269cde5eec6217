#include "isa/spec/memories.h"

#include <gtest/gtest.h>

namespace vta {
namespace {

int32_t least(MemoryType type, const HwParams& params) {
  return memoryInfo(type).leastValue(params);
}

TEST(Memories, PaddingIsTheLeastValueThatIsLoaded) {
  HwParams params;
  EXPECT_EQ(least(MemoryType::kUop, params), 0);
  EXPECT_EQ(least(MemoryType::kInp, params), -128);
  EXPECT_EQ(least(MemoryType::kInpFromOut, params), -128);
  EXPECT_EQ(least(MemoryType::kWgt, params), -128);
  EXPECT_EQ(least(MemoryType::kAcc, params), INT32_MIN);
  EXPECT_EQ(least(MemoryType::kAcc8, params), -128);
  params.acc_width_bits = 24;
  params.wgt_width_bits = 2;
  EXPECT_EQ(least(MemoryType::kWgt, params), -2);
  EXPECT_EQ(least(MemoryType::kWgtTransposed, params), -2);
  EXPECT_EQ(least(MemoryType::kAcc, params), -(1 << 23));
  EXPECT_EQ(least(MemoryType::kAcc8, params), -128);
}

// A memory that shares its scratchpad shares its base register too. OUT is the copy of ACC that
// STORE reads: it has its own.
TEST(Memories, AddressesCountFromTheRegisterOfTheScratchpad) {
  for (const MemoryInfo& memory : memories()) {
    if (memory.type == MemoryType::kOut) continue;
    EXPECT_EQ(memory.base, memoryInfo(memory.scratchpad).base) << memory.name;
  }
  EXPECT_EQ(memoryInfo(MemoryType::kUop).base, BaseRegister::kUop);
  EXPECT_EQ(memoryInfo(MemoryType::kInp).base, BaseRegister::kInp);
  EXPECT_EQ(memoryInfo(MemoryType::kWgt).base, BaseRegister::kWgt);
  EXPECT_EQ(memoryInfo(MemoryType::kAcc).base, BaseRegister::kAcc);
  EXPECT_EQ(memoryInfo(MemoryType::kOut).base, BaseRegister::kOut);
}

}  // namespace
}  // namespace vta
