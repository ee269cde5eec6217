#include "tools/common/terminal.h"

#include <gtest/gtest.h>

namespace vta::tools {
namespace {

TEST(Terminal, TableAlignsColumns) {
  Table table({{"name"}, {"count", Table::Align::kRight}, {"note"}});
  table.addRow({"a", "1", "first"});
  table.addRow({"longer", "1,000", ""});
  EXPECT_EQ(table.toString(),
            "name    count  note\n"
            "a           1  first\n"
            "longer  1,000\n");
}

TEST(Terminal, TableCountsCharactersAndEscapesNames) {
  Table table({{"name"}, {"count", Table::Align::kRight}});
  table.addRow({"\u00e9t\u00e9", "1"});
  table.addRow({"a\nb\x1b[2J", "2"});
  EXPECT_EQ(table.toString(),
            "name           count\n"
            "\u00e9t\u00e9                1\n"
            "a\\x0ab\\x1b[2J      2\n");
}

TEST(Terminal, TableShortensVeryLongCells) {
  Table table({{"name"}, {"count"}});
  table.addRow({std::string(100000, 'n'), "1"});
  EXPECT_LT(table.toString().size(), 400u);
}

TEST(Terminal, LongLinesAreWrappedAtSpaces) {
  EXPECT_EQ(wrapLine("one two three", 20, 2), "one two three");
  EXPECT_EQ(wrapLine("one two three", 7, 2), "one two\n  three");
  EXPECT_EQ(wrapLine("  one two three four", 9, 4), "  one two\n    three\n    four");
  EXPECT_EQ(wrapLine("a word-that-is-too-long b", 6, 0), "a\nword-that-is-too-long\nb");
  EXPECT_EQ(wrapLine("\xc3\xa4 \xc3\xb6 \xc3\xbc", 3, 0), "\xc3\xa4 \xc3\xb6\n\xc3\xbc");
  EXPECT_EQ(wrapLine("", 10, 4), "");
}

TEST(Terminal, Numbers) {
  EXPECT_EQ(formatCount(0), "0");
  EXPECT_EQ(formatCount(999), "999");
  EXPECT_EQ(formatCount(1000), "1,000");
  EXPECT_EQ(formatCount(1234567), "1,234,567");
  EXPECT_EQ(formatBytes(1023), "1023 B");
  EXPECT_EQ(formatBytes(1536), "1.5 KiB");
  EXPECT_EQ(formatBytes(uint64_t{5} << 30), "5.0 GiB");
  EXPECT_EQ(formatSeconds(0.0000125), "12.5 us");
  EXPECT_EQ(formatSeconds(0.25), "250.00 ms");
  EXPECT_EQ(formatSeconds(12), "12.00 s");
  EXPECT_EQ(formatPicojoules(0.25), "0.25 pJ");
  EXPECT_EQ(formatPicojoules(12345), "12.3 nJ");
  EXPECT_EQ(formatPicojoules(4e15), "4e+03 J");
}

TEST(Terminal, ErrorsExitWithOne) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(reportError("vta-test", invalidArgument("no")), 1);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "vta-test: error: no\n");
}

TEST(Terminal, PeakMemoryIsMeasured) { EXPECT_GT(peakMemoryBytes(), uint64_t{1} << 20); }

}  // namespace
}  // namespace vta::tools
