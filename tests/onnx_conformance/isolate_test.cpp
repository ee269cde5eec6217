// Processes that return, crash and hang.
#include "tests/onnx_conformance/isolate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <set>

namespace vta::conformance {
namespace {

using Tasks = std::vector<std::function<std::string()>>;

TEST(IsolateTest, ResultsComeInTheOrderOfTheTasks) {
  Tasks tasks;
  for (int i = 0; i < 20; ++i) tasks.emplace_back([i] { return std::string(i * 3000, 'x'); });
  std::set<size_t> done;
  auto results = runIsolated(tasks, 3, 60, [&](size_t index, const IsolatedResult&) {
    EXPECT_TRUE(done.insert(index).second);
  });
  ASSERT_EQ(results.size(), tasks.size());
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].end, End::kReturned);
    EXPECT_EQ(results[i].text.size(), i * 3000);
  }
  EXPECT_EQ(done.size(), tasks.size());
}

TEST(IsolateTest, ACrashEndsOneTaskOnly) {
  auto results = runIsolated(
      {[] { return std::string("first"); }, [] { return std::to_string(raise(SIGKILL)); },
       [] {
         _exit(3);
         return std::string();
       },
       [] { return std::string("last"); }},
      2, 60);
  EXPECT_EQ(results[0].text, "first");
  EXPECT_EQ(results[1].end, End::kCrashed);
  EXPECT_EQ(results[1].text, "signal 9");
  EXPECT_EQ(results[2].end, End::kCrashed);
  EXPECT_EQ(results[2].text, "exit status 3");
  EXPECT_EQ(results[3].text, "last");
}

TEST(IsolateTest, AHangIsKilled) {
  auto results = runIsolated({[] {
                                for (;;) pause();
                                return std::string();
                              },
                              [] { return std::string("done"); }},
                             1, 0.2);
  EXPECT_EQ(results[0].end, End::kHung);
  EXPECT_EQ(results[1].text, "done");
}

}  // namespace
}  // namespace vta::conformance
