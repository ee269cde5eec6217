#include "tools/common/short_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace vta::tools {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> cut(const std::vector<std::string>& names, size_t most) {
  return shortNames(names, most);
}

TEST(ShortNamesTest, ShortOnesStay) {
  EXPECT_THAT(cut({"conv1", "conv2", "conv1"}, 20), ElementsAre("conv1", "conv2", "conv1"));
  EXPECT_THAT(cut({"a\nb"}, 20), ElementsAre("a\\x0ab"));
}

TEST(ShortNamesTest, TheMiddleIsLeftOutWhereNamesDifferAtTheirEnds) {
  EXPECT_THAT(cut({"/first/block/of/layers/Conv", "/other/block/of/layers/Conv"}, 23),
              ElementsAre("/first/blo...ayers/Conv", "/other/blo...ayers/Conv"));
}

TEST(ShortNamesTest, DifferencesInTheMiddleStay) {
  const auto names = cut(
      {"/layer1/layer1.0/conv1/Conv", "/layer1/layer1.1/conv1/Conv", "/layer1/layer1.0/conv2/Conv"},
      21);
  EXPECT_THAT(names, ElementsAre("/layer...0/conv1/Conv", "/layer...1/conv1/Conv",
                                 "/layer1/l...onv2/Conv"));
}

TEST(ShortNamesTest, LongNamesKeepAPieceOfTheMiddle) {
  const std::string before(40, 'a');
  const std::string after(40, 'z');
  const auto names = cut({before + "one" + after, before + "two" + after}, 24);
  EXPECT_THAT(names, ElementsAre("aaaa...onezzzzzzz...zzzz", "aaaa...twozzzzzzz...zzzz"));
}

TEST(ShortNamesTest, WhateverTheyAreLikeTheyStayDifferentAndShort) {
  std::vector<std::string> names;
  for (int a = 0; a < 5; ++a) {
    for (int b = 0; b < 5; ++b) {
      for (int c = 0; c < 5; ++c) {
        names.push_back(std::string(30, 'x') + std::to_string(a) + std::string(30, '\xc3') +
                        std::to_string(b) + std::string(3000, 'y') + std::to_string(c) +
                        std::string(2000, 'z'));
        names.push_back("\u00e9" + std::string(a * 9, '.') + std::string(b, '-') +
                        std::string(c, '.') + "\u00e9");
      }
    }
  }
  const std::vector<std::string> shown = cut(names, 20);
  EXPECT_EQ(std::set(shown.begin(), shown.end()).size(),
            std::set(names.begin(), names.end()).size());
  for (const std::string& name : shown) {
    EXPECT_LE(std::ranges::count_if(name, [](char c) { return (c & 0xc0) != 0x80; }), 20) << name;
  }
}

}  // namespace
}  // namespace vta::tools
