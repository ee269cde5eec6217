#include "tools/common/names/choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vta::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ChoicesTest : public ::testing::Test {
 protected:
  /// What parsing these arguments complains about.
  std::string problemOf(std::vector<std::string> arguments) {
    std::ranges::reverse(arguments);  // CLI11 takes them from the back
    try {
      app_.parse(arguments);
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return "";
  }

  CLI::App app_;
  std::string value_;
};

TEST_F(ChoicesTest, OneOfChecksAndSuggests) {
  CLI::Option* option = app_.add_option("--host", value_)->check(OneOf({"cpu", "board"}));
  EXPECT_EQ(problemOf({"--host", "board"}), "");
  EXPECT_EQ(value_, "board");
  EXPECT_EQ(problemOf({"--host", "boadr"}),
            "--host: boadr not in {cpu,board}; did you mean board?");
  EXPECT_EQ(problemOf({"--host", "elsewhere"}), "--host: elsewhere not in {cpu,board}");
  EXPECT_THAT(namesFor(*option), ElementsAre("cpu", "board"));
}

TEST_F(ChoicesTest, OfferedTakesOtherValues) {
  std::vector<std::string> names = {"simple"};
  CLI::Option* option =
      app_.add_option("--dram", value_)->type_name("NAME|FILE")->check(Offered([&names] {
        return names;
      }));
  EXPECT_EQ(problemOf({"--dram", "my.yaml"}), "");
  EXPECT_EQ(value_, "my.yaml");
  names.emplace_back("DDR3-1066");  // they are those of the moment
  EXPECT_THAT(namesFor(*option), ElementsAre("simple", "DDR3-1066"));
  EXPECT_EQ(withoutNames(option->get_type_name()), "NAME|FILE");
}

TEST_F(ChoicesTest, OthersHaveNone) {
  CLI::Option* option = app_.add_option("--top", value_)->check(CLI::Range(1, 5));
  EXPECT_THAT(namesFor(*option), IsEmpty());
  EXPECT_THAT(withoutNames(option->get_type_name()), HasSubstr("1 - 5"));
  EXPECT_EQ(withoutNames("TEXT:{a,b}:and more"), "TEXT:and more");
}

}  // namespace
}  // namespace vta::tools
