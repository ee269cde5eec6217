#include "module/analysis/crossings.h"

#include <gtest/gtest.h>

#include "tests/module/two_machines.h"

namespace vta {
namespace {

ModuleInfo modelWith(size_t tensors) {
  ModuleInfo info;
  test::addTwoMachines(info);
  for (size_t i = 0; i < tensors; ++i) {
    info.tensors.push_back({"t", DType::kI8, {64}, test::kDeviceSpace, 64 * i, 64});
  }
  return info;
}

StepInfo host(std::vector<uint32_t> arguments) {
  StepInfo step;
  step.executor = kCpuExecutor;
  step.arguments = std::move(arguments);
  return step;
}

StepInfo kernel(std::vector<uint32_t> arguments) {
  StepInfo step = host(std::move(arguments));
  step.executor = test::kVtaExecutor;
  return step;
}

TEST(Crossings, NoneWhereTheHostOnlyBeginsAndEnds) {
  ModuleInfo info = modelWith(5);
  info.steps = {host({0, 1}), kernel({1, 2}), kernel({2, 3}), host({3, 4})};
  EXPECT_TRUE(findCrossings(info).empty());
}

TEST(Crossings, OneForATensorThatComesBackThroughTwoHostSteps) {
  ModuleInfo info = modelWith(6);
  info.steps = {host({0, 1}), kernel({1, 2}), host({2, 3}), host({3, 4}), kernel({4, 5})};
  const std::vector<Crossing> crossings = findCrossings(info);
  ASSERT_EQ(crossings.size(), 1U);
  EXPECT_EQ(crossings[0].tensor, 2U);
  EXPECT_EQ(crossings[0].step, 2U);
}

TEST(Crossings, ATensorCountsOnceHoweverManyReadIt) {
  ModuleInfo info = modelWith(6);
  info.steps = {kernel({0, 1}), host({1, 2}), host({1, 3}), kernel({2, 3, 4})};
  EXPECT_EQ(findCrossings(info).size(), 1U);
}

TEST(Crossings, PartsOfOneTensorAreToldApart) {
  ModuleInfo info = modelWith(4);
  // 0 is a whole of two parts, 1 and 2, in one place.
  info.tensors[0] = {"whole", DType::kI8, {128}, test::kDeviceSpace, 0, 128};
  info.tensors[1] = {"part", DType::kI8, {64}, test::kDeviceSpace, 0, 64, 0};
  info.tensors[2] = {"part", DType::kI8, {64}, test::kDeviceSpace, 64, 64, 0};
  info.steps = {kernel({3, 1}), host({3, 2}), kernel({0, 3})};
  EXPECT_TRUE(findCrossings(info).empty());
  info.steps = {kernel({3, 1}), host({1, 2}), kernel({0, 3})};
  EXPECT_EQ(findCrossings(info).size(), 1U);
  info.steps = {kernel({3, 1}), host({0, 3}), kernel({3, 2})};
  EXPECT_EQ(findCrossings(info).size(), 1U);
}

}  // namespace
}  // namespace vta
