// A third kind of machine, which nothing outside of this folder knows, beside the CPU and another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "driver/devices/functional_device.h"
#include "driver/runtime/executor.h"
#include "driver/runtime/pipeline.h"
#include "driver/runtime/session.h"
#include "tests/driver/runtime/remote_device.h"
#include "tests/driver/skeleton/skeleton_memory.h"
#include "tests/driver/skeleton/three_machines.h"

namespace vta::driver::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::unique_ptr<Device> makeVta() {
  auto device =
      FunctionalDevice::create(HwConfig::makeDefault(), {.checked = true, .memory_bytes = 1 << 24});
  EXPECT_TRUE(device.ok()) << device.status().message();
  return *std::move(device);
}

std::shared_ptr<const LoadedModule> load(const ThreeMachinesOptions& options = {}) {
  auto module = LoadedModule::fromMemory(makeThreeMachines(options));
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? *std::move(module) : nullptr;
}

/// The machines of a session, by the kinds of the second one.
struct MachinesUnderTest {
  bool has_vta = true;
  std::unique_ptr<Device> vta = makeVta();
  RemoteDevice unmapped_vta{makeVta()};
  SkeletonMemory other{"skeleton:other"};
  SkeletonMemory skeleton;
  bool is_mapped = true;

  DeviceMap devices() {
    if (!has_vta) return {{"other", &other}, {"skeleton", &skeleton}};
    MemoryDevice* second = is_mapped ? vta.get() : static_cast<MemoryDevice*>(&unmapped_vta);
    return {{"vta", second}, {"skeleton", &skeleton}};
  }
};

enum class Second : uint8_t { kVta, kUnmappedVta, kSkeleton };

class Skeleton : public ::testing::TestWithParam<Second> {
 protected:
  Skeleton() {
    machines_.has_vta = options_.has_vta = GetParam() != Second::kSkeleton;
    machines_.is_mapped = GetParam() == Second::kVta;
  }
  Result<std::unique_ptr<Session>> makeSession(const SessionOptions& session = {}) {
    return Session::create(load(options_), machines_.devices(), session);
  }

  ThreeMachinesOptions options_;
  MachinesUnderTest machines_;
};

INSTANTIATE_TEST_SUITE_P(Beside, Skeleton,
                         ::testing::Values(Second::kVta, Second::kUnmappedVta, Second::kSkeleton),
                         [](const auto& info) {
                           return std::string(info.param == Second::kVta           ? "Vta"
                                              : info.param == Second::kUnmappedVta ? "UnmappedVta"
                                                                                   : "Another");
                         });

void expectOutputs(const RunResult& result, const Tensor& input, int run) {
  EXPECT_EQ(result.outputs.at("y").data, expectedY(input).data);
  EXPECT_EQ(result.outputs.at("t").data, expectedT(input, run).data);
}

TEST_P(Skeleton, ThreeMemoriesGiveTheRightResultsHoweverOneLooks) {
  const Tensor input = threeMachinesInput();
  for (const SessionOptions& options :
       {SessionOptions{}, {.per_layer = true}, {.verify = true}, {.overlap = false}}) {
    auto session = makeSession(options);
    ASSERT_TRUE(session.ok()) << session.status().message();
    for (const int run : {1, 2, 3, 1, 2}) {
      if (run == 1) {
        ASSERT_TRUE((*session)->clearState().ok());
      }
      const auto result = (*session)->run({{"x", input}});
      ASSERT_TRUE(result.ok()) << result.status().message();
      expectOutputs(*result, input, run);
      EXPECT_EQ(result->verified_steps, options.verify ? 5u : 0u);
      EXPECT_EQ(result->layers.empty(), !options.per_layer && !options.verify);
    }
  }
  EXPECT_EQ(machines_.skeleton.bufferCount(), 0u) << "a session frees what it has allocated";
}

