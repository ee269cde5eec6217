#include "explore/sweep/workers/job_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <map>
#include <thread>

namespace vta::sweep {
namespace {

using testing::HasSubstr;

std::map<size_t, Result<std::string>> runJobs(JobPool& pool, const std::vector<size_t>& jobs,
                                              const JobPool::Body& body) {
  std::map<size_t, Result<std::string>> results;
  const Status status = pool.run(jobs, body, [&](size_t job, const Result<std::string>& result) {
    results.emplace(job, result);
  });
  EXPECT_TRUE(status.ok()) << status.message();
  return results;
}

TEST(JobPool, RunsEveryJobAndKeepsLongResults) {
  JobPool pool(3);
  const auto results = runJobs(pool, {0, 1, 2, 3, 4}, [](size_t job) -> Result<std::string> {
    return std::string(300'000, static_cast<char>('a' + job));
  });
  ASSERT_EQ(results.size(), 5u);
  for (const auto& [job, result] : results) {
    EXPECT_EQ(*result, std::string(300'000, static_cast<char>('a' + job)));
  }
}

TEST(JobPool, ErrorsComeBack) {
  JobPool pool(1);
  const auto results = runJobs(
      pool, {7}, [](size_t) -> Result<std::string> { return unsupported("layer 'x': no"); });
  EXPECT_EQ(results.at(7).status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(results.at(7).status().message(), "layer 'x': no");
}

TEST(JobPool, ACrashCostsOneJob) {
  JobPool pool(2);
  const auto results = runJobs(pool, {0, 1, 2, 3, 4, 5}, [](size_t job) -> Result<std::string> {
    if (job == 2) raise(SIGKILL);
    if (job == 4) _exit(3);
    return std::string("fine");
  });
  ASSERT_EQ(results.size(), 6u);
  EXPECT_THAT(results.at(2).status().message(), HasSubstr("signal 9"));
  EXPECT_THAT(results.at(4).status().message(), HasSubstr("exit code 3"));
  for (const size_t job : {0, 1, 3, 5}) EXPECT_EQ(*results.at(job), "fine");
}

TEST(JobPool, AHangCostsOneJob) {
  JobPool pool(1, {.timeout = std::chrono::milliseconds(300)});
  const auto results = runJobs(pool, {0, 1}, [](size_t job) -> Result<std::string> {
    if (job == 0) std::this_thread::sleep_for(std::chrono::minutes(10));
    return std::string("fine");
  });
  EXPECT_EQ(results.at(0).status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(*results.at(1), "fine");
}

TEST(JobPool, AProcessEndsAfterItsJobs) {
  JobPool pool(1, {.timeout = std::chrono::minutes(1), .tasks_of_a_process = 2});
  const auto results = runJobs(
      pool, {0, 1, 2, 3}, [](size_t) -> Result<std::string> { return std::to_string(getpid()); });
  EXPECT_EQ(*results.at(0), *results.at(1));
  EXPECT_NE(*results.at(1), *results.at(2));
}

TEST(JobPool, StopsBetweenJobs) {
  JobPool pool(1);
  std::atomic<bool> stop = false;
  size_t done = 0;
  const Status status = pool.run(
      {0, 1, 2}, [](size_t) -> Result<std::string> { return std::string(); },
      [&](size_t, const Result<std::string>&) {
        ++done;
        stop = true;
      },
      &stop);
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(done, 1u);
}

}  // namespace
}  // namespace vta::sweep
