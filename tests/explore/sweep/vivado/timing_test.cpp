#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explore/sweep/vivado/report.h"
#include "tests/explore/sweep/vivado/reports.h"

namespace vta::sweep {
namespace {

using testing::HasSubstr;

std::string errorOf(const std::string& text, std::string_view clock = "") {
  return parseTiming(text, clock).status().message();
}

TEST(VivadoTiming, FindsTheClockWithPaths) {
  const auto report = parseTiming(timingText(), "");
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->device, "7z020-clg400");
  EXPECT_EQ(report->speed_grade, "-1");
  EXPECT_EQ(report->clock, "clk_core");
  EXPECT_EQ(report->period_ns, 10);
  EXPECT_EQ(report->slack_ns, 1.25);
  EXPECT_NEAR(report->mhz(), 1000 / 8.75, 1e-9);
}

TEST(VivadoTiming, AClockThatIsNotMet) {
  const auto report = parseTiming(timingText("-0.500"), "clk_core");
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_NEAR(report->mhz(), 1000 / 10.5, 1e-9);
}

TEST(VivadoTiming, SeveralClocksNeedAName) {
  const std::string text = timingText(" 1.250", true);
  EXPECT_THAT(errorOf(text), HasSubstr("2 clocks have paths"));
  EXPECT_THAT(errorOf(text), HasSubstr("clk_fpga_0, clk_core"));
  const auto named = parseTiming(text, "clk_fpga_0");
  ASSERT_TRUE(named.ok()) << named.status().message();
  EXPECT_EQ(named->slack_ns, 12);
  EXPECT_EQ(named->period_ns, 20);
}

TEST(VivadoTiming, BrokenReports) {
  EXPECT_THAT(errorOf(""), HasSubstr("no report of Vivado's report_timing_summary"));
  EXPECT_THAT(errorOf(utilizationText()), HasSubstr("no section 'Clock Summary'"));
  const std::string text = timingText();
  EXPECT_THAT(errorOf(text.substr(0, text.find("| Intra Clock Table"))),
              HasSubstr("no section 'Intra Clock Table'"));
  EXPECT_THAT(errorOf(text, "clk"), HasSubstr("no clock clk; clocks: clk_fpga_0, clk_core"));
  EXPECT_THAT(errorOf(text, "clk_feedback"), HasSubstr("clk_feedback has no setup slack"));
  EXPECT_THAT(errorOf(timingText("    NA")), HasSubstr("no clock has a setup slack"));
  EXPECT_THAT(errorOf(timingText("12.000")), HasSubstr("no path"));
  std::string without_periods = text;
  for (size_t at = 0; (at = without_periods.find('{', at)) != std::string::npos;) {
    without_periods[at] = '(';
  }
  EXPECT_THAT(errorOf(without_periods), HasSubstr("no clock with a period"));
}

}  // namespace
}  // namespace vta::sweep
