// Drivers of Vulkan that are too old, that have no memory, and whose GPU stops or hangs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "base/temporary_folder.h"
#include "driver/gpu/gpu_self_test.h"
#include "driver/gpu/vulkan/vulkan_device.h"
#include "tests/driver/gpu/test_gpus.h"

namespace vta::driver::vulkan {
namespace {

using test::runProbe;
using test::ScopedVariable;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kMesa = "/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so";

class SpoiltDriver : public ::testing::Test {
 protected:
  SpoiltDriver() {
    const std::string file = folder_.path() / "icd.json";
    std::ofstream(file) << R"({"file_format_version": "1.0.0", "ICD": {"library_path": ")"
                        << VTA_FAKE_VULKAN << R"(", "api_version": "1.3.0"}})";
    driver_.emplace("VK_ICD_FILENAMES", file);
  }
  void SetUp() override {
    if (!std::filesystem::exists(kMesa)) GTEST_SKIP() << "no " << kMesa;
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("vta-icd-");
  ScopedVariable behind_{"FAKE_VULKAN_DRIVER", kMesa};
  std::optional<ScopedVariable> driver_;
};

TEST_F(SpoiltDriver, WithoutFaultsItIsTheOtherOne) {
  const auto gpu = VulkanDevice::open(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  std::vector<OwnedDeviceBuffer> buffers;
  const Status status = runProbe(**gpu, buffers);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(SpoiltDriver, ThatIsTooOldIsNamed) {
  const ScopedVariable old("FAKE_VULKAN", "old");
  const Status status = VulkanDevice::list().status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("llvmpipe"), HasSubstr("has Vulkan 1.1"),
                                      HasSubstr("1.2 is needed")));
}

TEST_F(SpoiltDriver, WithoutMemoryItSaysSo) {
  const ScopedVariable full("FAKE_VULKAN", "full");
  const auto gpu = VulkanDevice::open(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  const auto buffer = (*gpu)->allocate(512, 512);
  EXPECT_EQ(buffer.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(buffer.status().message(), HasSubstr("not enough memory for 512 bytes"));
}

TEST_F(SpoiltDriver, AGpuThatStopsIsNotUsedAgain) {
  const ScopedVariable lost("FAKE_VULKAN", "lost");
  const auto gpu = VulkanDevice::open(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  std::vector<OwnedDeviceBuffer> buffers;
  const Status first = runProbe(**gpu, buffers);
  EXPECT_EQ(first.code(), StatusCode::kDeviceFault);
  EXPECT_THAT(first.message(), HasSubstr("the GPU has stopped"));
  EXPECT_THAT(runProbe(**gpu, buffers).message(), HasSubstr("in an earlier run; open it again"));
  EXPECT_EQ(trustGpu(**gpu, folder_.path() / "cache").code(), StatusCode::kDeviceFault);
}

TEST_F(SpoiltDriver, AGpuThatHangsIsLeftAlone) {
  const ScopedVariable hang("FAKE_VULKAN", "hang");
  const auto gpu = VulkanDevice::open(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  std::vector<OwnedDeviceBuffer> buffers;
  const Status first = runProbe(**gpu, buffers);
  EXPECT_EQ(first.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(first.message(), HasSubstr("did not end within 1 seconds"));
  EXPECT_THAT((*gpu)->allocate(512, 512).status().message(), HasSubstr("still runs"));
}

}  // namespace
}  // namespace vta::driver::vulkan
