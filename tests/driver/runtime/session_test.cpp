#include "driver/runtime/session.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "driver/devices/cycle_device.h"
#include "driver/devices/functional_device.h"
#include "driver/runtime/loaded_module.h"
#include "isa/program/verify/verifier.h"
#include "tests/driver/runtime/remote_device.h"
#include "tests/driver/runtime/test_module.h"

namespace vta::driver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::unique_ptr<Device> makeDevice(const HwConfig& hw = HwConfig::makeDefault()) {
  auto device = FunctionalDevice::create(hw, {.checked = true, .memory_bytes = 1 << 24});
  EXPECT_TRUE(device.ok()) << device.status().message();
  return *std::move(device);
}

std::shared_ptr<const LoadedModule> loadTestModule(const TestModuleOptions& options = {}) {
  auto module = LoadedModule::fromMemory(makeTestModule(options));
  EXPECT_TRUE(module.ok()) << module.status().message();
  return *std::move(module);
}

Result<RunResult> runOnce(std::shared_ptr<const LoadedModule> module, Device* device,
                          const SessionOptions& options, const TensorMap& inputs) {
  VTA_ASSIGN_OR_RETURN(auto session, Session::create(std::move(module), device, options));
  return session->run(inputs);
}

Status checkProgram(const Program& program, const HwConfig& hw) {
  return verifyProgramStatus(program, hw);
}

