// Searches for GPUs, with a device that is made up.
#include "explore/tune/gpu/gpu_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "explore/tune/tuner/tuner.h"
#include "tests/driver/gpu/fake_gpu.h"

namespace vta::tune {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kBytes = 64;

/// Does what the name of its kernel says, in as many microseconds as it has workgroups.
class FakeProgram final : public driver::LoadedGpuProgram {
 public:
  FakeProgram(driver::GpuDevice& gpu, const GpuProgram& program, uint64_t result)
      : gpu_(gpu), program_(program), result_(result) {}

  Status run(std::chrono::milliseconds) override {
    const std::string& name = program_.kernels.front().name;
    if (name == "crash") std::abort();
    while (name == "hang") pause();
    if (name == "fault") return {StatusCode::kDeviceFault, "the GPU is hot"};
    const std::byte value{static_cast<unsigned char>(name == "wrong" ? 0x40 : 0x3f)};
    return gpu_.write(result_, std::vector<std::byte>(kBytes, value));
  }
  std::vector<double> dispatchSeconds() const override {
    return {1e-6 * program_.dispatches.front().workgroups[0]};
  }

 private:
  driver::GpuDevice& gpu_;
  const GpuProgram program_;
  uint64_t result_;
};

class TimedGpu final : public driver::test::FakeGpu {
 public:
  TimedGpu() : FakeGpu(makeInfo()) {}

  static driver::GpuDeviceInfo makeInfo() {
    driver::GpuDeviceInfo info;
    info.interface = "fake";
    info.name = "Fake GPU";
    info.limits = {.max_buffer_bytes = 1 << 20,
                   .max_range_bytes = 1 << 20,
                   .shared_bytes = 32768,
                   .max_invocations = 512,
                   .max_workgroup_size = {256, 256, 64},
                   .max_workgroups = {1 << 20, 65535, 1000},
                   .max_bindings = 8};
    return info;
  }

  Result<std::unique_ptr<driver::LoadedGpuProgram>> load(const GpuProgram& program,
                                                         std::span<const uint64_t> arguments,
                                                         driver::GpuTimes) override {
    return std::unique_ptr<driver::LoadedGpuProgram>(new FakeProgram(*this, program, arguments[1]));
  }
};

Result<std::unique_ptr<driver::GpuDevice>> openFake() {
  return std::unique_ptr<driver::GpuDevice>(new TimedGpu);
}

GemmTask fakeTask() {
  return {{1, 64, 64, 64}, "k", "", {"Fake GPU", "fake", {.invocations = 256}}, {"conv"}};
}

TrialProgram productOf(const std::string& name, uint32_t microseconds, DType result = DType::kI32) {
  using Source = GpuBinding::Source;
  GpuCode code{GpuCodeForm::kOpenClC, "compute", "", {}, std::vector<std::byte>(1, std::byte{'/'})};
  return {
      {.argument_bytes = {kBytes, kBytes},
       .kernels = {{.name = name,
                    .bindings = {GpuAccess::kRead, GpuAccess::kWrite},
                    .codes = {code}}},
       .dispatches = {{0,
                       {microseconds, 1, 1},
                       {{Source::kArgument, 0, 0, kBytes}, {Source::kArgument, 1, 0, kBytes}}}}},
      {DType::kI8, result}};
}

/// The narrower the block, the faster.
Result<TrialProgram> makeFast(const GemmTask&, const std::optional<GemmSchedule>& schedule) {
  return productOf("right", schedule ? static_cast<uint32_t>(schedule->block_columns) : 1);
}

/// What happens depends on the depth of the block.
Result<TrialProgram> makeTrouble(const GemmTask&, const std::optional<GemmSchedule>& schedule) {
  const int64_t depth = schedule ? schedule->block_depth : 0;
  if (depth == 1) return invalidArgument("no such code");
  if (depth == 2) std::abort();
  if (depth == 3) {
    for (;;) pause();
  }
  const char* names[] = {"crash", "hang", "wrong", "fault"};
  return productOf(depth >= 4 && depth < 8 ? names[depth - 4] : "right", 5);
}

constexpr GemmMeasurerOptions kShort = {.timeout = std::chrono::seconds(5), .compilers = 2};

TEST(GpuTasks, AreSearchedAsOthersAre) {
  const GemmTask task = fakeTask();
  GemmMeasurer measurer(makeFast, openFake, kShort);
  GpuTask target(task, measurer);
  TargetTask* const all[] = {&target};
  Database database = *Database::open(":memory:", Database::Access::kWrite);
  const TuneOptions options = {.searcher = *findSearcher("learned"), .trials = 24};
  const auto results = Tuner(&database, options).run(all);
  ASSERT_TRUE(results.ok()) << results.status().message();
  const TunedTask& result = results->front();
  EXPECT_EQ(result.trials, 24);
  EXPECT_EQ(result.failed_trials, 0);
  EXPECT_EQ(result.floor_cycles, 0u);
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.best->cycles, 16'000u);
  EXPECT_LE(result.best->cycles, result.default_cycles);
  // What is known is not measured again, and teaches the model.
  const auto again = Tuner(&database, options).run(all);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->front().new_trials, 0);
  const auto trials = database.trials(target.stored().key, target.source());
  ASSERT_TRUE(trials.ok());
  EXPECT_EQ(target.samplesOf(target.stored().key, *trials, 1).size(), 24u);
  TaskKey other = target.stored().key;
  other.configuration = "Another GPU (fake)";
  EXPECT_TRUE(target.samplesOf(other, *trials, 1).empty());
}

