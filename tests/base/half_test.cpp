// 16-bit floats: every value there and back, and rounding where it matters.
#include "base/half.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/tensor.h"

namespace vta {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(HalfTest, EveryValueComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const bool is_half_nan = (half & 0x7c00) == 0x7c00 && (half & 0x3ff) != 0;
    EXPECT_EQ(std::isnan(halfToFloat(half)), is_half_nan);
    if (!is_half_nan) {
      EXPECT_EQ(floatToHalf(halfToFloat(half)), half);
    }
    if (!std::isnan(bfloatToFloat(half))) {
      EXPECT_EQ(floatToBfloat(bfloatToFloat(half)), half);
    }
  }
}

TEST(HalfTest, KnownValues) {
  EXPECT_EQ(halfToFloat(0x3c00), 1.0f);
  EXPECT_EQ(halfToFloat(0xc500), -5.0f);
  EXPECT_EQ(halfToFloat(0x0001), 0x1p-24f);
  EXPECT_EQ(halfToFloat(0x7bff), 65504.0f);
  EXPECT_EQ(halfToFloat(0xfc00), -kInfinity);
  EXPECT_EQ(bfloatToFloat(0x3f80), 1.0f);
}

TEST(HalfTest, RoundsToNearestTiesToEven) {
  EXPECT_EQ(floatToHalf(1 + 0x1p-11f), 0x3c00);
  EXPECT_EQ(floatToHalf(1 + 0x1p-11f + 0x1p-20f), 0x3c01);
  EXPECT_EQ(floatToHalf(1 + 3 * 0x1p-11f), 0x3c02);
  EXPECT_EQ(floatToHalf(0x1p-25f), 0x0000);  // halfway to the least subnormal
  EXPECT_EQ(floatToHalf(3 * 0x1p-25f), 0x0002);
  EXPECT_EQ(floatToHalf(65519.0f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToHalf(-1e30f), 0xfc00);
  EXPECT_EQ(floatToBfloat(1 + 0x1p-8f), 0x3f80);
  EXPECT_EQ(floatToBfloat(1 + 3 * 0x1p-8f), 0x3f82);
  EXPECT_TRUE(std::isnan(bfloatToFloat(floatToBfloat(std::nanf("")))));
  EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(std::nanf("")))));
}

TEST(HalfTest, TensorsBetweenAllFloatTypes) {
  Tensor tensor = Tensor::zeros(DType::kF64, {3});
  const double values[] = {1.5, -0.25, 96};
  std::ranges::copy(values, tensor.as<double>().begin());
  for (DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) {
    EXPECT_TRUE(isFloat(dtype));
    const Tensor there = toFloatType(tensor, dtype);
    EXPECT_EQ(there.data.size(), 3 * dtypeBytes(dtype));
    EXPECT_EQ(toFloatType(there, DType::kF64).data, tensor.data);
  }
  EXPECT_FALSE(isFloat(DType::kI32));
}

}  // namespace
}  // namespace vta