TEST_P(Skeleton, CopiesEachTensorOnceToWhereItIsUsed) {
  auto session = makeSession();
  ASSERT_TRUE(session.ok()) << session.status().message();
  SkeletonMemory& skeleton = machines_.skeleton;
  for (int run = 1; run <= 2; ++run) {
    skeleton.writes = skeleton.reads = 0;
    machines_.unmapped_vta.written_bytes = machines_.unmapped_vta.read_bytes = 0;
    machines_.other.writes = machines_.other.reads = 0;
    const auto result = (*session)->run({{"x", threeMachinesInput()}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(skeleton.writes, 4) << "b, d, x and s";
    EXPECT_EQ(skeleton.reads, 3) << "c, e and t";
    if (GetParam() == Second::kUnmappedVta) {
      EXPECT_EQ(machines_.unmapped_vta.written_bytes, 2u * kThreeMachinesBytes) << "a and c";
      EXPECT_EQ(machines_.unmapped_vta.read_bytes, 2u * kThreeMachinesBytes) << "b and d";
    }
    if (GetParam() == Second::kSkeleton) {
      EXPECT_EQ(machines_.other.writes, 2);
      EXPECT_EQ(machines_.other.reads, 2);
    }
  }
}

TEST_P(Skeleton, RunsInTheBackgroundWithoutRaces) {
  const auto module = load(options_);
  ASSERT_NE(module, nullptr);
  bool has_background = false;
  for (const ActionInfo& action : module->info().actions) {
    const bool is_skeleton = module->info().executors[action.executor].name == "skeleton";
    has_background |= is_skeleton && action.in_background;
  }
  EXPECT_TRUE(has_background);
  machines_.skeleton.delay = machines_.other.delay = std::chrono::microseconds(300);
  auto session = makeSession();
  ASSERT_TRUE(session.ok()) << session.status().message();
  Tensor input = threeMachinesInput();
  for (int run = 1; run <= 20; ++run) {
    ASSERT_TRUE((*session)->clearState().ok());
    input.as<int8_t>()[run] += 1;
    const auto result = (*session)->run({{"x", input}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    expectOutputs(*result, input, 1);
  }
}

TEST_P(Skeleton, AFaultNamesTheLayer) {
  options_.code = "fault";
  for (const bool verify : {false, true}) {
    auto session = makeSession(
        {.verify = verify, .explain = [](const SuspectLayer&) { return std::string("of a VTA"); }});
    ASSERT_TRUE(session.ok()) << session.status().message();
    for (int run = 0; run < 2; ++run) {
      const auto result = (*session)->run({{"x", threeMachinesInput()}});
      EXPECT_EQ(result.status().code(), StatusCode::kDeviceFault);
      EXPECT_THAT(result.status().message(),
                  AllOf(HasSubstr("layer 'both': it stopped"), Not(HasSubstr("of a VTA"))));
    }
  }
}

TEST_P(Skeleton, WhatCannotBeCopiedNamesLayerAndMachine) {
  for (const bool verify : {false, true}) {
    auto session = makeSession({.verify = verify});
    ASSERT_TRUE(session.ok()) << session.status().message();
    machines_.skeleton.loses_reads = true;
    auto result = (*session)->run({{"x", threeMachinesInput()}});
    if (!verify) {  // which looks at state first
      EXPECT_THAT(result.status().message(),
                  HasSubstr("layer 'third': copying from the memory of 'skeleton': skeleton:0 "
                            "gives no data"));
    }
    EXPECT_EQ(result.status().code(), StatusCode::kIoError);
    machines_.skeleton.loses_reads = false;
    machines_.skeleton.loses_writes = true;
    result = (*session)->run({{"x", threeMachinesInput()}});
    EXPECT_THAT(result.status().message(), HasSubstr("skeleton:0 takes no data"));
    machines_.skeleton.loses_writes = false;
    ASSERT_TRUE((*session)->clearState().ok());
    result = (*session)->run({{"x", threeMachinesInput()}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    expectOutputs(*result, threeMachinesInput(), 1);
  }
}

TEST_P(Skeleton, AResultThatDiffersFromTheReferenceNamesTheMachine) {
  options_.code = "sum";
  auto module = load(options_);
  ASSERT_NE(module, nullptr);
  // Memory that gives wrong bytes back once the skeleton has run.
  auto session = makeSession({.verify = true});
  ASSERT_TRUE(session.ok()) << session.status().message();
  machines_.skeleton.flips_reads = true;
  const auto result = (*session)->run({{"x", threeMachinesInput()}});
  EXPECT_EQ(result.status().code(), StatusCode::kDeviceFault);
  EXPECT_THAT(result.status().message(),
              AllOf(HasSubstr("layer 'third'"), HasSubstr("the SKELETON's result differs")));
}

TEST_P(Skeleton, TakesTheBestCodeForItsMachine) {
  options_.targets = {"v3", "v1"};
  EXPECT_TRUE(makeSession().ok());
  options_.targets = {"v3"};
  EXPECT_THAT(makeSession().status().message(),
              AllOf(HasSubstr("layer '"), HasSubstr("no code for skeleton:")));
}

TEST_P(Skeleton, NeedsAMachineOfItsKind) {
  DeviceMap devices = machines_.devices();
  devices.erase("skeleton");
  EXPECT_THAT(Session::create(load(options_), devices, {}).status().message(),
              HasSubstr("needs a skeleton to run on, for its executor 'skeleton'"));
  devices["skeleton"] = machines_.vta.get();
  EXPECT_THAT(Session::create(load(options_), devices, {}).status().message(),
              HasSubstr("needs a skeleton"));
}

TEST_P(Skeleton, SaysWhenItsMemoryIsTooSmall) {
  machines_.skeleton.capacity_bytes = 1000;
  EXPECT_EQ(makeSession().status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(machines_.skeleton.bufferCount(), 0u);
}

TEST_P(Skeleton, OpenSizesAreInTheModuleAndRefusedClearly) {
  options_.has_open_size = true;
  const std::vector<std::byte> file = makeThreeMachines(options_);
  const auto view = viewModule(file);
  ASSERT_TRUE(view.ok()) << view.status().message();
  ASSERT_EQ(view->info.sizes.size(), 1u);
  EXPECT_EQ(view->info.sizes[0].name, "n");
  EXPECT_THAT(LoadedModule::fromMemory(file).status().message(), HasSubstr("size 'n'"));
}

TEST(SkeletonBesideVta, AVtaNeedsAVta) {
  SkeletonMemory first, second{"skeleton:1"};
  EXPECT_THAT(
      Session::create(load(), DeviceMap{{"vta", &first}, {"skeleton", &second}}, {})
          .status()
          .message(),
      AllOf(HasSubstr("needs a VTA device"), HasSubstr("'vta'"), HasSubstr("skeleton:0 is none")));
}

TEST(SkeletonBesideVta, AllKindsOfTheProgramAreKnown) {
  std::vector<std::string> kinds;
  for (const ExecutorFactory& factory : executorFactories()) kinds.emplace_back(factory.kind);
  EXPECT_THAT(kinds, ElementsAre("cpu", "skeleton", "vta"));
  EXPECT_THAT(hostKinds(), ElementsAre("cpu"));
  // A second one of a kind changes nothing.
  registerExecutor({.kind = "cpu", .create = nullptr});
  EXPECT_EQ(executorFactories().size(), 3u);
  EXPECT_NE(executorFactories()[0].create, nullptr);
}

}  // namespace
}  // namespace vta::driver::test
