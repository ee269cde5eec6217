#include "explore/tune/dataset/training.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "explore/tune/dataset/part.h"
#include "explore/tune/task/task_text.h"

namespace vta::tune {
namespace {

const std::atomic<bool> kGoOn = false;

TEST(Training, SamplesAreThePointsOfTheDataSet) {
  std::vector<uint64_t> cycles;
  std::set<std::pair<int64_t, std::string>> groups;
  ASSERT_TRUE(
      visitPoints(3, 0, 40, kGoOn, [&](const Point& point) {
        cycles.push_back(point.counters.cycles);
        groups.emplace(point.group, keyOf(Task{*point.desc, *point.hw, *point.memory, {}}).memory);
      }).ok());
  int64_t done = 0;
  const auto samples = samplesOfPart(3, 0, 40, kGoOn, [&] { ++done; });
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  EXPECT_EQ(done, 40);
  ASSERT_EQ(samples->size(), cycles.size());
  std::set<uint32_t> numbers;
  for (size_t i = 0; i < cycles.size(); ++i) {
    EXPECT_EQ((*samples)[i].cycles, cycles[i]);
    EXPECT_GT((*samples)[i].estimate, 0);
    numbers.insert((*samples)[i].group);
  }
  EXPECT_EQ(numbers.size(), groups.size());
}

TEST(Training, EndsWhenItIsStopped) {
  const std::atomic<bool> stop = true;
  const auto samples = samplesOfPart(3, 0, 40, stop);
  ASSERT_TRUE(samples.ok());
  EXPECT_TRUE(samples->empty());
}

// The squared error of the logarithm of the cycles, on average.
double errorOf(const CostModel& model, std::span<const Sample> samples) {
  std::vector<Features> rows;
  std::vector<double> estimates;
  for (const Sample& sample : samples) {
    rows.push_back(sample.features);
    estimates.push_back(sample.estimate);
  }
  const auto scores = model.predict(rows, estimates);
  double sum = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double error = (*scores)[i] - std::log(static_cast<double>(samples[i].cycles));
    sum += error * error;
  }
  return sum / static_cast<double>(samples.size());
}

std::string shippedModel() {
  std::ifstream in(VTA_SOURCE_DIR "/configs/tuning/cost-model.json");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(ShippedCostModel, FitsTheFeaturesAndKnowsMoreThanTheEstimate) {
  CostModel model({});
  const std::string text = shippedModel();
  EXPECT_LT(text.size(), 2'000'000u);
  const Status status = model.loadJson(text);
  ASSERT_TRUE(status.ok()) << status.message() << ": make it again with vta-dataset --cost-model";
  // Points that it has not learned from: they have another seed.
  const auto samples = samplesOfPart(77, 0, 300, kGoOn);
  ASSERT_TRUE(samples.ok());
  EXPECT_LT(errorOf(model, *samples), 0.5 * errorOf(CostModel({}), *samples));
}

TEST(ShippedCostModel, IsRefusedWithOtherFeatures) {
  std::string text = shippedModel();
  const size_t at = text.find("\"log_macs\",");
  ASSERT_NE(at, std::string::npos);
  text.erase(at, std::string_view("\"log_macs\",").size());
  CostModel model({});
  const Status status = model.loadJson(text);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("73 features"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("74"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace vta::tune
