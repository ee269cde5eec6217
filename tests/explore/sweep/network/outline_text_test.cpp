#include "explore/sweep/network/outline_text.h"

#include <gtest/gtest.h>

#include <string>

#include "explore/sweep/network/network_timer.h"
#include "tests/explore/sweep/digits_outline.h"

namespace vta::sweep {
namespace {

using testing::outlineOfDigits;

TEST(OutlineText, KeepsWhatCyclesDependOn) {
  const compiler::ModuleOutline outline = outlineOfDigits();
  const std::string text = encodeOutline(outline);
  const auto decoded = decodeOutline(text);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(encodeOutline(*decoded), text);
  ASSERT_EQ(decoded->kernels.size(), outline.kernels.size());
  const HwConfig hw = HwConfig::makeDefault();
  const auto before = NetworkTimer(hw, {}, Effort::kEstimated).run(outline);
  const auto after = NetworkTimer(hw, {}, Effort::kEstimated).run(*decoded);
  ASSERT_TRUE(before.ok()) << before.status().message();
  ASSERT_TRUE(after.ok()) << after.status().message();
  EXPECT_GT(before->counters.cycles, 0u);
  EXPECT_EQ(before->counters, after->counters);
}

TEST(OutlineText, RefusesWhatIsCutOff) {
  const std::string text = encodeOutline(outlineOfDigits());
  for (const size_t length : {size_t{0}, size_t{1}, size_t{20}, text.size() / 2, text.size() - 1}) {
    EXPECT_FALSE(decodeOutline(text.substr(0, length)).ok()) << length;
  }
  EXPECT_FALSE(decodeOutline("no outline").ok());
}

}  // namespace
}  // namespace vta::sweep
