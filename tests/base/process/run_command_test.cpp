#include "base/process/run_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace vta {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> shell(const std::string& line) { return {"/bin/sh", "-c", line}; }

TEST(RunCommand, TakesOutputAndErrors) {
  for (const CommandOptions& options : {CommandOptions(), CommandOptions{.limit = std::nullopt}}) {
    const auto result = runCommand(shell("echo a; echo b; echo c >&2; echo d >&2"), options);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_TRUE(result->end.ok());
    EXPECT_EQ(result->output, "a\nb\n");
    EXPECT_EQ(result->errors, "c d");
  }
}

TEST(RunCommand, ErrorsCanBelongToTheOutput) {
  const auto result =
      runCommand(shell("echo a; echo b >&2; echo c; exit 1"), {.merge_errors = true});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->output, "a\nb\nc\n");
  EXPECT_EQ(result->errors, "");
  EXPECT_EQ(describeFailure("it", *result), "it: exit code 1: a b c");
}

TEST(RunCommand, FailuresAreDescribedByWhatWasSaid) {
  EXPECT_EQ(describeFailure("it", *runCommand(shell("echo a; echo b >&2; exit 4"))),
            "it: exit code 4: b");
  EXPECT_EQ(describeFailure("it", *runCommand(shell("echo a; exit 4"))), "it: exit code 4: a");
  EXPECT_EQ(describeFailure("it", *runCommand(shell("kill -KILL $$"))), "it: signal 9 (Killed)");
}

TEST(RunCommand, NamesAProgramThatIsMissing) {
  const auto result = runCommand(std::vector<std::string>{"no-such-program", "x"});
  EXPECT_EQ(result.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(result.status().message(), HasSubstr("'no-such-program'"));
}

TEST(RunCommand, KillsWhatTakesTooLong) {
  // With its output open, and with it closed.
  for (const char* line : {"sleep 1000", "exec >&- 2>&-; sleep 1000"}) {
    const auto result = runCommand(shell(line), {.limit = std::chrono::seconds(1)});
    EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
    EXPECT_THAT(result.status().message(), HasSubstr("no answer within 1 s"));
  }
}

TEST(RunCommand, LongTextsBecomeTheirEndOnOneLine) {
  EXPECT_EQ(oneLine("  a\n\n b\t"), "a b");
  EXPECT_EQ(oneLine("12345", 4), "...2345");
}

}  // namespace
}  // namespace vta
