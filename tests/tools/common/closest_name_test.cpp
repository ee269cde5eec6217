#include "tools/common/closest_name.h"

#include <gtest/gtest.h>

namespace vta::tools {
namespace {

TEST(ClosestNameTest, TakesTheNearestWithinAThird) {
  const std::vector<std::string> names = {"default", "wide", "tiny-buffers", "vta-0.0.2"};
  EXPECT_EQ(closestName("wied", names), "wide");
  EXPECT_EQ(closestName("defualt", names), "default");
  EXPECT_EQ(closestName("tiny-bufers", names), "tiny-buffers");
  EXPECT_EQ(closestName("vta-0.2", names), "vta-0.0.2");
  EXPECT_EQ(closestName("large", names), "");
  EXPECT_EQ(closestName("", names), "");
  EXPECT_EQ(closestName(std::string(10'000, 'w'), names), "");
}

TEST(ClosestNameTest, Suggestion) {
  EXPECT_EQ(suggestion("--profle", {"--profile", "--help"}), "; did you mean --profile?");
  EXPECT_EQ(suggestion("--x", {"--profile"}), "");
}

}  // namespace
}  // namespace vta::tools
