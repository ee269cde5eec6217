#include "explore/sweep/evaluate/network_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explore/sweep/network/outline_text.h"
#include "tests/explore/sweep/digits_outline.h"

namespace vta::sweep {
namespace {

using launcher::ItemResult;
using launcher::Json;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

const Json kSetup = networkSetup("vta-sweep 1", 2, 60s);

/// As a farm gives results back.
std::optional<Result<std::string>> received(const Json& result) {
  return networkResult({ItemResult::State::kDone, result, 1});
}

TEST(NetworkWork, SimulatesLikeThisProcess) {
  const compiler::ModuleOutline outline = testing::outlineOfDigits();
  NetworkJob slow;
  slow.memory.simple.latency_cycles = 200;
  NetworkJob layers;
  layers.is_per_layer = true;
  const NetworkJob jobs[] = {NetworkJob(), slow, layers};

  NetworkWork work("vta-sweep 1");
  ASSERT_TRUE(work.setUp(kSetup).ok());
  const auto results = work.process(networkContext(encodeOutline(outline)),
                                    {jobJson(jobs[0]), jobJson(jobs[1]), jobJson(jobs[2])});
  ASSERT_TRUE(results.ok()) << results.status().message();
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::size(jobs); ++i) {
    const auto expected = simulateNetwork(outline, jobs[i], {});
    ASSERT_TRUE(expected.ok());
    const auto result = received((*results)[i]);
    ASSERT_TRUE(result && result->ok());
    EXPECT_EQ(**result, *expected);
    texts.push_back(*expected);
  }
  EXPECT_NE(texts[0], texts[1]);
}

TEST(NetworkJob, TextsKeepHowSchedulesAreChosen) {
  for (const Effort& effort :
       {Effort(Effort::kEstimated), Effort(Effort::kSimulated), Effort("random", 12)}) {
    NetworkJob job;
    job.effort = effort;
    const auto read = parseJob(jobJson(job));
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(effortName(read->effort), effortName(effort));
  }
  EXPECT_FALSE(parseEffort("searched random").ok());
  EXPECT_FALSE(parseEffort("guessed").ok());
}

TEST(NetworkWork, RefusesAnotherVersion) {
  const auto ready = NetworkWork("vta-sweep 2").setUp(kSetup);
  EXPECT_THAT(ready.status().message(), HasSubstr("this worker is vta-sweep 2"));
  EXPECT_THAT(ready.status().message(), HasSubstr("vta-sweep 1"));
}

TEST(NetworkWork, RefusesTextsThatMakeNoSense) {
  NetworkWork work("vta-sweep 1");
  ASSERT_TRUE(work.setUp(kSetup).ok());
  const Json context = networkContext(encodeOutline(testing::outlineOfDigits()));
  EXPECT_FALSE(work.process({{"outline", "cut off"}}, {}).ok());
  Json job = jobJson({});
  job["memory"] = "{";
  EXPECT_FALSE(work.process(context, {job}).ok());
  job = jobJson({});
  job["effort"] = "great";
  EXPECT_THAT(work.process(context, {job}).status().message(), HasSubstr("'great'"));
  job.erase("effort");
  EXPECT_THROW(static_cast<void>(work.process(context, {job})), nlohmann::json::exception);
}

TEST(NetworkResult, SaysWhatBecameOfAnItem) {
  EXPECT_FALSE(networkResult({ItemResult::State::kNotDone, {}, 0}));
  EXPECT_THAT(networkResult({ItemResult::State::kLost, {}, 3})->status().message(),
              HasSubstr("3 times"));
  EXPECT_EQ(received({{"error", "no room"}})->status().message(), "no room");
  EXPECT_FALSE(received({{"text", 7}})->ok());
  EXPECT_FALSE(received(Json::array())->ok());
}

}  // namespace
}  // namespace vta::sweep
