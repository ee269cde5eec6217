#include "base/text/utf8.h"

#include <gtest/gtest.h>

namespace vta {
namespace {

TEST(Utf8, CharactersOfAllLengths) {
  for (const uint32_t code : {0x24U, 0x7FU, 0x80U, 0x7FFU, 0x800U, 0xFFFDU, 0x10000U, 0x10FFFFU}) {
    const std::string character = characterOf(static_cast<char32_t>(code));
    EXPECT_EQ(characterBytes(character), character.size()) << code;
    for (size_t bytes = 1; bytes < character.size(); ++bytes) {
      EXPECT_EQ(characterBytes(character.substr(0, bytes)), 0U);
      EXPECT_EQ(unfinishedBytes("a" + character.substr(0, bytes)), bytes);
    }
    EXPECT_EQ(unfinishedBytes(character), 0U);
  }
}

TEST(Utf8, WhatIsLongerThanNeededOrASurrogateIsNone) {
  for (const char* text :
       {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80", "\xC3("}) {
    EXPECT_FALSE(isUtf8(text)) << text;
  }
  EXPECT_TRUE(isUtf8("aé日🙂"));
}

}  // namespace
}  // namespace vta
