#include "tools/common/print.h"

#include <gtest/gtest.h>

namespace vta::tools {
namespace {

TEST(Print, PrintableEscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("plain, \u00e9 \u4e2d \U0001f600\n\tnext"),
            "plain, \u00e9 \u4e2d \U0001f600\n\tnext");
  EXPECT_EQ(printable("\x1b[31mred\x07\x7f\r"), "\\x1b[31mred\\x07\\x7f\\x0d");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\u009b2J"), "\\xc2\\x9b2J");  // a control character of its own
}

TEST(Print, PrintableEscapesWhatIsNotUtf8) {
  EXPECT_EQ(printable("\x9b\xff"), "\\x9b\\xff");
  EXPECT_EQ(printable("\xe4\xb8"), "\\xe4\\xb8");           // truncated
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80");           // longer than needed
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
}

TEST(Print, NamesStayOnOneLineAndShort) {
  EXPECT_EQ(printableName("conv\n1\tx"), "conv\\x0a1\\x09x");
  EXPECT_EQ(printableName("0123456789", 10), "0123456789");
  EXPECT_EQ(printableName("0123456789a", 9), "012...89a");
  const std::string long_name = std::string(50000, 'a') + std::string(50000, 'b');
  EXPECT_EQ(printableName(long_name, 9), "aaa...bbb");
  std::string umlauts;
  for (int i = 0; i < 20; ++i) umlauts += "\u00e9";
  EXPECT_EQ(printableName(umlauts, 20), umlauts);
  EXPECT_EQ(printableName(umlauts, 5), "\u00e9...\u00e9");
}

}  // namespace
}  // namespace vta::tools
