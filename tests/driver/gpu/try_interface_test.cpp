// Drivers that crash or do not answer when they are asked for GPUs: the process lives on.
#include "driver/gpu/try_interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"

namespace vta::driver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Result<std::vector<GpuDeviceInfo>> listNone() { return std::vector<GpuDeviceInfo>(); }
Result<std::vector<GpuDeviceInfo>> refuse() { return notFound("no driver"); }
Result<std::vector<GpuDeviceInfo>> crash() { std::abort(); }
Result<std::vector<GpuDeviceInfo>> hang() {
  for (;;) pause();
}
/// Leaves a file, so that one sees how often it was asked.
Result<std::vector<GpuDeviceInfo>> count() {
  std::ofstream(std::getenv("VTA_TEST_COUNTS"), std::ios::app) << '.';
  return std::vector<GpuDeviceInfo>();
}

class TryInterface : public ::testing::Test {
 protected:
  TryInterface() {
    ::setenv("VTA_CACHE_DIR", (folder_.path() / "cache").c_str(), 1);
    ::setenv("VTA_TEST_COUNTS", counts().c_str(), 1);
  }
  ~TryInterface() override { ::unsetenv("VTA_CACHE_DIR"); }
  std::filesystem::path counts() const { return folder_.path() / "counts"; }
  uint64_t counted() const {
    return std::filesystem::exists(counts()) ? std::filesystem::file_size(counts()) : 0;
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("vta-test");
};

constexpr std::chrono::seconds kSoon{1};

TEST_F(TryInterface, WhateverIsAnsweredIsAnAnswer) {
  EXPECT_TRUE(tryInterface({"lists", 0, listNone, nullptr}).ok());
  EXPECT_TRUE(tryInterface({"refuses", 0, refuse, nullptr}).ok());
}

TEST_F(TryInterface, ACrashIsAnError) {
  for (int time = 0; time < 2; ++time) {
    const Status status = tryInterface({"crashes", 0, crash, nullptr});
    EXPECT_EQ(status.code(), StatusCode::kDeviceFault);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("a driver, or a layer that is loaded with it"),
                                        HasSubstr("crashes"), HasSubstr("update it")));
  }
}

TEST_F(TryInterface, NoAnswerIsAnError) {
  const Status status = tryInterface({"hangs", 0, hang, nullptr}, kSoon);
  EXPECT_EQ(status.code(), StatusCode::kDeviceFault);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("does not answer"), HasSubstr("1000 ms")));
}

TEST_F(TryInterface, ItIsAskedAgainWhenDriversAreChosenInAnotherWay) {
  const GpuInterface interface = {
      "counts", 0, count, nullptr, [] {
        return LoaderInputs{.variables = {"VK_"}, .folders = {std::getenv("VTA_TEST_DRIVERS")}};
      }};
  const std::filesystem::path drivers = folder_.path() / "drivers";
  ::setenv("VTA_TEST_DRIVERS", drivers.c_str(), 1);
  EXPECT_TRUE(tryInterface(interface).ok());
  EXPECT_TRUE(tryInterface(interface).ok());
  EXPECT_EQ(counted(), 1U);
  ::setenv("VK_INSTANCE_LAYERS", "VK_LAYER_of_a_test", 1);
  EXPECT_TRUE(tryInterface(interface).ok());
  EXPECT_EQ(counted(), 2U);
  ::unsetenv("VK_INSTANCE_LAYERS");
  EXPECT_TRUE(tryInterface(interface).ok());
  EXPECT_EQ(counted(), 2U);
  std::filesystem::create_directory(drivers);
  std::ofstream(drivers / "new.json") << "{}";
  EXPECT_TRUE(tryInterface(interface).ok());
  EXPECT_EQ(counted(), 3U);
}

}  // namespace
}  // namespace vta::driver
