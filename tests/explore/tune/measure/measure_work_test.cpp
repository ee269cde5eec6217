#include "explore/tune/measure/measure_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explore/tune/measure/simulator.h"
#include "explore/tune/space/vta_space.h"
#include "tests/explore/tune/tasks.h"

namespace vta::tune {
namespace {

using launcher::Json;
using ::testing::HasSubstr;

MeasureWork makeWork() {
  return MeasureWork("vta-tune 1", [](const Json&) -> Result<std::unique_ptr<Measurer>> {
    return makeLocalMeasurer();
  });
}

TEST(MeasureWork, MeasuresLikeThisProcess) {
  const Task task = testing::smallTask();
  const VtaSpace space = *VtaSpace::create(task);
  MeasureWork work = makeWork();
  const auto ready = work.setUp({{"version", "vta-tune 1"}});
  ASSERT_TRUE(ready.ok());
  EXPECT_EQ((*ready)["source"], kSimulatorSource);

  const Json context = taskContext(keyOf(task), kAnyCycles);
  EXPECT_TRUE(work.process(context, {Json()})->front().is_null());
  const auto results = work.process(context, {Json::parse(scheduleText(space.schedule(0))),
                                              Json::parse(scheduleText(space.schedule(5)))});
  ASSERT_TRUE(results.ok()) << results.status().message();
  const auto local = makeLocalMeasurer();
  ASSERT_TRUE(local->begin(task).ok());
  const kernel::Schedule schedules[] = {space.schedule(0), space.schedule(5)};
  const auto expected = local->measure(schedules, kAnyCycles);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(parseMeasurement((*results)[i])->cycles, expected[i].cycles);
  }
}

TEST(MeasureWork, RefusesAnotherVersion) {
  const auto ready = makeWork().setUp({{"version", "vta-tune 2"}});
  EXPECT_THAT(ready.status().message(), HasSubstr("this worker is vta-tune 1"));
  EXPECT_THAT(ready.status().message(), HasSubstr("vta-tune 2"));
}

TEST(MeasureWork, SaysWhyATaskCannotBeMeasured) {
  MeasureWork work = makeWork();
  ASSERT_TRUE(work.setUp({{"version", "vta-tune 1"}}).ok());
  Json context = taskContext(keyOf(testing::smallTask()), kAnyCycles);
  context["memory"] = "{}";
  const auto tried = work.process(context, {Json()});
  ASSERT_TRUE(tried.ok());
  EXPECT_TRUE(tried->front().is_string());
}

TEST(Measurements, AreTextsAndBack) {
  const Measurement failed = {Outcome::kFailed, 0, "no luck"};
  const auto back = parseMeasurement(measurementJson(failed));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->outcome, Outcome::kFailed);
  EXPECT_EQ(back->error, "no luck");
  for (const Json& nonsense : {Json(), Json::object(), Json{{"outcome", "great"}},
                               Json{{"outcome", "cycles"}, {"cycles", -1}}}) {
    EXPECT_FALSE(parseMeasurement(nonsense).ok()) << nonsense;
  }
}

}  // namespace
}  // namespace vta::tune
