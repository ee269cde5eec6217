#include "sim/systemc/shadow_memory.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace vta::sim {
namespace {

// A platform's memory of 64 KiB plus 96 bytes from address 0; byte n is n modulo 256.
constexpr uint64_t kEnd = 65536 + 96;

uint64_t peek(uint64_t address, std::span<std::byte> data) {
  if (address >= kEnd) return 0;
  const uint64_t count = std::min<uint64_t>(data.size(), kEnd - address);
  for (uint64_t i = 0; i < count; ++i) data[i] = static_cast<std::byte>(address + i);
  return count;
}

MemInsn inputRows(uint32_t base, uint32_t rows, uint32_t elems, uint32_t stride) {
  MemInsn mem;
  mem.memory_type = MemoryType::kInp;
  mem.dram_base = base;
  mem.y_size = rows;
  mem.x_size = elems;
  mem.x_stride = stride;
  return mem;
}

class ShadowMemoryTest : public testing::Test {
 protected:
  ShadowMemory shadowOf(const MemInsn& mem) const {
    Stream stream;
    stream.instructions = {Instruction::load(mem), Instruction::finish()};
    return ShadowMemory(stream, {}, hw_, peek);
  }

  HwConfig hw_ = HwConfig::makeDefault();
  uint64_t elem_bytes_ = hw_.elemBytes(MemoryType::kInp);
};

TEST_F(ShadowMemoryTest, HoldsRowsAndNothingElse) {
  const ShadowMemory shadow = shadowOf(inputRows(4, 2, 2, 10));
  const uint64_t row = 4 * elem_bytes_;
  const auto range = shadow.findRange(row);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->begin, row);
  EXPECT_EQ(range->end, row + 2 * elem_bytes_);
  EXPECT_EQ(*range->at(row + 3), static_cast<std::byte>(row + 3));
  EXPECT_FALSE(shadow.findRange(row - 1));
  EXPECT_FALSE(shadow.findRange(row + 2 * elem_bytes_));
  EXPECT_TRUE(shadow.findRange(14 * elem_bytes_));
}

TEST_F(ShadowMemoryTest, AdjacentRowsAreOneRange) {
  const ShadowMemory shadow = shadowOf(inputRows(0, 3, 2, 2));
  ASSERT_TRUE(shadow.findRange(0));
  EXPECT_EQ(shadow.findRange(0)->end, 6 * elem_bytes_);
}

TEST_F(ShadowMemoryTest, EndsWhereThePlatformsMemoryEnds) {
  const ShadowMemory shadow = shadowOf(inputRows(0, 1, 60000, 60000));
  ASSERT_TRUE(shadow.findRange(0));
  EXPECT_EQ(shadow.findRange(0)->end, kEnd);
  EXPECT_EQ(*shadow.findRange(0)->at(kEnd - 1), static_cast<std::byte>(kEnd - 1));
  EXPECT_FALSE(shadowOf(inputRows(60000, 1, 4, 4)).findRange(60000 * elem_bytes_));
}

}  // namespace
}  // namespace vta::sim
