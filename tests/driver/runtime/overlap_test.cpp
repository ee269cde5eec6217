// Host steps run while the VTA does: proved by a device whose launch does not end before they have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "driver/devices/functional_device.h"
#include "driver/runtime/session.h"
#include "tests/driver/runtime/remote_device.h"
#include "tests/driver/runtime/test_module.h"

namespace vta::driver {
namespace {

using ::testing::HasSubstr;
using Hook = TestModuleOptions::Hook;

/// Opened by the host step, awaited by the device.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  bool await() {
    std::unique_lock lock(mutex_);
    // Only a session that does not overlap comes to the end of this time.
    return changed_.wait_for(lock, std::chrono::seconds(60), [this] { return is_open_; });
  }
  /// What the host step calls.
  static void openAt(int64_t gate) { reinterpret_cast<Gate*>(gate)->open(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

std::unique_ptr<Device> makeDevice() {
  auto device =
      FunctionalDevice::create(HwConfig::makeDefault(), {.checked = true, .memory_bytes = 1 << 24});
  EXPECT_TRUE(device.ok()) << device.status().message();
  return *std::move(device);
}

/// Launch number `gated` ends when the gate is open.
class GatedDevice final : public RemoteDevice {
 public:
  GatedDevice(Gate& gate, int gated) : RemoteDevice(makeDevice()), gate_(gate), gated_(gated) {}
  Result<LaunchResult> wait(std::chrono::milliseconds timeout) override {
    if (launches_++ == gated_ && !gate_.await()) {
      return Status(StatusCode::kDeadlineExceeded, "the host step has not run");
    }
    return RemoteDevice::wait(timeout);
  }
  int launches() const { return launches_; }

 private:
  Gate& gate_;
  int gated_;
  int launches_ = 0;
};

std::unique_ptr<Session> makeSession(const TestModuleOptions& module, Device& device,
                                     const SessionOptions& options = {}) {
  auto loaded = LoadedModule::fromMemory(makeTestModule(module));
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  auto session = Session::create(*loaded, &device, options);
  EXPECT_TRUE(session.ok()) << session.status().message();
  return *std::move(session);
}

TensorMap makeInputs(Gate* gate) {
  Tensor hook = Tensor::zeros(DType::kI64, {2});
  if (gate != nullptr) {
    hook.as<int64_t>()[0] = reinterpret_cast<int64_t>(&Gate::openAt);
    hook.as<int64_t>()[1] = reinterpret_cast<int64_t>(gate);
  }
  return {{"image", makeTestInput()}, {"hook", hook}};
}

TEST(Overlap, AHostStepRunsWhileALaunchThatItDoesNotReadDoes) {
  Gate gate;
  GatedDevice device(gate, 0);
  const auto session = makeSession({.hook = Hook::kIndependent}, device);
  const auto result = session->run(makeInputs(&gate));
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(device.launches(), 1);
  EXPECT_EQ(result->outputs.at("scaled").data, expectedOutput(makeTestInput(), 2).data);
}

TEST(Overlap, AHostStepRunsOnAnEarlyKernelsResultWhileTheLaterOnesDo) {
  Gate gate;
  GatedDevice device(gate, 1);
  const auto session = makeSession({.num_kernels = 3, .hook = Hook::kBehindFirst}, device);
  const auto result = session->run(makeInputs(&gate));
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(device.launches(), 2);
  EXPECT_EQ(result->outputs.at("scaled").data, expectedOutput(makeTestInput(), 3).data);
  const int64_t first_sum = static_cast<int64_t>(makeTestInput().as<float>()[0]) + 3;
  EXPECT_EQ(result->outputs.at("called").as<int64_t>()[1],
            reinterpret_cast<int64_t>(&gate) + first_sum);
  ASSERT_EQ(result->profile.size(), 5u);
  EXPECT_EQ(result->profile[1].step_count, 1u);
  EXPECT_EQ(result->profile[2].step_count, 2u);
}

TEST(Overlap, ResultsAreThoseOfOneStepAfterTheOther) {
  for (const Hook hook : {Hook::kIndependent, Hook::kBehindFirst}) {
    const auto device = makeDevice();
    const TestModuleOptions options{.num_kernels = 4, .hook = hook};
    const auto overlapped = makeSession(options, *device)->run(makeInputs(nullptr));
    const auto in_order = makeSession(options, *device, {.verify = true})->run(makeInputs(nullptr));
    ASSERT_TRUE(overlapped.ok()) << overlapped.status().message();
    ASSERT_TRUE(in_order.ok()) << in_order.status().message();
    EXPECT_EQ(in_order->verified_steps, 4u);
    for (const char* name : {"scaled", "called"}) {
      EXPECT_EQ(overlapped->outputs.at(name).data, in_order->outputs.at(name).data);
    }
  }
}

TEST(Overlap, AFaultOfALaunchInBackgroundEndsTheRun) {
  const auto device = makeDevice();
  const auto session = makeSession({.deadlock = true, .hook = Hook::kBehindFirst}, *device);
  for (int run = 0; run < 2; ++run) {
    const auto result = session->run(makeInputs(nullptr));
    EXPECT_EQ(result.status().code(), StatusCode::kDeviceFault);
    EXPECT_THAT(result.status().message(), HasSubstr("'add1'"));
  }
}

}  // namespace
}  // namespace vta::driver
