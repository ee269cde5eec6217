#include "compiler/launch/action_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>

#include "tests/module/two_machines.h"

namespace vta::compiler {
namespace {

using test::kDeviceSpace;
using test::kHostSpace;
using test::kVtaExecutor;
using ::testing::ElementsAre;

/// A module of steps on tensors of one byte each; tensor n lies at byte n of device memory.
class ActionPlanTest : public ::testing::Test {
 protected:
  ActionPlanTest() {
    test::addTwoMachines(info_);
    for (uint64_t i = 0; i < 10; ++i) {
      info_.tensors.push_back({"", DType::kI8, {1}, kDeviceSpace, i, 1});
    }
  }

  void host(std::vector<uint32_t> arguments) {
    info_.steps.push_back({kCpuExecutor, 0, 0, std::move(arguments), 1});
  }
  void launch(std::vector<uint32_t> arguments) {
    info_.steps.push_back({kVtaExecutor, 0, 0, std::move(arguments), 1, 0});
  }

  /// "vta 1..2 background", "host 3 waits 1", ...
  std::vector<std::string> plan() const {
    std::vector<std::string> text;
    for (const ActionInfo& action : planActions(info_)) {
      text.push_back(fmt::format("{} {}", action.executor == kVtaExecutor ? "vta" : "host",
                                 action.first_step));
      if (action.step_count > 1) {
        text.back() += fmt::format("..{}", action.first_step + action.step_count - 1);
      }
      if (action.in_background) text.back() += " background";
      for (const WaitInfo& wait : action.waits) {
        EXPECT_EQ(wait.executor, kVtaExecutor);
        text.back() += fmt::format(" waits {}", wait.count);
      }
    }
    return text;
  }

  ModuleInfo info_;
};

TEST_F(ActionPlanTest, NeighboursAreOneLaunchThatItsReaderWaitsFor) {
  host({0, 1});
  launch({1, 2});
  launch({2, 3});
  host({3, 4});
  EXPECT_THAT(plan(), ElementsAre("host 0", "vta 1..2", "host 3"));
}

TEST_F(ActionPlanTest, IndependentHostStepsRunBesideALaunch) {
  launch({1, 2});
  host({1, 5});  // both read 1
  host({5, 6});
  launch({6, 7});
  host({2, 8});
  EXPECT_THAT(plan(), ElementsAre("vta 0 background", "host 1", "host 2", "vta 3 background",
                                  "host 4 waits 1"));
}

TEST_F(ActionPlanTest, ALaunchEndsWhereTheHostCanGoOn) {
  launch({1, 2});
  launch({2, 3});
  launch({2, 4});
  host({3, 5});
  launch({5, 6});
  host({4, 7});
  EXPECT_THAT(plan(), ElementsAre("vta 0..1", "vta 2 background", "host 3", "vta 4 background",
                                  "host 5 waits 1"));
}

TEST_F(ActionPlanTest, OneLaunchWhereAHostStepInFrontNeedsTheLastKernel) {
  launch({1, 2});
  launch({2, 3});
  host({3, 4});
  host({2, 5});
  EXPECT_THAT(plan(), ElementsAre("vta 0..1", "host 2", "host 3"));
}

TEST_F(ActionPlanTest, KernelsMayUseTensorsOfTheHost) {
  info_.tensors[2].space = info_.tensors[3].space = kHostSpace;
  launch({1, 2});
  host({4, 5});
  host({4, 3});
  launch({3, 6});
  host({2, 7});
  EXPECT_THAT(plan(), ElementsAre("vta 0 background", "host 1", "host 2", "vta 3 background",
                                  "host 4 waits 1"));
}

TEST_F(ActionPlanTest, SharedMemoryIsADependence) {
  launch({1, 2});
  host({5, 1});  // writes what the launch reads
  EXPECT_THAT(plan(), ElementsAre("vta 0", "host 1"));
  info_.steps[1].arguments = {5, 2};  // writes what the launch writes
  EXPECT_THAT(plan(), ElementsAre("vta 0", "host 1"));
  info_.steps[1].arguments = {5, 3};
  EXPECT_THAT(plan(), ElementsAre("vta 0 background", "host 1"));
  info_.tensors[3].offset_bytes = 2;  // the same place
  EXPECT_THAT(plan(), ElementsAre("vta 0", "host 1"));
  info_.tensors[3].space = kHostSpace;  // in another memory
  EXPECT_THAT(plan(), ElementsAre("vta 0 background", "host 1"));
}

TEST_F(ActionPlanTest, KernelsWithoutReferencesMayWriteAnyOfTheirTensors) {
  info_.programs = {{kVtaExecutor, {{"", 0, 0}}, {1, 2, -1}}};
  info_.steps.push_back({kVtaExecutor, 0, 0, {}, 1});
  host({1, 3});
  EXPECT_THAT(plan(), ElementsAre("vta 0", "host 1"));
}

}  // namespace
}  // namespace vta::compiler
