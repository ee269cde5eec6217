// What is special about OpenCL: machines without it, and sources that do not build.
#include "driver/gpu/opencl/opencl_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/gpu/gpu_registry.h"

namespace vta::driver::opencl {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(OpenCl, SaysWhatToInstallWithoutALoader) {
  const auto api = OpenClApi::load("libOpenCL-that-is-not-there.so");
  EXPECT_EQ(api.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(api.status().message(),
              AllOf(HasSubstr("libOpenCL-that-is-not-there.so"), HasSubstr("install its loader")));
}

TEST(OpenCl, AnotherLibraryIsNoLoader) {
  EXPECT_THAT(OpenClApi::load("libc.so.6").status().message(),
              HasSubstr("libc.so.6 has no clGetPlatformIDs"));
}

TEST(OpenCl, ErrorsHaveCodes) {
  EXPECT_TRUE(openClStatus(kSuccess, "f").ok());
  EXPECT_EQ(openClStatus(kMemObjectAllocationFailure, "f").code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(openClStatus(-30, "clF").message(), HasSubstr("clF failed with code -30"));
}

class OpenClDriver : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto devices = OpenClDevice::list();
    if (!devices.ok() || devices->empty()) GTEST_SKIP() << "no driver of OpenCL";
  }

  static std::string problemOf(const std::string& text, const std::string& entry_point) {
    const auto device = OpenClDevice::open(0);
    EXPECT_TRUE(device.ok()) << device.status().message();
    const auto source = std::as_bytes(std::span(text));
    const auto buffer = (*device)->allocate(64, 512);
    const GpuProgram program = {
        .argument_bytes = {64},
        .kernels =
            {{.name = "k",
              .bindings = {GpuAccess::kWrite},
              .codes =
                  {{GpuCodeForm::kOpenClC, entry_point, "", {}, {source.begin(), source.end()}}}}},
        .dispatches = {{0, {1, 1, 1}, {{GpuBinding::Source::kArgument, 0, 0, 64}}}}};
    const auto loaded =
        (*device)->load(program, std::vector<uint64_t>{buffer->address}, GpuTimes::kOff);
    return loaded.ok() ? "" : loaded.status().message();
  }
};

TEST_F(OpenClDriver, SaysWhatIsWrongWithASource) {
  EXPECT_EQ(problemOf("kernel void k(global int* out) { *out = 1; }", "k"), "");
  EXPECT_THAT(problemOf("kernel void k(global int* out) { *out = nothing; }", "k"),
              AllOf(HasSubstr("kernel 'k': OpenCL refuses its code"), HasSubstr("nothing")));
  EXPECT_THAT(problemOf("kernel void k(global int* out) { *out = 1; }", "other"),
              HasSubstr("kernel 'k': OpenCL: clCreateKernel failed"));
}

TEST_F(OpenClDriver, IsAnInterfaceOfTheRegistry) {
  const auto device = openGpu("opencl");
  ASSERT_TRUE(device.ok()) << device.status().message();
  EXPECT_EQ((*device)->info().interface, "opencl");
  EXPECT_THAT(OpenClDevice::open(99).status().message(), HasSubstr("there is no number 99"));
}

}  // namespace
}  // namespace vta::driver::opencl
