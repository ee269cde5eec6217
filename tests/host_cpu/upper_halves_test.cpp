#include "host_cpu/blocked/integers/upper_halves.h"

#include <gtest/gtest.h>

namespace vta::codegen::blocked {
namespace {

using Constants = std::vector<std::vector<int32_t>>;

IntegerTree treeOf(const std::string& finish, const Constants& constants) {
  IntegerTree tree;
  tree.finish = finish;
  tree.constants = constants;
  takeUpperHalves(tree);
  return tree;
}

TEST(UpperHalves, ShiftsBecomeAtLeast33) {
  const IntegerTree tree = treeOf("scqk", {{1001, -999}, {20, 20}, {-128, -128}, {127, 127}});
  EXPECT_EQ(tree.finish, "scnk");
  EXPECT_EQ(tree.constants,
            (Constants{{1001 << 13, -999 * (1 << 13)}, {1, 1}, {1, 1}, {-128, -128}, {127, 127}}));
  EXPECT_EQ(treeOf("scqk", {{1001}, {40}, {-128}, {127}}).constants,
            (Constants{{1001}, {1 << 7}, {8}, {-128}, {127}}));
}

TEST(UpperHalves, LargeFactorsStay) {
  const Constants large = {{3, 1 << 18}, {20, 20}, {-128, -128}, {127, 127}};
  EXPECT_EQ(treeOf("scqk", large).finish, "scqk");
  EXPECT_EQ(treeOf("scqk", large).constants, large);
  EXPECT_EQ(treeOf("scqk", {{-(1 << 18)}, {20}, {-128}, {127}}).finish, "scqk");
  EXPECT_EQ(treeOf("scqk", {{0}, {1}, {-128}, {127}}).finish, "scqk");
  EXPECT_EQ(treeOf("scqk", {{(1 << 18) - 1}, {20}, {-128}, {127}}).finish, "scnk");
  EXPECT_EQ(treeOf("scqk", {{INT32_MIN}, {40}, {-128}, {127}}).finish, "scqk");
}

TEST(UpperHalves, HalvesWithinTheClipGoAwayFromZero) {
  // The nearest half of 257 is 128.5, of 255 it is 127.5.
  EXPECT_EQ(treeOf("scqk", {{257}, {30}, {-128}, {127}}).finish, "scnk");
  EXPECT_EQ(treeOf("scqk", {{255}, {30}, {-128}, {127}}).finish, "schk");
  EXPECT_EQ(treeOf("scqk", {{255}, {30}, {-127}, {127}}).finish, "scnk");
  EXPECT_EQ(treeOf("scqk", {{257, 255}, {30, 30}, {-128, -128}, {127, 127}}).finish, "schk");
  EXPECT_EQ(treeOf("scqk", {{1}, {30}, {0}, {127}}).finish, "scnk");
  EXPECT_EQ(treeOf("scqk", {{0}, {30}, {-128}, {127}}).finish, "scnk");
}

TEST(UpperHalves, FreeBitsOfTheFactorMoveHalvesAway) {
  // 255 x 2^7 has 15 bits, so it is doubled 16 times: exact for |x| < 2^23, where results are 255.
  const IntegerTree tree =
      treeOf("scqk", {{255 << 7, -(255 << 7)}, {30, 30}, {-128, -128}, {127, 127}});
  EXPECT_EQ(tree.finish, "scnk");
  EXPECT_EQ(tree.constants, (Constants{{(255 << 23) + 1, -(255 << 23) - 1},
                                       {1 << 13, 1 << 13},
                                       {14, 14},
                                       {-128, -128},
                                       {127, 127}}));
  EXPECT_EQ(treeOf("scqk", {{255 << 7}, {30}, {-254}, {127}}).finish, "schk");
  EXPECT_EQ(treeOf("scqk", {{255 << 7}, {30}, {-128}, {254}}).finish, "schk");
  EXPECT_EQ(treeOf("scqk", {{255 << 7}, {31}, {-128}, {127}}).finish, "schk");
}

TEST(UpperHalves, WhatIsAddedMovesTheClip) {
  EXPECT_EQ(treeOf("scqcak", {{261}, {30}, {2}, {-128}, {127}}).finish, "scncak");
  EXPECT_EQ(treeOf("scqcak", {{261}, {30}, {3}, {-128}, {127}}).finish, "schcak");
  EXPECT_EQ(treeOf("scqcak", {{255 << 7}, {30}, {-124}, {-128}, {127}}).finish, "scncak");
  EXPECT_EQ(treeOf("scqcak", {{255 << 7}, {30}, {-125}, {-128}, {127}}).finish, "scncak");
  EXPECT_EQ(treeOf("scqcak", {{255 << 7}, {30}, {126}, {-128}, {127}}).finish, "schcak");
  EXPECT_EQ(treeOf("scqcak", {{261}, {30}, {INT32_MIN}, {-128}, {127}}).finish, "schcak");
  EXPECT_EQ(treeOf("scqxak", {{1001}, {30}, {-128}, {127}}).finish, "schxak");
}

TEST(UpperHalves, EachStepHasItsOwnConstants) {
  const IntegerTree tree = treeOf("scqxcqak", {{1001}, {20}, {1 << 30}, {30}, {-128}, {127}});
  EXPECT_EQ(tree.finish, "schxcqak");
  EXPECT_EQ(tree.constants, (Constants{{1001 << 13}, {1}, {1}, {1 << 30}, {30}, {-128}, {127}}));
  // A product of two sums has no constant factor.
  EXPECT_EQ(treeOf("sxqk", {{20}, {-128}, {127}}).finish, "sxqk");
}

}  // namespace
}  // namespace vta::codegen::blocked
