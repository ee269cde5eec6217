#include "base/process/worker_processes.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <map>

namespace vta {
namespace {

using End = WorkerAnswer::End;

std::map<size_t, WorkerAnswer> run(WorkerProcesses& processes,
                                   const std::vector<std::string>& requests) {
  std::map<size_t, WorkerAnswer> answers;
  processes.run(
      requests.size(), [&](size_t task) { return requests[task]; },
      [&](size_t task, WorkerAnswer answer) { answers.emplace(task, std::move(answer)); });
  return answers;
}

TEST(WorkerProcesses, LongAndEmptyTextsTravel) {
  WorkerProcesses processes(2, {});
  processes.setBody([](std::string_view request) { return std::string(request) + "!"; });
  const auto answers = run(processes, {std::string(500'000, 'x'), "", "a"});
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers.at(0).text, std::string(500'000, 'x') + "!");
  EXPECT_EQ(answers.at(1).text, "!");
  EXPECT_EQ(answers.at(2).text, "a!");
}

TEST(WorkerProcesses, ANewBodyIsForTheNextTasks) {
  WorkerProcesses processes(1, {});
  processes.setBody([](std::string_view) { return std::string("first"); });
  ASSERT_TRUE(processes.start().ok());
  EXPECT_EQ(run(processes, {""}).at(0).text, "first");
  processes.setBody([](std::string_view) { return std::string("second"); });
  EXPECT_EQ(run(processes, {""}).at(0).text, "second");
}

TEST(WorkerProcesses, ASystemWithoutRoomIsSaidForEveryTask) {
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  WorkerProcesses processes(2, {});
  processes.setBody([](std::string_view) { return std::string(); });
  const rlimit none = {.rlim_cur = 3, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const Status started = processes.start();
  const auto answers = run(processes, {"", "", ""});
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(started.code(), StatusCode::kResourceExhausted);
  ASSERT_EQ(answers.size(), 3u);
  for (const auto& [task, answer] : answers) {
    EXPECT_EQ(answer.end, End::kNoProcess);
    EXPECT_NE(answer.text.find("cannot make a socket for a worker"), std::string::npos);
  }
}

}  // namespace
}  // namespace vta
