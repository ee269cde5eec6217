#include "driver/generate/text_stream.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace vta::driver {
namespace {

TEST(TextStream, CharactersAreShownWhole) {
  TextStream stream({});
  EXPECT_EQ(stream.add("a\xE6\x97"), "a");
  EXPECT_EQ(stream.add("\xA5!"), "\xE6\x97\xA5!");
  EXPECT_EQ(stream.finish(), "");
}

TEST(TextStream, BytesThatAreNoCharactersStay) {
  TextStream stream({});
  EXPECT_EQ(stream.add("\xFFz"), "\xFFz");
  EXPECT_EQ(stream.add("\xE6"), "");
  EXPECT_EQ(stream.finish(), "\xE6");
}

TEST(TextStream, AStopEndsTheTextWhereverPiecesAreCut) {
  const std::string text = "one two##three";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    TextStream stream({"", "##", "three"});
    std::string shown = stream.add(text.substr(0, cut));
    shown += stream.add(text.substr(cut));
    EXPECT_EQ(shown, "one two") << cut;
    EXPECT_TRUE(stream.isStopped());
    EXPECT_EQ(stream.finish(), "");
    EXPECT_EQ(stream.add("more"), "");
  }
}

TEST(TextStream, WhatOnlyBeginsLikeAStopIsShownLater) {
  TextStream stream({"abc"});
  EXPECT_EQ(stream.add("xab"), "x");
  EXPECT_EQ(stream.add("ab"), "ab");
  EXPECT_FALSE(stream.isStopped());
  EXPECT_EQ(stream.finish(), "ab");
}

}  // namespace
}  // namespace vta::driver
