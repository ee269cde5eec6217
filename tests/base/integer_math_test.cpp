#include "base/integer_math.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vta {
namespace {

TEST(IntegerMathTest, QuotientsRoundToTheNamedSideForBothSigns) {
  for (int64_t b = 1; b <= 5; ++b) {
    for (int64_t a = -12; a <= 12; ++a) {
      const double quotient = static_cast<double>(a) / static_cast<double>(b);
      EXPECT_EQ(ceilDiv(a, b), static_cast<int64_t>(std::ceil(quotient))) << a << " / " << b;
      EXPECT_EQ(floorDiv(a, b), static_cast<int64_t>(std::floor(quotient))) << a << " / " << b;
    }
  }
}

TEST(IntegerMathTest, RoundUpKeepsMultiples) {
  EXPECT_EQ(roundUp(0, 8), 0U);
  EXPECT_EQ(roundUp(1, 8), 8U);
  EXPECT_EQ(roundUp(8, 8), 8U);
  EXPECT_EQ(roundUp(9, 3), 9U);
}

}  // namespace
}  // namespace vta
