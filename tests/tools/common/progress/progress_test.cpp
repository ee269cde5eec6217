#include "tools/common/progress/progress_line.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "tools/common/progress/progress_ticker.h"

namespace vta::tools {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ProgressLine, IsSilentWithoutATerminal) {
  ::testing::internal::CaptureStderr();
  {
    ProgressLine progress;
    progress.update("work", 1, 2);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

/// Standard error is a terminal until the end, and what is written there can be read.
class ErrorTerminal {
 public:
  ErrorTerminal() : ours_(posix_openpt(O_RDWR | O_NOCTTY)), before_(dup(STDERR_FILENO)) {
    if (!isThere()) return;
    EXPECT_EQ(grantpt(ours_), 0);
    EXPECT_EQ(unlockpt(ours_), 0);
    const int its = open(ptsname(ours_), O_RDWR | O_NOCTTY);
    EXPECT_GE(dup2(its, STDERR_FILENO), 0);
    close(its);
  }
  ~ErrorTerminal() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    close(ours_);
  }

  /// False on systems without pseudo terminals, such as a bare chroot.
  bool isThere() const { return ours_ >= 0; }

  /// What has been written since the last call, up to `end`, which may take a moment to arrive.
  std::string textUntil(std::string_view end) {
    std::string text;
    pollfd wanted = {ours_, POLLIN, 0};
    while (text.find(end) == std::string::npos && poll(&wanted, 1, 10'000) == 1) {
      char buffer[4096];
      const ssize_t count = read(ours_, buffer, sizeof(buffer));
      if (count <= 0) break;
      text.append(buffer, static_cast<size_t>(count));
    }
    return text;
  }

 private:
  int ours_;
  int before_;
};

TEST(ProgressLine, OnePieceIsAPercentage) {
  ErrorTerminal terminal;
  if (!terminal.isThere()) GTEST_SKIP() << "this system has no pseudo terminals";
  ProgressLine progress;
  progress.update("run", 0.0, 1);
  EXPECT_THAT(terminal.textUntil("run"), Not(HasSubstr("%")));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  progress.update("run", 0.5, 1);
  EXPECT_THAT(terminal.textUntil("left"), ContainsRegex("run 50 %, [0-9]+ s left"));
}

TEST(ProgressLine, APartOfAPieceCountsForTheTimeThatIsLeft) {
  ErrorTerminal terminal;
  if (!terminal.isThere()) GTEST_SKIP() << "this system has no pseudo terminals";
  ProgressLine progress;
  progress.update("run", 0.0, 4);
  EXPECT_THAT(terminal.textUntil("0/4"), HasSubstr("run 0/4"));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  progress.update("run", 1.6, 4);
  EXPECT_THAT(terminal.textUntil("left"), ContainsRegex("run 1/4, [0-9]+ s left"));
}

// The text that changes is the detail: the time that is left is of the phase.
TEST(ProgressLine, ADetailDoesNotBeginAnew) {
  ErrorTerminal terminal;
  if (!terminal.isThere()) GTEST_SKIP() << "this system has no pseudo terminals";
  ProgressLine progress;
  progress.update("tune", 0.0, 4, "trial 1");
  EXPECT_THAT(terminal.textUntil("trial 1"), HasSubstr("tune 0/4: trial 1"));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  progress.update("tune", 0.5, 4, "trial 2");
  EXPECT_THAT(terminal.textUntil("trial 2"), ContainsRegex("tune 0/4, [0-9]+ s left: trial 2"));
}

TEST(ProgressTicker, ShowsAgainAndAgainUntilItsEnd) {
  const ErrorTerminal terminal;
  if (!terminal.isThere()) GTEST_SKIP() << "this system has no pseudo terminals";
  const ProgressLine progress;
  std::atomic<int> count = 0;
  {
    const ProgressTicker ticker(progress, [&] { ++count; });
    while (count < 2) std::this_thread::yield();
  }
  const int at_end = count;
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(count, at_end);
}

TEST(ProgressTicker, DoesNothingWhereNobodySeesIt) {
  ::testing::internal::CaptureStderr();
  const ProgressLine progress;
  std::atomic<int> count = 0;
  {
    const ProgressTicker ticker(progress, [&] { ++count; });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  EXPECT_EQ(count, 0);
  ::testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace vta::tools
