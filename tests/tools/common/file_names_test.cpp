#include "tools/common/file_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace vta::tools {
namespace {

using ::testing::ElementsAre;

using Names = std::vector<std::string>;

TEST(FileNames, OrdinaryNamesStay) {
  EXPECT_THAT(fileNamesFor({"logits", "box-1.x", "größe"}, 100),
              ElementsAre("logits", "box-1.x", "größe"));
  EXPECT_TRUE(fileNamesFor({}, 100).empty());
}

TEST(FileNames, OddCharactersAreReplaced) {
  EXPECT_THAT(fileNamesFor({"conv/out:0", "a\\b", "tab\there", "all*?"}, 100),
              ElementsAre("conv_out_0", "a_b", "tab_here", "all__"));
  EXPECT_THAT(fileNamesFor({std::string("nul\0", 4)}, 100), ElementsAre("nul_"));
}

TEST(FileNames, NamesThatMeanSomethingElseAreReplaced) {
  EXPECT_THAT(fileNamesFor({"", ".", "..", ".hidden"}, 100),
              ElementsAre("_", "__2", "_.", "_hidden"));
}

TEST(FileNames, EqualOnesAreToldApart) {
  EXPECT_THAT(fileNamesFor({"a/b", "a_b", "a:b"}, 100), ElementsAre("a_b_2", "a_b", "a_b_3"));
  EXPECT_THAT(fileNamesFor({"x", "x", "x_2"}, 100), ElementsAre("x", "x_3", "x_2"));
  EXPECT_THAT(fileNamesFor({"Out", "out"}, 100), ElementsAre("Out", "out_2"));
}

TEST(FileNames, LongOnesAreCut) {
  const Names files = fileNamesFor(Names(12, std::string(300, 'n')), 120);
  for (const std::string& file : files) EXPECT_EQ(file.size(), 120u);
  EXPECT_EQ(std::set<std::string>(files.begin(), files.end()).size(), files.size());
  // Not in the middle of a character.
  EXPECT_THAT(fileNamesFor({"aé"}, 2), ElementsAre("a"));
}

}  // namespace
}  // namespace vta::tools
