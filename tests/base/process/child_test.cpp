#include "base/process/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <cerrno>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/temporary_folder.h"

namespace vta {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> shell(const std::string& line) { return {"/bin/sh", "-c", line}; }

std::string readAll(int file) {
  std::string text;
  char buffer[256];
  for (;;) {
    const ssize_t count = read(file, buffer, sizeof(buffer));
    if (count == 0) return text;
    if (count > 0) text.append(buffer, static_cast<size_t>(count));
    pollfd polled = {file, POLLIN, 0};
    poll(&polled, 1, 1000);
  }
}

TEST(Child, AnswersThroughItsPipes) {
  auto child = Child::start(std::vector<std::string>{"cat"}, {.has_input = true});
  ASSERT_TRUE(child.ok()) << child.status().message();
  EXPECT_FALSE(child->end());
  ASSERT_EQ(write(child->input(), "text", 4), 4);
  char text[5] = {};
  pollfd polled = {child->output(), POLLIN, 0};
  ASSERT_EQ(poll(&polled, 1, 10000), 1);
  EXPECT_EQ(read(child->output(), text, 4), 4);
  EXPECT_STREQ(text, "text");
}

TEST(Child, ReadsNothingWithoutAnInput) {
  auto child = Child::start(std::vector<std::string>{"cat"});
  ASSERT_TRUE(child.ok()) << child.status().message();
  EXPECT_EQ(child->input(), -1);
  EXPECT_EQ(readAll(child->output()), "");
  EXPECT_TRUE(child->wait().ok());
}

TEST(Child, SaysHowItEnded) {
  auto failed = Child::start(shell("exit 3"));
  ASSERT_TRUE(failed.ok());
  EXPECT_EQ(failed->wait().exit_code, 3);
  EXPECT_EQ(failed->end()->text(), "exit code 3");
  EXPECT_FALSE(failed->end()->ok());
  auto killed = Child::start(shell("kill -KILL $$"));
  ASSERT_TRUE(killed.ok());
  EXPECT_EQ(killed->wait().signal, SIGKILL);
  EXPECT_EQ(killed->end()->text(), "signal 9 (Killed)");
  EXPECT_FALSE(killed->end()->ok());
}

TEST(Child, ErrorsGoWithTheOutputUnlessTheyHaveAFile) {
  auto both = Child::start(shell("echo out; echo err >&2"));
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(readAll(both->output()), "out\nerr\n");
  const TemporaryFolder folder = *TemporaryFolder::create("vta-test");
  const auto errors = folder.path() / "errors";
  for (int i = 0; i < 2; ++i) {
    auto apart = Child::start(shell("echo out; echo err >&2"), {.error_file = errors});
    ASSERT_TRUE(apart.ok());
    EXPECT_EQ(readAll(apart->output()), "out\n");
  }
  EXPECT_EQ(*readTextFile(errors), "err\nerr\n");
}

TEST(Child, RunsInAFolderAndAddsToAFile) {
  const TemporaryFolder folder = *TemporaryFolder::create("vta-test");
  const auto log = folder.path() / "log";
  auto child =
      Child::start(shell("pwd; echo err >&2"), {.output_file = log, .directory = folder.path()});
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child->output(), -1);
  EXPECT_TRUE(child->wait().ok());
  EXPECT_EQ(*readTextFile(log), std::filesystem::canonical(folder.path()).string() + "\nerr\n");
}

TEST(Child, NamesWhatIsMissing) {
  const auto program = Child::start(std::vector<std::string>{"no-such-program"});
  EXPECT_EQ(program.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(program.status().message(), HasSubstr("'no-such-program'"));
  const auto folder = Child::start(shell("true"), {.directory = "/no/such/folder"});
  EXPECT_EQ(folder.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(folder.status().message(), HasSubstr("/no/such/folder"));
  for (const ChildOptions& options : {ChildOptions{.output_file = "/no/such/folder/file"},
                                      ChildOptions{.error_file = "/no/such/folder/file"}}) {
    const auto file = Child::start(shell("true"), options);
    EXPECT_EQ(file.status().code(), StatusCode::kIoError);
    EXPECT_THAT(file.status().message(), HasSubstr("/no/such/folder/file"));
  }
}

TEST(Child, IsKilledWithWhatItStarted) {
  auto child = Child::start(shell("sleep 1000 & echo $!; wait"));
  ASSERT_TRUE(child.ok());
  char text[32] = {};
  pollfd polled = {child->output(), POLLIN, 0};
  ASSERT_EQ(poll(&polled, 1, 10000), 1);
  ASSERT_GT(read(child->output(), text, sizeof(text) - 1), 0);
  child->kill();
  EXPECT_EQ(child->end()->signal, SIGKILL);
  // Its end of the pipe closes when the last of the group is gone.
  EXPECT_EQ(readAll(child->output()), "");
}

}  // namespace
}  // namespace vta
