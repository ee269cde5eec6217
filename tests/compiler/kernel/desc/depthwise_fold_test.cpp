#include "compiler/kernel/desc/depthwise_fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/kernel/desc/scalar_reference.h"

namespace vta::kernel {
namespace {

using ::testing::HasSubstr;

HwConfig hwWithTaps(int taps, int block = 16, int outputs_per_input = 1) {
  HwParams params;
  params.block_in = block;
  params.block_out = block * outputs_per_input;
  params.ext_depthwise = true;
  params.depthwise_taps = taps;
  return HwConfig::create(params).value();
}

KernelDesc depthwise(int64_t size, int64_t stride = 1) {
  KernelDesc desc;
  desc.name = "depthwise";
  Geometry& g = desc.geometry;
  g.groups = g.in_channel_blocks = g.out_channel_blocks = 2;
  g.in_height = g.in_width = 9;
  g.kernel_height = g.kernel_width = size;
  g.stride_y = g.stride_x = stride;
  g.pad_top = g.pad_left = g.pad_bottom = g.pad_right = size / 2;
  g.out_height = g.out_width = (9 + 2 * (size / 2) - size) / stride + 1;
  return desc;
}

template <typename T>
std::vector<T> randomVector(int64_t size, uint32_t seed) {
  std::mt19937 rng(seed);
  std::vector<T> values(static_cast<size_t>(size));
  for (T& value : values) value = static_cast<T>(rng());
  return values;
}

// Weights for the own channel of each output, or for its pair.
std::vector<int8_t> weightsOf(const KernelDesc& desc, const HwConfig& hw, bool pairs) {
  const Geometry& g = desc.geometry;
  const int64_t block = hw.blockIn();
  auto weight = randomVector<int8_t>(
      g.out_channel_blocks * g.kernel_height * g.kernel_width * block * hw.blockOut(), 3);
  for (int64_t i = 0; i < std::ssize(weight); ++i) {
    const int64_t ic = i % block;
    const int64_t oc = i / block % hw.blockOut() % block;
    const bool used = pairs ? ic / 2 == oc / 2 : ic == oc;
    if (!used) weight[static_cast<size_t>(i)] = 0;
  }
  return weight;
}

TEST(DepthwiseFold, ComputesTheSame) {
  for (const int block : {8, 16}) {
    for (const int taps : {2, 3, 4}) {
      for (const int64_t size : {2, 3, 5, 7}) {
        for (const int64_t stride : {1, 2}) {
          // Every other size with blocks of outputs that are two of inputs.
          const HwConfig hw = hwWithTaps(taps, block, size % 2 + 1);
          const KernelDesc desc = depthwise(size, stride);
          SCOPED_TRACE(hw.summary() + ", size " + std::to_string(size));
          const auto weight = weightsOf(desc, hw, stride == 2);
          const auto folded = foldDepthwise(desc, weight, hw);
          ASSERT_TRUE(folded.has_value());
          EXPECT_TRUE(validateKernelDesc(*folded, hw).ok());
          EXPECT_LT(folded->geometry.tapGroups(), size);
          const auto input = randomVector<int8_t>(int64_t{2} * 81 * block, 4);
          const auto tiles = foldWeights(*folded, weight, hw);
          EXPECT_EQ(runReference(*folded, hw, input, tiles, {}, {}),
                    runReference(desc, hw, input, weight, {}, {}));
        }
      }
    }
  }
}

TEST(DepthwiseFold, LeavesOtherKernelsAlone) {
  const HwConfig hw = hwWithTaps(4);
  const KernelDesc desc = depthwise(3);
  EXPECT_TRUE(foldGeometry(desc, hw).has_value());
  EXPECT_FALSE(foldGeometry(desc, HwConfig::makeDefault()).has_value());
  EXPECT_FALSE(foldGeometry(*foldGeometry(desc, hw), hw).has_value());

  KernelDesc other = depthwise(3);
  other.geometry.groups = 1;
  EXPECT_FALSE(foldGeometry(other, hw).has_value());
  other = depthwise(3);
  other.geometry.dilation_x = 2;
  EXPECT_FALSE(foldGeometry(other, hw).has_value());
  other = depthwise(3);
  other.geometry.pad_left = 3;  // a window in the padding
  EXPECT_FALSE(foldGeometry(other, hw).has_value());
  EXPECT_FALSE(foldGeometry(depthwise(1), hw).has_value());

  auto weight = weightsOf(desc, hw, false);
  EXPECT_TRUE(foldDepthwise(desc, weight, hw).has_value());
  weight[2] = 1;  // output 0 takes channel 2
  EXPECT_FALSE(foldDepthwise(desc, weight, hw).has_value());
}

TEST(DepthwiseFold, WhatHardwareCannotDoIsRefused) {
  const KernelDesc folded = *foldGeometry(depthwise(5), hwWithTaps(5));
  EXPECT_TRUE(validateKernelDesc(folded, hwWithTaps(8)).ok());
  EXPECT_THAT(validateKernelDesc(folded, HwConfig::makeDefault()).message(),
              HasSubstr("needs extension depthwise"));
  EXPECT_THAT(validateKernelDesc(folded, hwWithTaps(4)).message(),
              HasSubstr("fold_taps is 5 with fold_pitch 5; 5 columns in GEMMs of at most 4 taps"));
  KernelDesc wrong = folded;
  wrong.geometry.groups = 1;
  EXPECT_THAT(validateKernelDesc(wrong, hwWithTaps(5)).message(), HasSubstr("one block a group"));
}

}  // namespace
}  // namespace vta::kernel