TEST(Session, RunsHostAndVtaSteps) {
  const auto device = makeDevice();
  auto session = Session::create(loadTestModule(), device.get(), {});
  ASSERT_TRUE(session.ok()) << session.status().message();
  Tensor input = makeTestInput();
  for (int run = 0; run < 3; ++run) {
    input.as<float>()[run] += 1;
    const auto result = (*session)->run({{"image", input}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    const Tensor expected = expectedOutput(input, 2);
    EXPECT_EQ(result->outputs.at("scaled").data, expected.data);
    EXPECT_EQ(result->outputs.at("scaled").shape, expected.shape);
    // Both kernels run in one launch.
    ASSERT_EQ(result->profile.size(), 3u);
    EXPECT_EQ(result->profile[1].first_step, 1u);
    EXPECT_EQ(result->profile[1].step_count, 2u);
    EXPECT_GT(result->profile[1].counters.store.write_bytes, 0u);
  }
}

TEST(Session, CountedOutputsHaveTheirTrueShape) {
  const auto device = makeDevice();
  const Tensor input = makeTestInput();
  const Tensor whole = expectedOutput(input, 2);
  for (int axis = 0; axis < static_cast<int>(whole.shape.size()); ++axis) {
    TestModuleOptions options;
    options.counted_axis = axis;
    auto session = Session::create(loadTestModule(options), device.get(), {});
    ASSERT_TRUE(session.ok()) << session.status().message();
    for (int64_t count = 0; count <= whole.shape[axis]; ++count) {
      const auto result = (*session)->run({{"image", input}, {"count", makeTestCount(count)}});
      ASSERT_TRUE(result.ok()) << result.status().message();
      const Tensor expected = firstOf(whole, axis, count);
      EXPECT_EQ(result->outputs.at("scaled").shape, expected.shape);
      EXPECT_EQ(result->outputs.at("scaled").data, expected.data);
    }
    for (const int64_t count : {int64_t{-1}, whole.shape[axis] + 1, int64_t{1} << 62}) {
      const auto result = (*session)->run({{"image", input}, {"count", makeTestCount(count)}});
      EXPECT_THAT(result.status().message(),
                  AllOf(HasSubstr("output 'scaled' came out with"), HasSubstr("has room for")));
    }
  }
}

TEST(Session, ProfilesLayerByLayer) {
  const auto device = makeDevice();
  const auto result =
      runOnce(loadTestModule(), device.get(), {.per_layer = true}, {{"image", makeTestInput()}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->profile.size(), 3u) << "the run itself launches both kernels at once";
  ASSERT_EQ(result->layers.size(), 4u);
  EXPECT_EQ(result->layers[2].alone.counters.store.write_bytes, 1024u);
  EXPECT_EQ(result->outputs.at("scaled").data, expectedOutput(makeTestInput(), 2).data);
}

uint64_t cyclesOf(const RunResult& result) {
  uint64_t cycles = 0;
  for (const StepProfile& launch : result.profile) cycles += launch.counters.cycles;
  return cycles;
}

TEST(Session, ARunTakesTheSameCyclesHoweverOneLooks) {
  const auto module = loadTestModule();
  const SessionOptions looks[] = {{},
                                  {.per_layer = true},
                                  {.verify = true},
                                  {.trace = true},
                                  {.per_layer = true, .trace = true}};
  std::vector<uint64_t> cycles;
  for (const SessionOptions& options : looks) {
    const auto device = CycleDevice::create(HwConfig::makeDefault());
    ASSERT_TRUE(device.ok());
    const auto session = Session::create(module, device->get(), options);
    ASSERT_TRUE(session.ok()) << session.status().message();
    for (int run = 0; run < 2; ++run) {
      const auto result = (*session)->run({{"image", makeTestInput()}});
      ASSERT_TRUE(result.ok()) << result.status().message();
      cycles.push_back(cyclesOf(*result));
      EXPECT_EQ(result->profile[1].trace != nullptr, options.trace);
      if (result->layers.empty()) continue;
      EXPECT_FALSE(result->shares_are_estimated);
      uint64_t shares = 0;
      for (const LayerProfile& layer : result->layers) shares += layer.cycles_in_run;
      EXPECT_EQ(shares, cycles.back());
      EXPECT_GT(result->layers[1].cycles_in_run, 0u);
      EXPECT_GT(result->layers[2].cycles_in_run, 0u);
      EXPECT_GT(result->layers[1].alone.counters.cycles, 0u);
      EXPECT_GT(result->layers[2].alone.counters.cycles, 0u);
    }
  }
  EXPECT_EQ(std::set(cycles.begin(), cycles.end()).size(), 1u);
}

/// Gives wrong values after some launches.
class WrongAfter final : public RemoteDevice {
 public:
  WrongAfter(std::unique_ptr<Device> inner, int launches)
      : RemoteDevice(std::move(inner)), right_launches_(launches) {}
  Status submit(const Launch& launch) override {
    ++launches_;
    return RemoteDevice::submit(launch);
  }
  Status read(uint64_t address, std::span<std::byte> data) override {
    const Status status = RemoteDevice::read(address, data);
    if (launches_ > right_launches_) data.front() ^= std::byte{1};
    return status;
  }

 private:
  int right_launches_;
  int launches_ = 0;
};

TEST(Session, VerificationNoticesARunThatDiffersFromItsLayers) {
  WrongAfter device(makeDevice(), 2);  // both kernels by themselves
  const auto session = Session::create(loadTestModule(), &device, {.verify = true});
  ASSERT_TRUE(session.ok()) << session.status().message();
  const auto result = (*session)->run({{"image", makeTestInput()}});
  EXPECT_EQ(result.status().code(), StatusCode::kDeviceFault);
  EXPECT_THAT(result.status().message(), AllOf(HasSubstr("'scaled'"), HasSubstr("one by one")));
}

TEST(Session, WithoutRecordsSharesAreEstimatedAndSaySo) {
  auto cycle = CycleDevice::create(HwConfig::makeDefault());
  ASSERT_TRUE(cycle.ok());
  RemoteDevice device(*std::move(cycle));  // records no events
  const auto result =
      runOnce(loadTestModule(), &device, {.per_layer = true}, {{"image", makeTestInput()}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_TRUE(result->shares_are_estimated);
  EXPECT_EQ(result->layers[1].cycles_in_run + result->layers[2].cycles_in_run, cyclesOf(*result));
}

// Of the three parts that the function marks the module knows two.
TEST(Session, TimesThePartsOfHostSteps) {
  const auto device = makeDevice();
  auto session = Session::create(loadTestModule(), device.get(), {.per_layer = true});
  ASSERT_TRUE(session.ok()) << session.status().message();
  for (int run = 0; run < 2; ++run) {
    const auto result = (*session)->run({{"image", makeTestInput()}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    const StepProfile& pack = result->profile.front();
    ASSERT_EQ(pack.part_seconds.size(), 2u);
    EXPECT_GT(pack.part_seconds[0], 0);
    EXPECT_GT(pack.part_seconds[1], 0);
    EXPECT_LE(pack.part_seconds[0] + pack.part_seconds[1], pack.seconds);
    EXPECT_TRUE(result->profile.back().part_seconds.empty());
  }
  const auto whole = runOnce(loadTestModule(), device.get(), {}, {{"image", makeTestInput()}});
  ASSERT_TRUE(whole.ok());
  EXPECT_TRUE(whole->profile.front().part_seconds.empty());
}

/// Counts the calls of a host step.
int hook_calls = 0;
void countCall(int64_t) { ++hook_calls; }

TensorMap hookedInputs() {
  Tensor hook = Tensor::zeros(DType::kI64, {2});
  hook.as<int64_t>()[0] = reinterpret_cast<int64_t>(&countCall);
  return {{"image", makeTestInput()}, {"hook", hook}};
}

// Times of a module for the host alone are those of a steady state: two runs come before the layers
// by themselves and the run. Beside an accelerator nothing runs more often than that.
TEST(Session, WarmsUpWhatRunsOnTheHostAlone) {
  using Hook = TestModuleOptions::Hook;
  const auto host = loadTestModule({.num_kernels = 0, .hook = Hook::kIndependent});
  const auto session = Session::create(host, nullptr, {.per_layer = true});
  ASSERT_TRUE(session.ok()) << session.status().message();
  hook_calls = 0;
  const auto first = (*session)->run(hookedInputs());
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(hook_calls, 4);
  EXPECT_EQ(first->outputs.at("scaled").data, expectedOutput(makeTestInput(), 0).data);
  ASSERT_TRUE((*session)->run(hookedInputs()).ok());
  EXPECT_EQ(hook_calls, 5);
  hook_calls = 0;
  ASSERT_TRUE(runOnce(host, nullptr, {}, hookedInputs()).ok());
  EXPECT_EQ(hook_calls, 1);
  const auto device = makeDevice();
  hook_calls = 0;
  ASSERT_TRUE(runOnce(loadTestModule({.hook = Hook::kIndependent}), device.get(),
                      {.per_layer = true}, hookedInputs())
                  .ok());
  EXPECT_EQ(hook_calls, 2);
}

// What a module keeps from run to run does not count the runs before.
TEST(Session, WarmingUpLeavesStateAsItWas) {
  const auto module = loadTestModule({.num_kernels = 0, .keeps_state = true});
  const auto session = Session::create(module, nullptr, {.per_layer = true});
  ASSERT_TRUE(session.ok()) << session.status().message();
  for (int64_t run = 1; run <= 2; ++run) {
    const auto result = (*session)->run({{"image", makeTestInput()}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->outputs.at("counted").as<int64_t>()[0], run);
  }
}

TEST(Session, WorksWithoutMappableMemoryAndFreesIt) {
  RemoteDevice device(makeDevice());
  const auto result =
      runOnce(loadTestModule(), &device, {.verify = true}, {{"image", makeTestInput()}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->outputs.at("scaled").data, expectedOutput(makeTestInput(), 2).data);
  EXPECT_GE(device.freed, 4);
}

TEST(Session, CopiesTensorsOnceEachWayAndNotAtAllInMappedMemory) {
  constexpr uint64_t kPackedBytes = 1024;  // of the input and of the output on the device
  for (const bool is_mapped : {false, true}) {
    RemoteDevice device(makeDevice(), is_mapped);
    const auto session = Session::create(loadTestModule(), &device, {});
    ASSERT_TRUE(session.ok()) << session.status().message();
    device.written_bytes = device.read_bytes = 0;
    const auto result = (*session)->run({{"image", makeTestInput()}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->outputs.at("scaled").data, expectedOutput(makeTestInput(), 2).data);
    EXPECT_EQ(device.written_bytes, is_mapped ? 0 : kPackedBytes);
    EXPECT_EQ(device.read_bytes, is_mapped ? 0 : kPackedBytes);
  }
}

// What a run copies to a device whose memory is not mapped, and from there, in tensors.
TEST(Session, CopiesNothingTwice) {
  constexpr uint64_t kPackedBytes = 1024;
  using Hook = TestModuleOptions::Hook;
  struct {
    TestModuleOptions module;
    SessionOptions session;
    uint64_t to_device, from_device;
  } const cases[] = {
      {{.num_kernels = 3}, {}, 1, 1},
      // The hook reads what the first kernel makes, which stays on the device for the second one.
      {{.num_kernels = 3, .hook = Hook::kBehindFirst}, {}, 1, 2},
      {{.num_kernels = 3, .hook = Hook::kBehindFirst}, {.overlap = false}, 1, 2},
      // A cache that the host writes for the next run, and what the device makes of it.
      {{.keeps_state = true}, {}, 2, 2},
      // One by one, each step's result once, and then the run.
      {{.num_kernels = 2}, {.verify = true}, 2, 3},
  };
  for (const auto& [options, session_options, to_device, from_device] : cases) {
    RemoteDevice device(makeDevice());
    const auto session = Session::create(loadTestModule(options), &device, session_options);
    ASSERT_TRUE(session.ok()) << session.status().message();
    TensorMap inputs = {{"image", makeTestInput()}};
    if (options.hook != Hook::kNone) inputs["hook"] = Tensor::zeros(DType::kI64, {2});
    for (int run = 0; run < 2; ++run) {
      device.written_bytes = device.read_bytes = 0;
      const auto result = (*session)->run(inputs);
      ASSERT_TRUE(result.ok()) << result.status().message();
      EXPECT_EQ(device.written_bytes, to_device * kPackedBytes);
      EXPECT_EQ(device.read_bytes, from_device * kPackedBytes);
    }
  }
}

TEST(Session, RunsModulesWithoutVtaStepsOnNoDevice) {
  const auto result = runOnce(loadTestModule({.num_kernels = 0}), nullptr, {.num_threads = 3},
                              {{"image", makeTestInput()}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->outputs.at("scaled").data, expectedOutput(makeTestInput(), 0).data);
}

TEST(Session, VerificationAcceptsEqualResults) {
  const auto device = makeDevice();
  const auto result =
      runOnce(loadTestModule(), device.get(), {.verify = true}, {{"image", makeTestInput()}});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->verified_steps, 2u);
}

TEST(Session, VerificationNamesLayerAndElement) {
  const auto device = makeDevice();
  const auto result = runOnce(loadTestModule({.reference = "test_add_3_wrong"}), device.get(),
                              {.verify = true}, {{"image", makeTestInput()}});
  EXPECT_THAT(result.status().message(),
              AllOf(HasSubstr("'add0'"), HasSubstr("n=0 c=2 y=1 x=1"), HasSubstr("1 of 1024")));
}

TEST(Session, FaultsNameTheLayer) {
  const auto device = makeDevice();
  const auto result =
      runOnce(loadTestModule({.deadlock = true}), device.get(), {}, {{"image", makeTestInput()}});
  EXPECT_EQ(result.status().code(), StatusCode::kDeviceFault);
  EXPECT_THAT(result.status().message(), HasSubstr("'add1'"));
}

TEST(Session, VerifyProvesProgramsLegalBeforeAnythingRuns) {
  const auto device = makeDevice();
  const auto session = Session::create(loadTestModule({.deadlock = true}), device.get(),
                                       {.verify = true, .check_program = checkProgram});
  EXPECT_THAT(session.status().message(), AllOf(HasSubstr("deadlock"), HasSubstr("add1")));
}

TEST(Session, RefusesWrongInputs) {
  const auto device = makeDevice();
  auto session = Session::create(loadTestModule(), device.get(), {});
  ASSERT_TRUE(session.ok());
  const auto messageFor = [&](const TensorMap& inputs) {
    return (*session)->run(inputs).status().message();
  };
  EXPECT_THAT(messageFor({}), HasSubstr("input 'image' is missing"));
  EXPECT_THAT(messageFor({{"image", makeTestInput()}, {"extra", {}}}),
              HasSubstr("no input 'extra'"));
  EXPECT_THAT(messageFor({{"image", Tensor::zeros(DType::kF32, {1, 16, 8})}}),
              HasSubstr("is 1x16x8 float32, the model wants 1x16x8x8 float32"));
  EXPECT_THAT(messageFor({{"image", Tensor::zeros(DType::kI32, {1, 16, 8, 8})}}),
              HasSubstr("is 1x16x8x8 int32"));
}

TEST(Session, RefusesOtherConfigurationsAndNamesBoth) {
  HwParams params;
  params.name = "other";
  params.inp_buf_bytes = 16 * 1024;
  const auto device = makeDevice(*HwConfig::create(params));
  const auto session = Session::create(loadTestModule(), device.get(), {});
  EXPECT_THAT(session.status().message(), AllOf(HasSubstr("'default'"), HasSubstr("'other'")));
  EXPECT_THAT(Session::create(loadTestModule(), nullptr, {}).status().message(),
              HasSubstr("needs a VTA device"));
}

TEST(Session, RefusesTensorsThatProgramsWouldOverrun) {
  const auto device = makeDevice();
  const auto session = Session::create(loadTestModule({.small_tensors = true}), device.get(), {});
  EXPECT_THAT(session.status().message(),
              AllOf(HasSubstr("'add0'"), HasSubstr("needs 1024 bytes")));
}

TEST(Session, ReportsWhenDeviceMemoryIsTooSmall) {
  auto device =
      FunctionalDevice::create(HwConfig::makeDefault(), {.checked = false, .memory_bytes = 8192});
  ASSERT_TRUE(device.ok()) << device.status().message();
  const auto session = Session::create(loadTestModule(), device->get(), {});
  EXPECT_EQ(session.status().code(), StatusCode::kResourceExhausted);
}

TEST(Session, StateLivesFromRunToRunUntilItIsCleared) {
  const auto module = loadTestModule({.keeps_state = true});
  const auto mapped = makeDevice();
  RemoteDevice remote(makeDevice());
  for (Device* device : {mapped.get(), static_cast<Device*>(&remote)}) {
    for (const SessionOptions& options :
         {SessionOptions{}, {.per_layer = true}, {.verify = true}}) {
      SCOPED_TRACE(fmt::format("{} memory, per_layer {}, verify {}",
                               device == mapped.get() ? "mapped" : "remote", options.per_layer,
                               options.verify));
      auto session = Session::create(module, device, options);
      ASSERT_TRUE(session.ok()) << session.status().message();
      for (const int64_t run : {1, 2, 3, 1, 2}) {
        if (run == 1) {
          ASSERT_TRUE((*session)->clearState().ok());
        }
        const auto result = (*session)->run({{"image", makeTestInput()}});
        ASSERT_TRUE(result.ok()) << result.status().message();
        EXPECT_EQ(result->outputs.at("counted").as<int64_t>()[0], run);
        for (const int8_t element : result->outputs.at("cached").as<int8_t>()) {
          ASSERT_EQ(element, 3 * run);
        }
        EXPECT_EQ(result->outputs.at("scaled").data, expectedOutput(makeTestInput(), 2).data);
      }
    }
  }
}

TEST(Session, SeveralExecutorsHaveSeveralDevices) {
  const auto module = loadTestModule({.num_kernels = 3, .two_devices = true});
  const auto first = makeDevice();
  RemoteDevice second(makeDevice());
  for (const bool verify : {false, true}) {
    const auto session =
        Session::create(module, {{"vta", first.get()}, {"vta2", &second}}, {.verify = verify});
    ASSERT_TRUE(session.ok()) << session.status().message();
    const auto result = (*session)->run({{"image", makeTestInput()}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->outputs.at("scaled").data, expectedOutput(makeTestInput(), 3).data);
    EXPECT_EQ(result->verified_steps, verify ? 3u : 0u);
  }
  EXPECT_GE(second.freed, 4);
  EXPECT_THAT(Session::create(module, DeviceMap{{"vta", first.get()}}, {}).status().message(),
              AllOf(HasSubstr("needs a VTA device"), HasSubstr("'vta2'")));
  EXPECT_THAT(Session::create(module, DeviceMap{{"npu", first.get()}}, {}).status().message(),
              HasSubstr("no executor 'npu'"));
}

TEST(Session, RefusesExecutorsThatItDoesNotHave) {
  const auto device = makeDevice();
  const auto session = Session::create(loadTestModule({.executor_kind = "npu"}), device.get(), {});
  EXPECT_EQ(session.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(session.status().message(), AllOf(HasSubstr("'npu'"), HasSubstr("cpu, vta")));
}

}  // namespace
}  // namespace vta::driver
