// Machines without a loader, a driver or a GPU.
#include "driver/gpu/vulkan/vulkan_instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.h"
#include "driver/gpu/gpu_registry.h"
#include "driver/gpu/vulkan/vulkan_device.h"
#include "tests/driver/gpu/test_gpus.h"

namespace vta::driver::vulkan {
namespace {

using test::ScopedVariable;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Vulkan, SaysWhatToInstallWithoutALoader) {
  const auto api = VulkanApi::load("libvulkan-that-is-not-there.so");
  EXPECT_EQ(api.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(api.status().message(),
              AllOf(HasSubstr("libvulkan-that-is-not-there.so"), HasSubstr("install its loader")));
}

TEST(Vulkan, AnotherLibraryIsNoLoader) {
  EXPECT_THAT(VulkanApi::load("libc.so.6").status().message(),
              HasSubstr("libc.so.6 is no Vulkan loader"));
}

/// The error of a machine whose only driver is described by `manifest`.
Status withDriver(const std::string& manifest) {
  if (!VulkanApi::load().ok()) return notFound("no driver; no loader either");
  const auto folder = TemporaryFolder::create("vta-icd-");
  EXPECT_TRUE(folder.ok());
  const std::string file = folder->path() / "icd.json";
  std::ofstream(file) << manifest;
  const ScopedVariable drivers("VK_ICD_FILENAMES", file);
  return VulkanDevice::list().status();
}

TEST(Vulkan, SaysWhenNoDriverWorks) {
  const std::string library_is_missing =
      R"({"file_format_version": "1.0.0",
          "ICD": {"library_path": "/no/such/driver.so", "api_version": "1.3.0"}})";
  const std::string is_no_driver =
      R"({"file_format_version": "1.0.0",
          "ICD": {"library_path": "libm.so.6", "api_version": "1.3.0"}})";
  EXPECT_FALSE(withDriver("no JSON").ok());
  for (const std::string& manifest : {library_is_missing, is_no_driver}) {
    const Status status = withDriver(manifest);
    EXPECT_EQ(status.code(), StatusCode::kNotFound) << status.message();
    EXPECT_THAT(status.message(), HasSubstr("no driver"));
  }
}

TEST(Vulkan, ThereIsNoGpuOfALargeNumber) {
  const test::TestGpu gpu = test::testGpus().front();
  if (!gpu.isThere()) GTEST_SKIP() << "no " << gpu.name;
  const ScopedVariable drivers("VK_ICD_FILENAMES", gpu.icd);
  EXPECT_THAT(VulkanDevice::open(7).status().message(),
              HasSubstr("Vulkan has 1 GPUs, there is no number 7"));
}

TEST(Vulkan, IsAnInterfaceOfTheRegistry) {
  const test::TestGpu gpu = test::testGpus().front();
  if (!gpu.isThere()) GTEST_SKIP() << "no " << gpu.name;
  const ScopedVariable drivers("VK_ICD_FILENAMES", gpu.icd);
  const auto device = openGpu("vulkan");
  ASSERT_TRUE(device.ok()) << device.status().message();
  EXPECT_THAT((*device)->name(), HasSubstr("llvmpipe"));
  EXPECT_EQ((*device)->info().interface, "vulkan");
}

TEST(Vulkan, ErrorsHaveCodes) {
  EXPECT_TRUE(vulkanStatus(VK_SUCCESS, "f").ok());
  EXPECT_EQ(vulkanStatus(VK_ERROR_OUT_OF_DEVICE_MEMORY, "f").code(),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(vulkanStatus(VK_ERROR_DEVICE_LOST, "f").code(), StatusCode::kDeviceFault);
  EXPECT_THAT(vulkanStatus(VK_ERROR_INITIALIZATION_FAILED, "vkF").message(),
              HasSubstr("vkF failed with code -3"));
}

}  // namespace
}  // namespace vta::driver::vulkan
