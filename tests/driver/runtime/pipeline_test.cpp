#include "driver/runtime/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "driver/devices/functional_device.h"
#include "driver/runtime/background/run_progress.h"
#include "tests/driver/runtime/test_module.h"

namespace vta::driver {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

/// A device that knows when two threads use it at the same time.
class WatchedDevice final : public Device {
 public:
  explicit WatchedDevice(bool faults_after_two = false) : fails_(faults_after_two) {
    inner_ = *FunctionalDevice::create(HwConfig::makeDefault(),
                                       {.checked = true, .memory_bytes = 1 << 24});
  }
  const DeviceInfo& info() const override { return inner_->info(); }
  Result<DeviceBuffer> allocate(uint64_t size_bytes, uint64_t alignment_bytes) override {
    return inner_->allocate(size_bytes, alignment_bytes);
  }
  Status free(const DeviceBuffer& buffer) override { return inner_->free(buffer); }
  Status write(uint64_t address, std::span<const std::byte> data) override {
    const Use use(*this);
    return inner_->write(address, data);
  }
  Status read(uint64_t address, std::span<std::byte> data) override {
    const Use use(*this);
    return inner_->read(address, data);
  }
  Status submit(const Launch& launch) override {
    EXPECT_EQ(users_.fetch_add(1), 0);  // until wait
    if (!fails_ || ++launches_ <= 2) return inner_->submit(launch);
    users_ = 0;
    return {StatusCode::kIoError, "the board is gone"};
  }
  Result<LaunchResult> wait(std::chrono::milliseconds timeout) override {
    if (while_waiting) while_waiting();
    auto result = inner_->wait(timeout);
    users_ = 0;
    return result;
  }
  Status reset() override { return inner_->reset(); }
  uint32_t executedInstructions() const override { return executed; }

  /// Called while a launch runs.
  std::function<void()> while_waiting;
  uint32_t executed = 0;

 private:
  struct Use {
    explicit Use(WatchedDevice& device) : device_(device) {
      EXPECT_EQ(device.users_.fetch_add(1), 0);
    }
    ~Use() { --device_.users_; }
    WatchedDevice& device_;
  };

  std::unique_ptr<Device> inner_;
  std::atomic<int> users_ = 0;
  bool fails_;
  int launches_ = 0;
};

std::shared_ptr<const LoadedModule> testModule(const TestModuleOptions& options = {}) {
  return *LoadedModule::fromMemory(makeTestModule(options));
}

Tensor inputNumber(int64_t index) {
  Tensor input = makeTestInput();
  input.as<float>()[index] += 1;
  return input;
}

Result<Pipeline::Input> source(int64_t index) {
  return Pipeline::Input{"number " + std::to_string(index), {{"image", inputNumber(index)}}};
}

std::unique_ptr<Pipeline> makePipeline(Device* device, int lanes,
                                       const TestModuleOptions& options = {}) {
  auto pipeline = Pipeline::create(testModule(options), device, {.num_threads = 2}, lanes);
  EXPECT_TRUE(pipeline.ok()) << pipeline.status().message();
  return *std::move(pipeline);
}

/// Collects the numbers of the inputs that arrive, and checks their results.
struct Arrivals {
  std::vector<int64_t> indexes;
  int num_kernels = 2;

