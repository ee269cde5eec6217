#include "explore/workers/config/command_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vta::launcher {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kLegal[] = {"command", "name"};
constexpr std::string_view kRequired[] = {"command"};

std::string problemOf(std::string_view text) {
  return CommandTemplate::parse(text, kLegal, kRequired).status().message();
}

TEST(CommandTemplate, ValuesAreSingleWordsOfTheShell) {
  const auto parsed = CommandTemplate::parse("run -n {name} -- {command};", kLegal, kRequired);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->fill({{"name", "a b"}, {"command", "it's $HOME"}}),
            "run -n 'a b' -- 'it'\\''s $HOME';");
}

TEST(CommandTemplate, MistakesAreNamed) {
  EXPECT_THAT(problemOf(" "), HasSubstr("empty"));
  EXPECT_THAT(problemOf("run {comand}"),
              HasSubstr("unknown placeholder {comand}; legal: {command}, {name}"));
  EXPECT_THAT(problemOf("run {name}"), HasSubstr("{command} is missing"));
  EXPECT_THAT(problemOf("run {command"), HasSubstr("'{' at character 5 has no partner"));
  EXPECT_THAT(problemOf("run {command} }"), HasSubstr("'}' at character 15"));
  EXPECT_THAT(problemOf("run {a{command}"), HasSubstr("'{' at character 5"));
}

}  // namespace
}  // namespace vta::launcher
