// Drivers of OpenCL without devices, that fail, that lie, without memory, and whose kernels do not
// end. The loader asks drivers once in a process: this program's only one is the spoilt one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"
#include "driver/gpu/gpu_registry.h"
#include "driver/gpu/gpu_self_test.h"
#include "driver/gpu/opencl/opencl_device.h"
#include "tests/driver/gpu/test_gpus.h"

namespace vta::driver::opencl {
namespace {

using test::runProbe;
using test::ScopedVariable;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kPocl = "/usr/lib/x86_64-linux-gnu/libpocl.so.2";

class SpoiltPlatform : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder(*TemporaryFolder::create("vta-ocl-"));
    const std::string file = folder_->path() / "fake.icd";
    std::ofstream(file) << VTA_FAKE_OPENCL << "\n";
    ::setenv("OCL_ICD_VENDORS", file.c_str(), 1);
    ::setenv("FAKE_OPENCL_DRIVER", kPocl, 1);
  }
  static void TearDownTestSuite() { delete folder_; }
  void SetUp() override {
    if (!std::filesystem::exists(kPocl)) GTEST_SKIP() << "no " << kPocl;
  }

  static inline TemporaryFolder* folder_ = nullptr;
};

TEST_F(SpoiltPlatform, WithoutFaultsItIsTheOtherOne) {
  const auto gpu = OpenClDevice::open(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  std::vector<OwnedDeviceBuffer> buffers;
  const Status status = runProbe(**gpu, buffers);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(SpoiltPlatform, WithoutDevicesItIsNamed) {
  const ScopedVariable empty("FAKE_OPENCL", "empty");
  const auto devices = OpenClDevice::list();
  ASSERT_TRUE(devices.ok()) << devices.status().message();
  EXPECT_TRUE(devices->empty());
  EXPECT_THAT(openGpu("opencl").status().message(), HasSubstr("opencl: no GPU"));
}

TEST_F(SpoiltPlatform, ThatFailsSaysWhere) {
  const ScopedVariable broken("FAKE_OPENCL", "broken");
  EXPECT_THAT(OpenClDevice::list().status().message(), HasSubstr("clGetDeviceIDs: out of memory"));
  EXPECT_THAT(openGpu("opencl").status().message(),
              HasSubstr("opencl: OpenCL: clGetDeviceIDs: out of memory"));
}

TEST_F(SpoiltPlatform, ThatLiesIsUsedWithoutTheFeature) {
  const ScopedVariable lies("FAKE_OPENCL", "lies");
  const auto gpu = OpenClDevice::open(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  EXPECT_TRUE((*gpu)->info().features.has(GpuFeature::kFloat16));
  EXPECT_TRUE(trustGpu(**gpu, folder_->path() / "cache").ok());
  EXPECT_FALSE((*gpu)->info().features.has(GpuFeature::kFloat16));
  EXPECT_THAT((*gpu)->takeNotes(),
              Contains(AllOf(HasSubstr("claims float16"), HasSubstr("used without"))));
}

TEST_F(SpoiltPlatform, WithoutMemorySaysSo) {
  const ScopedVariable full("FAKE_OPENCL", "full");
  const auto gpu = OpenClDevice::open(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  const auto buffer = (*gpu)->allocate(512, 512);
  EXPECT_EQ(buffer.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(buffer.status().message(), HasSubstr("not enough memory for 512 bytes"));
}

TEST_F(SpoiltPlatform, WhoseKernelsStopFailsItsTest) {
  const ScopedVariable stop("FAKE_OPENCL", "stop");
  const auto gpu = OpenClDevice::open(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  std::vector<OwnedDeviceBuffer> buffers;
  const Status status = runProbe(**gpu, buffers);
  EXPECT_EQ(status.code(), StatusCode::kDeviceFault);
  EXPECT_THAT(status.message(), HasSubstr("a kernel ended with code -5"));
  EXPECT_EQ(trustGpu(**gpu, folder_->path() / "cache-stop").code(), StatusCode::kDeviceFault);
}

TEST_F(SpoiltPlatform, WhoseKernelsHangIsLeftAlone) {
  const ScopedVariable hang("FAKE_OPENCL", "hang");
  const auto gpu = OpenClDevice::open(0);
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  std::vector<OwnedDeviceBuffer> buffers;
  const Status status = runProbe(**gpu, buffers);
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(status.message(), HasSubstr("did not end within 1 seconds"));
  EXPECT_THAT((*gpu)->allocate(512, 512).status().message(), HasSubstr("still runs"));
}

}  // namespace
}  // namespace vta::driver::opencl
