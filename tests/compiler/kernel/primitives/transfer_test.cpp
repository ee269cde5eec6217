#include "compiler/kernel/primitives/transfer.h"

#include <gtest/gtest.h>

namespace vta::kernel {
namespace {

std::vector<MemInsn> split(const Transfer& transfer) {
  std::vector<MemInsn> out;
  splitTransfer(transfer, out);
  return out;
}

Transfer box(int64_t blocks, int64_t plane, int64_t rows, int64_t pitch, int64_t cols) {
  Transfer t;
  t.dram_base = 1000;
  t.sram_base = 5;
  t.push(blocks, plane);
  t.push(rows, pitch);
  t.push(cols, 1);
  return t;
}

TEST(SplitTransfer, OneInstructionForEachBlockOfRows) {
  const std::vector<MemInsn> insns = split(box(2, 100, 3, 10, 4));
  ASSERT_EQ(insns.size(), 2u);
  EXPECT_EQ(insns[0].y_size, 3u);
  EXPECT_EQ(insns[0].x_size, 4u);
  EXPECT_EQ(insns[0].x_stride, 10u);
  EXPECT_EQ(insns[1].dram_base, 1100u);
  EXPECT_EQ(insns[1].sram_base, 5u + 12);
}

TEST(SplitTransfer, MergesWholeRowsAndWholePlanes) {
  const std::vector<MemInsn> rows = split(box(2, 100, 3, 10, 10));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].y_size, 2u);
  EXPECT_EQ(rows[0].x_size, 30u);
  EXPECT_EQ(rows[0].x_stride, 100u);
  const std::vector<MemInsn> planes = split(box(2, 100, 10, 10, 10));
  ASSERT_EQ(planes.size(), 1u);
  EXPECT_EQ(planes[0].y_size, 1u);
  EXPECT_EQ(planes[0].x_size, 200u);
}

TEST(SplitTransfer, PaddedRowsStayRows) {
  Transfer t = box(1, 100, 3, 10, 10);
  t.pad_top = 1;
  t.pad_right = 2;
  t.pad_kind = PadKind::kMin;
  const std::vector<MemInsn> insns = split(t);
  ASSERT_EQ(insns.size(), 1u);
  EXPECT_EQ(insns[0].y_size, 3u);
  EXPECT_EQ(insns[0].y_pad_0, 1u);
  EXPECT_EQ(insns[0].x_pad_1, 2u);
  EXPECT_EQ(insns[0].pad_kind, PadKind::kMin);
  EXPECT_EQ(sramElems(insns[0]), 4u * 12);
}

TEST(SplitTransfer, RowsTooFarApartForTheStrideFieldGoOneByOne) {
  Transfer t = box(1, 1, 3, 70000, 4);
  t.pad_top = t.pad_bottom = 1;
  const std::vector<MemInsn> insns = split(t);
  ASSERT_EQ(insns.size(), 3u);
  EXPECT_EQ(insns[0].y_pad_0, 1u);
  EXPECT_EQ(insns[0].y_pad_1, 0u);
  EXPECT_EQ(insns[1].y_pad_0, 0u);
  EXPECT_EQ(insns[1].dram_base, 71000u);
  EXPECT_EQ(insns[1].sram_base, 5u + 8);
  EXPECT_EQ(insns[2].y_pad_1, 1u);
}

TEST(SplitTransfer, LongRowsAreCutAtTheSizeField) {
  const std::vector<MemInsn> insns = split(box(1, 1, 1, 1, 65536));
  ASSERT_EQ(insns.size(), 2u);
  EXPECT_EQ(insns[0].x_size, 65535u);
  EXPECT_EQ(insns[1].x_size, 1u);
  EXPECT_EQ(insns[1].dram_base, 1000u + 65535);
  EXPECT_EQ(insns[1].sram_base, 5u + 65535);
}

}  // namespace
}  // namespace vta::kernel