TEST(GpuTasks, FeaturesHaveNames) {
  const GemmTask task = fakeTask();
  EXPECT_LE(gemmFeatureNames().size(), kFeatureCount);
  const GemmSpace space(task);
  const Features& features = space.features(0);
  for (size_t i = gemmFeatureNames().size(); i < kFeatureCount; ++i) EXPECT_EQ(features[i], 0);
  const std::set<std::string_view> names(gemmFeatureNames().begin(), gemmFeatureNames().end());
  EXPECT_EQ(names.size(), gemmFeatureNames().size());
}

TEST(GpuTasks, WhatFailsCostsOneTrial) {
  const GemmTask task = fakeTask();
  GemmMeasurer measurer(makeTrouble, openFake, kShort);
  ASSERT_TRUE(measurer.begin(task).ok());
  std::vector<GemmSchedule> schedules;
  for (const int64_t depth : {1, 2, 3, 4, 5, 6, 7, 8}) {
    schedules.push_back({64, 64, depth, 8, 8});  // the rules allow any depth
  }
  const auto measured = measurer.measure(schedules, kAnyCycles);
  const Outcome want[] = {Outcome::kFailed,  Outcome::kCrashed,  Outcome::kTimedOut,
                          Outcome::kCrashed, Outcome::kTimedOut, Outcome::kFailed,
                          Outcome::kFailed,  Outcome::kCycles};
  for (size_t i = 0; i < measured.size(); ++i) {
    EXPECT_EQ(measured[i].outcome, want[i]) << i << ": " << measured[i].error;
  }
  EXPECT_EQ(measured[0].error, "no such code");
  EXPECT_EQ(measured[5].error, "its integers are wrong");
  EXPECT_EQ(measured[6].error, "the GPU is hot");
  EXPECT_EQ(measured[7].cycles, 5000u);
  EXPECT_EQ(measurer.measure({&schedules[7], 1}, 4999).front().outcome, Outcome::kSlower);
  EXPECT_EQ(measurer.measure({&schedules[7], 1}, 10).front().outcome, Outcome::kSlower);
}

TEST(GpuTasks, SchedulesThatBreakARuleGetToNoDevice) {
  const GemmTask task = fakeTask();
  GemmMeasurer measurer(
      [](const GemmTask&, const std::optional<GemmSchedule>& schedule) -> Result<TrialProgram> {
        if (schedule) std::abort();
        return productOf("right", 1);
      },
      openFake, kShort);
  ASSERT_TRUE(measurer.begin(task).ok());
  const GemmSchedule large = {256, 256, 8, 2, 2};
  const Measurement measured = measurer.measure({&large, 1}, kAnyCycles).front();
  EXPECT_EQ(measured.outcome, Outcome::kFailed);
  EXPECT_THAT(measured.error, HasSubstr("16384 invocations are more than the 256"));
}

