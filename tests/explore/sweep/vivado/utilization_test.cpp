#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explore/sweep/vivado/report.h"
#include "tests/explore/sweep/vivado/reports.h"

namespace vta::sweep {
namespace {

using testing::HasSubstr;

std::string errorOf(const std::string& text) { return parseUtilization(text).status().message(); }

std::string with(std::string text, const std::string& before, const std::string& after) {
  const size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before;
  return text.replace(at, before.size(), after);
}

TEST(VivadoUtilization, ReadsTheWholeDesign) {
  const auto report = parseUtilization(utilizationText());
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->device, "xc7z020clg400-1");
  EXPECT_EQ(report->state, "Routed");
  EXPECT_EQ(report->scope, "the whole design");
  EXPECT_EQ(report->used.lut, 24120);
  EXPECT_EQ(report->used.ff, 11800);
  EXPECT_EQ(report->used.bram36, 120.5);
  EXPECT_EQ(report->used.dsp, 185);
  EXPECT_EQ(report->used.uram, 0);
}

TEST(VivadoUtilization, ReadsUltraScaleAndOtherColumns) {
  const auto report = parseUtilization(kUltraScaleText);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->device, "xczu3eg-sbva484-1-e");
  EXPECT_EQ(report->used.lut, 25000);
  EXPECT_EQ(report->used.ff, 12000);
  EXPECT_EQ(report->used.bram36, 97);
  EXPECT_EQ(report->used.uram, 4);
}

TEST(VivadoUtilization, TakesTheCoreOfAHierarchy) {
  const auto report = parseUtilization(kHierarchyText);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->scope, "instance core");
  EXPECT_EQ(report->used.lut, 24000);
  EXPECT_EQ(report->used.ff, 11000);
  EXPECT_EQ(report->used.bram36, 117.5);
  EXPECT_EQ(report->used.dsp, 185);
}

TEST(VivadoUtilization, ReadsLinesOfWindows) {
  std::string text;
  for (const char c : utilizationText())
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const auto report = parseUtilization(text);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->used.lut, 24120);
}

TEST(VivadoUtilization, BrokenReports) {
  EXPECT_THAT(errorOf(""), HasSubstr("no report of Vivado's report_utilization"));
  EXPECT_THAT(errorOf(timingText()), HasSubstr("no report of Vivado's report_utilization"));
  EXPECT_THAT(errorOf(utilizationText("many")), HasSubstr("Slice LUTs is 'many'"));
  EXPECT_THAT(errorOf(utilizationText("24120", "-3")), HasSubstr("Slice Registers is '-3'"));
  const std::string cut = utilizationText().substr(0, utilizationText().find("3. Memory\n---"));
  EXPECT_THAT(errorOf(cut), HasSubstr("no row 'Block RAM Tile'"));
  EXPECT_THAT(errorOf(with(utilizationText(), "|  Used |", "|  Have |")),
              HasSubstr("no row 'Slice LUTs' with a column Used"));
}

TEST(VivadoUtilization, BrokenHierarchies) {
  EXPECT_THAT(errorOf(with(kHierarchyText, " vta_core |", "  another |")),
              HasSubstr("no instance of vta_core"));
  EXPECT_THAT(errorOf(with(kHierarchyText, "|  FFs  |", "|  XXs  |")),
              HasSubstr("no column 'FFs'"));
  EXPECT_THAT(errorOf(with(kHierarchyText, "24000", "2400x")), HasSubstr("Total LUTs is '2400x'"));
}

}  // namespace
}  // namespace vta::sweep
