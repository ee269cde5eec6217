#include "explore/tune/model/cost_model.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <random>
#include <set>
#include <string>
#include "explore/tune/space/features.h"

namespace vta::tune {
namespace {

// Cycles that depend on two features, which the estimate does not know.
std::vector<Sample> makeSamples(int count, uint32_t group) {
  std::mt19937 random(group + 1);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    Sample sample{.estimate = 1000.0 * (group + 1), .group = group};
    for (float& feature : sample.features) feature = uniform(random);
    const double factor = 1 + sample.features[5] + 2 * sample.features[9];
    sample.cycles = static_cast<uint64_t>(sample.estimate * factor);
    samples.push_back(sample);
  }
  return samples;
}

// The share of pairs that are in the right order.
double orderedShare(const CostModel& model, std::span<const Sample> samples) {
  std::vector<Features> rows;
  std::vector<double> estimates;
  for (const Sample& sample : samples) {
    rows.push_back(sample.features);
    estimates.push_back(sample.estimate);
  }
  const auto scores = model.predict(rows, estimates);
  int right = 0;
  int pairs = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (samples[i].cycles == samples[j].cycles) continue;
      ++pairs;
      right += ((*scores)[i] < (*scores)[j]) == (samples[i].cycles < samples[j].cycles) ? 1 : 0;
    }
  }
  return static_cast<double>(right) / pairs;
}

class CostModels : public ::testing::TestWithParam<Objective> {};

TEST_P(CostModels, LearnWhatTheEstimateDoesNotKnow) {
  CostModel model({.objective = GetParam()});
  const std::vector<Sample> held_out = makeSamples(100, 7);
  std::vector<Sample> samples = makeSamples(300, 0);
  const std::vector<Sample> more = makeSamples(300, 1);
  samples.insert(samples.end(), more.begin(), more.end());
  ASSERT_TRUE(model.fit(samples).ok());
  EXPECT_GT(orderedShare(model, held_out), 0.85);
  const auto importance = model.importance(featureNames());
  ASSERT_TRUE(importance.ok());
  ASSERT_GE(importance->size(), 2u);
  const std::set<std::string> most = {(*importance)[0].first, (*importance)[1].first};
  EXPECT_TRUE(most.contains(std::string(featureNames()[5])));
  EXPECT_TRUE(most.contains(std::string(featureNames()[9])));
}

TEST_P(CostModels, AreReadBack) {
  CostModel model({.objective = GetParam()});
  const std::vector<Sample> samples = makeSamples(200, 0);
  ASSERT_TRUE(model.fit(samples).ok());
  const auto text = model.toJson();
  ASSERT_TRUE(text.ok()) << text.status().message();
  CostModel read({});
  const Status status = read.loadJson(*text);
  ASSERT_TRUE(status.ok()) << status.message();
  const std::vector<Features> rows = {samples[0].features, samples[1].features};
  const std::vector<double> estimates = {samples[0].estimate, samples[1].estimate};
  EXPECT_EQ(*read.predict(rows, estimates), *model.predict(rows, estimates));
}
INSTANTIATE_TEST_SUITE_P(Objectives, CostModels,
                         ::testing::Values(Objective::kRank, Objective::kResidual),
                         [](const auto& info) {
                           return info.param == Objective::kRank ? "Rank" : "Residual";
                         });

TEST(CostModel, PredictsTheEstimateBeforeItLearned) {
  const CostModel model({});
  const std::vector<Features> rows(2);
  const std::vector<double> estimates = {100, 50};
  const auto scores = model.predict(rows, estimates);
  ASSERT_TRUE(scores.ok());
  EXPECT_DOUBLE_EQ((*scores)[0], std::log(100));
  EXPECT_FALSE(model.toJson().ok());
}

TEST(CostModel, RefusesForeignText) {
  for (const char* text :
       {"", "[]", "{}", R"({"format": "vta-cost-model-1"})", R"({"format": 1, "trees": {}})",
        R"({"format": "vta-cost-model-1", "features": ["a"], "trees": {}})"}) {
    CostModel model({});
    EXPECT_EQ(model.loadJson(text).code(), StatusCode::kInvalidArgument) << text;
  }
}

// XGBoost looks at no number of a file before it follows it.
TEST(CostModel, RefusesTreesThatAreNone) {
  using Json = nlohmann::json;
  CostModel model({});
  ASSERT_TRUE(model.fit(makeSamples(200, 0)).ok());
  const Json saved = Json::parse(*model.toJson());
  const std::string tree = "/trees/learner/gradient_booster/model/trees/0";
  const std::pair<std::string, Json> changes[] = {{"/left_children/0", 1'000'000},
                                                  {"/left_children/0", 0},  // a circle
                                                  {"/left_children/0", -1},
                                                  {"/left_children/0", -2},
                                                  {"/left_children/0", 1.5},
                                                  {"/right_children/0", "1"},
                                                  {"/right_children", Json::array()},
                                                  {"/left_children", Json::array()},
                                                  {"/split_indices/0", kFeatureCount},
                                                  {"/split_indices/0", -1},
                                                  {"/split_type/0", 1},
                                                  {"/split_conditions/0", nullptr},
                                                  {"/default_left", 3},
                                                  {"", 7}};
  for (const auto& [place, value] : changes) {
    Json changed = saved;
    changed[Json::json_pointer(tree + place)] = value;
    CostModel read({});
    const Status status = read.loadJson(changed.dump());
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << place << " " << value;
    EXPECT_NE(status.message().find("vta-dataset"), std::string::npos) << status.message();
  }
  for (const char* place : {"/trees/version", "/trees/learner", "/trees/learner/gradient_booster",
                            "/trees/learner/gradient_booster/model/trees"}) {
    Json changed = saved;
    changed[Json::json_pointer(place)] = Json::array();
    CostModel read({});
    EXPECT_EQ(read.loadJson(changed.dump()).code(), StatusCode::kInvalidArgument) << place;
  }
}

}  // namespace
}  // namespace vta::tune