TEST(GpuTasks, FloatsMayBeOffByLittle) {
  const auto program = [](const char* name) { return productOf(name, 1, DType::kF32); };
  GpuWorker worker(openFake, program("right"), 1);
  EXPECT_EQ(worker.measure(program("right").program, kAnyCycles).outcome, Outcome::kCycles);
  const Measurement wrong = worker.measure(program("wrong").program, kAnyCycles);
  EXPECT_EQ(wrong.outcome, Outcome::kFailed);
  EXPECT_THAT(wrong.error, HasSubstr("its floats are off by"));
}

TEST(GpuTasks, WithoutRightResultsNothingBegins) {
  const GemmTask task = fakeTask();
  for (const char* name : {"crash", "hang", "fault"}) {
    GemmMeasurer measurer(
        [name](const GemmTask&, const std::optional<GemmSchedule>&) -> Result<TrialProgram> {
          return productOf(name, 1);
        },
        openFake, kShort);
    EXPECT_THAT(measurer.begin(task).message(),
                HasSubstr("'Fake GPU (fake)' does not compute the results to compare with"))
        << name;
  }
  GemmMeasurer broken(
      [](const GemmTask&, const std::optional<GemmSchedule>&) -> Result<TrialProgram> {
        return invalidArgument("no code at all");
      },
      openFake, kShort);
  EXPECT_EQ(broken.begin(task).message(), "no code at all");
}

TEST(GpuTasks, LimitsSayWhichTensorCoresThereAre) {
  driver::GpuDeviceInfo info = TimedGpu::makeInfo();
  info.limits.subgroup_size = 32;
  const auto limits_of = [&](GpuCodeForm form, const char* target) {
    info.form = form;
    info.target = target;
    const GpuKernelLimits limits = kernelLimitsOf(info);
    return std::pair(limits.warp, limits.warps_together);
  };
  using Pair = std::pair<int64_t, int64_t>;
  EXPECT_EQ(limits_of(GpuCodeForm::kSpirv, ""), Pair(0, 0));
  EXPECT_EQ(limits_of(GpuCodeForm::kOpenClC, ""), Pair(0, 0));
  EXPECT_EQ(limits_of(GpuCodeForm::kPtx, "sm_75"), Pair(0, 0));
  EXPECT_EQ(limits_of(GpuCodeForm::kPtx, "sm_80"), Pair(32, 0));
  EXPECT_EQ(limits_of(GpuCodeForm::kPtx, "sm_90"), Pair(32, 4));
  EXPECT_EQ(limits_of(GpuCodeForm::kPtx, "sm_120"), Pair(32, 0));
}

TEST(GpuTasks, AGpuIsDescribedInAnotherProcess) {
  const auto gpu = describeGpu(openFake, std::chrono::seconds(10));
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  EXPECT_EQ(gpu->text(), "Fake GPU (fake)");
  EXPECT_EQ(gpu->limits.invocations, 256);
  EXPECT_EQ(gpu->limits.shared_bytes, 32768);
  EXPECT_EQ(gpu->limits.workgroups, 1000);
  const OpenGpu none = []() -> Result<std::unique_ptr<driver::GpuDevice>> {
    return notFound("there is no GPU '7'");
  };
  EXPECT_EQ(describeGpu(none, std::chrono::seconds(10)).status().message(), "there is no GPU '7'");
  const OpenGpu crashes = []() -> Result<std::unique_ptr<driver::GpuDevice>> { std::abort(); };
  EXPECT_THAT(describeGpu(crashes, std::chrono::seconds(10)).status().message(),
              HasSubstr("the GPU's driver does not answer"));
}

}  // namespace
}  // namespace vta::tune
