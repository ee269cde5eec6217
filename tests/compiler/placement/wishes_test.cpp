// Rules of --place: how they are read, what they fit, and what is wrong with them.
#include "compiler/placement/wishes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vta::placement {
namespace {

using ::testing::HasSubstr;

std::vector<PlaceRule> rulesOf(const std::vector<std::string>& texts) {
  std::vector<PlaceRule> rules;
  for (const std::string& text : texts) rules.push_back(*parsePlaceRule(text));
  return rules;
}

TEST(PlaceRules, AreReadFromTheLastEqualsSign) {
  const auto rule = parsePlaceRule("a=b/conv*=gpu");
  ASSERT_TRUE(rule.ok());
  EXPECT_EQ(rule->pattern, "a=b/conv*");
  EXPECT_EQ(rule->machine, "gpu");
  for (const char* wrong : {"", "conv", "=gpu", "conv="}) {
    EXPECT_EQ(parsePlaceRule(wrong).status().code(), StatusCode::kInvalidArgument) << wrong;
  }
}

TEST(PlaceRules, PatternsStandForLetters) {
  const auto fits = [](const char* pattern, const char* layer) {
    return !machineFor({{pattern, "cpu"}}, layer).empty();
  };
  EXPECT_TRUE(fits("conv1", "conv1"));
  EXPECT_FALSE(fits("conv1", "conv12"));
  EXPECT_FALSE(fits("conv12", "conv1"));
  EXPECT_TRUE(fits("*", ""));
  EXPECT_TRUE(fits("conv*", "conv"));
  EXPECT_TRUE(fits("*/conv?/*", "net/block/conv2/add"));
  EXPECT_FALSE(fits("*/conv?/*", "net/block/conv/add"));
  EXPECT_TRUE(fits("*a*b", "aab_ab"));
  EXPECT_FALSE(fits("*a*b", "aab_aba"));
}

TEST(PlaceRules, TheLastOneThatFitsCounts) {
  const auto rules = rulesOf({"*=gpu", "conv*=cpu", "conv2=vta"});
  EXPECT_EQ(machineFor(rules, "relu"), "gpu");
  EXPECT_EQ(machineFor(rules, "conv1"), "cpu");
  EXPECT_EQ(machineFor(rules, "conv2"), "vta");
  EXPECT_EQ(machineFor({}, "conv2"), "");
}

TEST(PlaceRules, NamesAreThoseOfLayersAndMachines) {
  const std::vector<std::string> layers = {"conv_first", "conv_last"}, machines = {"cpu", "gpu"};
  EXPECT_TRUE(checkRules(rulesOf({"conv_*=gpu", "conv_last=cpu"}), layers, machines).ok());
  const Status layer = checkRules(rulesOf({"conv_fisrt=gpu"}), layers, machines);
  EXPECT_EQ(layer.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(layer.message(), HasSubstr("--place conv_fisrt=gpu: the model has no layer of this "
                                         "name; did you mean conv_first?"));
  const Status machine = checkRules(rulesOf({"*=gpus"}), layers, machines);
  EXPECT_THAT(machine.message(), HasSubstr("operators run on cpu, gpu here; did you mean gpu?"));
}

TEST(PlaceRules, WhatIsElsewhereIsTold) {
  EXPECT_EQ(textOf({"nms", "gpu", "cpu", "GPUs have no kernel of it"}),
            "layer 'nms' is for the gpu, but runs on the cpu: GPUs have no kernel of it");
}

}  // namespace
}  // namespace vta::placement
