#include "driver/generate/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace vta::driver {
namespace {

using testing::HasSubstr;

constexpr int kDraws = 20'000;

/// How often each token is chosen.
std::map<int64_t, double> shares(const SamplingOptions& options, const std::vector<float>& scores) {
  Sampler sampler(options);
  std::map<int64_t, double> shares;
  for (int i = 0; i < kDraws; ++i) shares[*sampler.next(scores)] += 1.0 / kDraws;
  return shares;
}

TEST(Sampler, WithoutATemperatureTheLikeliestTokenIsChosen) {
  Sampler sampler({});
  EXPECT_EQ(*sampler.next(std::vector<float>{1, 5, 3}), 1);
  EXPECT_EQ(*sampler.next(std::vector<float>{5, 5, 3}), 0) << "the first of equal ones";
}

TEST(Sampler, TokensAreChosenAsOftenAsTheyAreLikely) {
  const std::vector<float> scores = {0, std::log(2.0F), std::log(5.0F)};
  const auto found = shares({.temperature = 1}, scores);
  for (const auto& [token, share] : found) {
    EXPECT_NEAR(share, std::exp(scores[static_cast<size_t>(token)]) / 8, 0.02) << token;
  }
}

TEST(Sampler, TheTemperatureDividesScores) {
  const auto found = shares({.temperature = 0.5}, {0, std::log(3.0F)});
  EXPECT_NEAR(found.at(1), 0.9, 0.02);
}

TEST(Sampler, TopKLeavesTheLikeliest) {
  const auto found = shares({.temperature = 1, .top_k = 2}, {1, 1, 0, 1.1F});
  EXPECT_EQ(found.size(), 2U);
  EXPECT_TRUE(found.contains(3) && found.contains(0)) << "the first of equal ones";
}

TEST(Sampler, TopPLeavesThoseThatReachTheProbability) {
  // Probabilities of 0.5, 0.3 and 0.2.
  const std::vector<float> scores = {std::log(3.0F), std::log(5.0F), std::log(2.0F)};
  EXPECT_EQ(shares({.temperature = 1, .top_p = 0.4}, scores).size(), 1U);
  EXPECT_EQ(shares({.temperature = 1, .top_p = 0.6}, scores).size(), 2U);
  EXPECT_EQ(shares({.temperature = 1, .top_p = 0.9}, scores).size(), 3U);
}

TEST(Sampler, TheSameSeedChoosesTheSameTokens) {
  const std::vector<float> scores(50, 1);
  Sampler first({.temperature = 1, .seed = 7}), second({.temperature = 1, .seed = 7});
  std::vector<int64_t> tokens;
  for (int i = 0; i < 20; ++i) {
    tokens.push_back(*first.next(scores));
    EXPECT_EQ(tokens.back(), *second.next(scores));
  }
  // On every machine: the generator and what is made of its numbers are the same.
  EXPECT_EQ(tokens.size(), 20U);
  Sampler other({.temperature = 1, .seed = 8});
  bool differs = false;
  for (const int64_t token : tokens) differs |= *other.next(scores) != token;
  EXPECT_TRUE(differs);
}

TEST(Sampler, TokensThatAreRuledOutAreNotChosen) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(shares({.temperature = 2}, {kNever, 0, kNever}).size(), 1U);
}

TEST(Sampler, BadScoresAreErrors) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const double temperature : {0.0, 1.0}) {
    Sampler sampler({.temperature = temperature});
    EXPECT_THAT(sampler.next({}).status().message(), HasSubstr("no scores"));
    for (const float bad : {std::nanf(""), kInfinity}) {
      EXPECT_THAT(sampler.next(std::vector<float>{0, bad}).status().message(),
                  HasSubstr("token 1"));
    }
    EXPECT_THAT(sampler.next(std::vector<float>{-kInfinity, -kInfinity}).status().message(),
                HasSubstr("rules out"));
  }
}

TEST(Sampler, WrongOptionsNameTheirRange) {
  const std::pair<SamplingOptions, const char*> wrong[] = {
      {{.temperature = -1}, "from 0 to 100"}, {{.temperature = std::nan("")}, "from 0 to 100"},
      {{.top_k = -1}, "0, for all, or more"}, {{.top_p = 0}, "above 0"},
      {{.top_p = 1.5}, "at most 1"},          {{.top_p = std::nan("")}, "at most 1"}};
  for (const auto& [options, text] : wrong) {
    EXPECT_THAT(checkSampling(options).message(), HasSubstr(text));
  }
  EXPECT_TRUE(checkSampling({.temperature = 0.8, .top_k = 40, .top_p = 0.9}).ok());
}

}  // namespace
}  // namespace vta::driver
