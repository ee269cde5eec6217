#include "base/closest_name.h"

#include <gtest/gtest.h>

namespace vta {
namespace {

TEST(ClosestNameTest, TakesTheNearest) {
  const std::vector<std::string> names = {"default", "wide", "tiny-buffers", "vta-0.0.2"};
  EXPECT_EQ(closestName("wied", names), "wide");
  EXPECT_EQ(closestName("walde", names), "wide");
  EXPECT_EQ(closestName("WIDE", names), "wide");
  EXPECT_EQ(closestName("defualt", names), "default");
  EXPECT_EQ(closestName("tiny-bufers", names), "tiny-buffers");
  EXPECT_EQ(closestName("vta-0.2", names), "vta-0.0.2");
  EXPECT_EQ(closestName("cycel", {"functional", "cycle", "rtl"}), "cycle");
  EXPECT_EQ(closestName("DDR3-1067", {"DDR3-800", "DDR3-1066", "DDR3-1333"}), "DDR3-1066");
}

TEST(ClosestNameTest, NothingWhereNothingIsNear) {
  const std::vector<std::string> names = {"default", "wide", "a"};
  EXPECT_EQ(closestName("large", names), "");
  EXPECT_EQ(closestName("", names), "");
  EXPECT_EQ(closestName("b", names), "");
  EXPECT_EQ(closestName("wi", names), "");
  EXPECT_EQ(closestName(std::string(10'000, 'w'), names), "");
}

TEST(ClosestNameTest, CompletesABeginning) {
  EXPECT_EQ(closestName("large", {"small-1x8x8", "large-1x32x32"}), "large-1x32x32");
  EXPECT_EQ(closestName("ddr3", {"DDR3-1066", "DDR3-800"}), "DDR3-800");
}

TEST(ClosestNameTest, Suggestion) {
  EXPECT_EQ(suggestion("--profle", {"--profile", "--help"}), "; did you mean --profile?");
  EXPECT_EQ(suggestion("--x", {"--profile"}), "");
}

TEST(ClosestNameTest, NamesOfATable) {
  struct Row {
    std::string_view name;
  };
  const Row rows[] = {{"one"}, {"two"}};
  EXPECT_EQ(namesOf(rows, &Row::name), (std::vector<std::string>{"one", "two"}));
}

}  // namespace
}  // namespace vta
