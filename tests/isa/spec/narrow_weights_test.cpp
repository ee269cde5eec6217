#include "isa/spec/narrow_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace vta {
namespace {

using testing::ElementsAre;

std::vector<int8_t> allWeights(int width_bits) {
  const auto [least, most] = weightRange(width_bits);
  std::vector<int8_t> weights(static_cast<size_t>(most - least + 1));
  std::iota(weights.begin(), weights.end(), static_cast<int8_t>(least));
  return weights;
}

TEST(NarrowWeights, TheFirstIsInTheLowBits) {
  EXPECT_THAT(packWeights(std::vector<int8_t>{1, -2, 7, -8}, 4), ElementsAre(-31, -121));
  EXPECT_THAT(packWeights(std::vector<int8_t>{1, -1, -2, 0}, 2), ElementsAre(0b00101101));
  EXPECT_THAT(packWeights(std::vector<int8_t>{1, -128}, 8), ElementsAre(1, -128));
}

TEST(NarrowWeights, EveryWeightComesBack) {
  for (const int width_bits : {2, 4, 8}) {
    const std::vector<int8_t> weights = allWeights(width_bits);
    const std::vector<int8_t> packed = packWeights(weights, width_bits);
    EXPECT_EQ(packed.size(), packedWeightBytes(weights.size(), width_bits));
    std::vector<int8_t> back(weights.size());
    unpackWeights(packed.data(), back.size(), width_bits, back.data());
    EXPECT_EQ(back, weights) << width_bits;
  }
}

}  // namespace
}  // namespace vta