  Pipeline::Sink sink() {
    return [this](int64_t index, const Pipeline::Input& input, const RunResult& result) -> Status {
      indexes.push_back(index);
      EXPECT_EQ(result.outputs.at("scaled").data,
                expectedOutput(input.tensors.at("image"), num_kernels).data);
      return {};
    };
  }
};

TEST(Pipeline, SaysHowFarARunIs) {
  WatchedDevice device;
  const auto pipeline = makePipeline(&device, 1);
  EXPECT_EQ(pipeline->progress(), 0);
  std::vector<double> seen;
  device.while_waiting = [&] {
    for (const uint32_t executed : {0u, 3u, 1'000'000u}) {
      device.executed = executed;
      seen.push_back(pipeline->progress());
    }
  };
  Arrivals arrivals;
  ASSERT_TRUE(pipeline->run(2, source, arrivals.sink()).ok());
  EXPECT_EQ(pipeline->progress(), 0);
  // One launch for each input. Before it, the host has packed; behind it, it unpacks.
  ASSERT_EQ(seen.size(), 6u);
  for (size_t i = 0; i < seen.size(); i += 3) {
    EXPECT_GT(seen[i], 0);
    EXPECT_GT(seen[i + 1], seen[i]);
    EXPECT_GT(seen[i + 2], seen[i + 1]);
    EXPECT_LT(seen[i + 2], 1);
  }
}

TEST(RunProgress, CountsWhatHasEndedByItsWeight) {
  RunProgress progress({1, 3, 0});
  const auto half = [](size_t) { return 0.5; };
  const auto none = [](size_t) { return 0.0; };
  EXPECT_EQ(progress.fraction(half), 0);  // nothing runs
  progress.begin();
  EXPECT_EQ(progress.fraction(none), 0);
  EXPECT_EQ(progress.fraction(half), 0.5);
  progress.endAction(1);
  EXPECT_EQ(progress.fraction(none), 0.75);
  progress.endAction(0);
  EXPECT_EQ(progress.fraction(half), 1);
  progress.end();
  EXPECT_EQ(progress.fraction(half), 0);
  progress.begin();
  EXPECT_EQ(progress.fraction(none), 0);
}

TEST(RunProgress, OfNothingIsNothing) {
  RunProgress progress({});
  progress.begin();
  EXPECT_EQ(progress.fraction([](size_t) { return 1.0; }), 0);
}

class PipelineLanes : public ::testing::TestWithParam<int> {};

TEST_P(PipelineLanes, GivesTheResultsOfSingleRunsInOrder) {
  WatchedDevice device;
  const auto pipeline = makePipeline(&device, GetParam());
  for (const int64_t count : {0, 1, 2, 25}) {
    Arrivals arrivals;
    const Status status = pipeline->run(count, source, arrivals.sink());
    EXPECT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(arrivals.indexes.size(), static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) EXPECT_EQ(arrivals.indexes[i], i);
  }
}

TEST_P(PipelineLanes, StopsAtTheFirstInputThatFails) {
  WatchedDevice device;
  const auto pipeline = makePipeline(&device, GetParam());
  Arrivals arrivals;
  const auto some_wrong = [](int64_t index) -> Result<Pipeline::Input> {
    if (index != 3 && index != 4) return source(index);
    return Pipeline::Input{"number " + std::to_string(index), {}};
  };
  const Status status = pipeline->run(20, some_wrong, arrivals.sink());
  EXPECT_THAT(status.message(), HasSubstr("input 'number 3': input 'image' is missing"));
  EXPECT_THAT(arrivals.indexes, ElementsAre(0, 1, 2));
  // And works on.
  Arrivals more;
  EXPECT_TRUE(pipeline->run(2, source, more.sink()).ok());
  EXPECT_THAT(more.indexes, ElementsAre(0, 1));
}

TEST_P(PipelineLanes, PassesErrorsOfSourceAndSinkOn) {
  WatchedDevice device;
  const auto pipeline = makePipeline(&device, GetParam());
  Arrivals arrivals;
  const auto unreadable = [](int64_t index) -> Result<Pipeline::Input> {
    if (index == 2) return ioError("cannot read number 2");
    return source(index);
  };
  EXPECT_EQ(pipeline->run(9, unreadable, arrivals.sink()).message(), "cannot read number 2");
  EXPECT_THAT(arrivals.indexes, ElementsAre(0, 1));
  const auto full = [](int64_t index, const Pipeline::Input&, const RunResult&) -> Status {
    return index == 5 ? ioError("disk full") : Status();
  };
  EXPECT_EQ(pipeline->run(30, source, full).message(), "disk full");
}

TEST_P(PipelineLanes, PassesFailuresOfTheDeviceOn) {
  WatchedDevice device(true);
  const auto pipeline = makePipeline(&device, GetParam());
  Arrivals arrivals;
  const Status status = pipeline->run(10, source, arrivals.sink());
  EXPECT_THAT(status.message(), HasSubstr("the board is gone"));
  // Two launches succeed; with several lanes they need not be those of the first two inputs.
  const size_t arrived = arrivals.indexes.size();
  if (GetParam() < 2) {
    EXPECT_EQ(arrived, 2u);
  }
  const std::vector<int64_t> first = {0, 1};
  ASSERT_LE(arrived, first.size());
  EXPECT_THAT(arrivals.indexes, ElementsAreArray(first.begin(), first.begin() + arrived));
  EXPECT_THAT(status.message(), HasSubstr("'number " + std::to_string(arrived) + "'"));
}

TEST_P(PipelineLanes, NeedNoDeviceWithoutVtaSteps) {
  const auto pipeline = makePipeline(nullptr, GetParam(), {.num_kernels = 0});
  Arrivals arrivals{.indexes = {}, .num_kernels = 0};
  EXPECT_TRUE(pipeline->run(12, source, arrivals.sink()).ok());
  EXPECT_EQ(arrivals.indexes.size(), 12u);
}

INSTANTIATE_TEST_SUITE_P(Lanes, PipelineLanes, ::testing::Values(Pipeline::kMeasured, 1, 2, 5),
                         [](const auto& info) { return std::to_string(info.param); });

TEST(Pipeline, ASecondLanePaysWhereAnInputHidesAFairShareOfAnother) {
  EXPECT_TRUE(secondLanePays({.outside = 0, .host = 5e-3, .device = 5e-3}));
  EXPECT_TRUE(secondLanePays({.outside = 5e-3, .host = 10e-3, .device = 0}));
  // A hundredth of the time; a tenth of a millisecond.
  EXPECT_FALSE(secondLanePays({.outside = 0, .host = 1e-3, .device = 99e-3}));
  EXPECT_FALSE(secondLanePays({.outside = 10e-6, .host = 60e-6, .device = 90e-6}));
  EXPECT_FALSE(secondLanePays({.outside = 0, .host = 20e-3, .device = 0}));
}

TEST(Pipeline, HasTheLanesThatItIsGiven) {
  WatchedDevice device;
  EXPECT_EQ(makePipeline(&device, 3)->lanes(), 3);
  const auto measured = makePipeline(&device, Pipeline::kMeasured);
  EXPECT_EQ(measured->lanes(), 1);
  // Two inputs tell nothing about a third.
  EXPECT_TRUE(measured->run(2, source, Arrivals().sink()).ok());
  EXPECT_EQ(measured->lanes(), 1);
}

TEST(Pipeline, NeedsWhatASessionNeeds) {
  const auto pipeline = Pipeline::create(testModule(), nullptr, {}, 2);
  EXPECT_THAT(pipeline.status().message(), HasSubstr("needs a VTA device"));
}

}  // namespace
}  // namespace vta::driver
