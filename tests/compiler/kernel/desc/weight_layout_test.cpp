#include "compiler/kernel/desc/weight_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/compiler/kernel/sample_kernels.h"

namespace vta::kernel::testing {
namespace {

using ::testing::HasSubstr;

// Two heads of 32 channels times 48 tokens, for 5 rows; blocks of 16.
KernelDesc product(WeightLayout layout) {
  KernelDesc desc;
  desc.name = "product";
  desc.weight_layout = layout;
  Geometry& g = desc.geometry;
  g.groups = 2;
  g.in_channel_blocks = 2 * 2;
  g.out_channel_blocks = 2 * 3;
  g.in_width = g.out_width = 5;
  return desc;
}

HwConfig transposing() {
  return withParams([](HwParams& p) { p.ext_transpose = true; });
}

TEST(WeightLayout, StridesLeadFromBlockToBlock) {
  const WeightStrides tiles = product(WeightLayout::kTiles).weightStrides();
  EXPECT_EQ(tiles.group, 6);
  EXPECT_EQ(tiles.out_block, 2);
  EXPECT_EQ(tiles.in_block, 1);
  const WeightStrides outputs = product(WeightLayout::kOutputRows).weightStrides();
  EXPECT_EQ(outputs.group, 6);
  EXPECT_EQ(outputs.out_block, 1);
  EXPECT_EQ(outputs.in_block, 3);
  const WeightStrides inputs = product(WeightLayout::kInputRows).weightStrides();
  EXPECT_EQ(inputs.group, 6);
  EXPECT_EQ(inputs.out_block, 2);
  EXPECT_EQ(inputs.in_block, 1);
}

TEST(WeightLayout, NeedsHardwareThatCanReadIt) {
  const KernelDesc by_outputs = product(WeightLayout::kOutputRows);
  const KernelDesc by_inputs = product(WeightLayout::kInputRows);
  EXPECT_TRUE(validateKernelDesc(by_outputs, HwConfig::makeDefault()).ok());
  EXPECT_TRUE(validateKernelDesc(by_inputs, transposing()).ok());
  EXPECT_THAT(validateKernelDesc(by_inputs, HwConfig::makeDefault()).message(),
              HasSubstr("need extension transpose, which 'default' lacks"));
  const HwConfig wide = withParams([](HwParams& p) { p.block_out = 32; });
  EXPECT_THAT(validateKernelDesc(by_outputs, wide).message(),
              HasSubstr("equal blocks; 'default' has block_in 16 and block_out 32"));
  const HwConfig narrow = withParams([](HwParams& p) { p.wgt_width_bits = 4; });
  EXPECT_THAT(validateKernelDesc(by_outputs, narrow).message(),
              HasSubstr("weights of 8 bits; 'default' has 4"));
}

TEST(WeightLayout, IsForProductsAlone) {
  const std::function<void(KernelDesc&)> changes[] = {
      [](KernelDesc& d) { d.geometry.kernel_height = d.geometry.in_height = 2; },
      [](KernelDesc& d) { d.geometry.pad_top = 1; },
      [](KernelDesc& d) {
        d.geometry.phases = d.geometry.interleave_x = 2;
        d.geometry.groups = 1;
      },
      [](KernelDesc& d) {
        d.kind = KernelKind::kMaxPool;
        d.geometry.groups = d.geometry.in_channel_blocks = d.geometry.out_channel_blocks = 2;
      },
  };
  for (const auto& change : changes) {
    KernelDesc desc = product(WeightLayout::kInputRows);
    change(desc);
    EXPECT_THAT(validateKernelDesc(desc, transposing()).message(),
                HasSubstr("a contraction of 1x1 without padding or phases"));
  }
  // Columns of a window are the elements of a pixel, for rows that are inputs only.
  for (const bool by_inputs : {true, false}) {
    KernelDesc desc = product(by_inputs ? WeightLayout::kInputRows : WeightLayout::kOutputRows);
    desc.geometry.kernel_width = desc.geometry.stride_x = 2;
    desc.geometry.in_width = 10;
    EXPECT_EQ(validateKernelDesc(desc, transposing()).ok(), by_inputs);
  }
}

}  // namespace
}  // namespace vta::kernel::testing
