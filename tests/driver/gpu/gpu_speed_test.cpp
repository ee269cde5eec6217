// Rates of GPUs: what is measured, and that it is remembered.
#include "driver/gpu/gpu_speed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "driver/gpu/probes/probe.h"
#include "tests/driver/gpu/test_gpus.h"

namespace vta::driver {
namespace {

using ::testing::Gt;

SpeedPrograms probePrograms() {
  constexpr uint64_t kBytes = kProbeWords * sizeof(uint32_t);
  GpuProgram program;
  program.argument_bytes = {kBytes, kBytes, kBytes};
  program.kernels = {probeKernel(allProbes().front())};
  program.dispatches.resize(1);
  for (uint32_t i = 0; i < 3; ++i) {
    program.dispatches[0].bindings.push_back({GpuBinding::Source::kArgument, i, 0, kBytes});
  }
  return {.products = program, .macs = kProbeWords, .copies = program, .bytes = 3 * kBytes};
}

class GpuSpeed : public ::testing::TestWithParam<test::TestGpu> {
 protected:
  void SetUp() override {
    if (GetParam().is_cuda) GTEST_SKIP() << "it runs no PTX";
    if (!GetParam().isThere()) GTEST_SKIP() << "no " << GetParam().name;
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("vta-test");
};

TEST_P(GpuSpeed, IsMeasuredOnce) {
  const auto gpu = GetParam().open();
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  int made = 0;
  const auto make = [&]() -> Result<SpeedPrograms> {
    ++made;
    return probePrograms();
  };
  const auto rates = ratesOfGpu(**gpu, make, folder_.path());
  ASSERT_TRUE(rates.ok()) << rates.status().message();
  for (const double rate : {rates->macs_per_second, rates->bytes_per_second,
                            rates->seconds_per_launch, rates->seconds_per_run}) {
    EXPECT_THAT(rate, Gt(0));
  }
  EXPECT_EQ(rates->sharesMemory(), !GetParam().staged);
  const auto again = ratesOfGpu(**gpu, make, folder_.path());
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(*again, *rates);
  EXPECT_EQ(made, 1);
  ASSERT_TRUE(ratesOfGpu(**gpu, make, "").ok());
  EXPECT_EQ(made, 2);
}

TEST_P(GpuSpeed, WithoutProgramsThereIsNone) {
  const auto gpu = GetParam().open();
  ASSERT_TRUE(gpu.ok()) << gpu.status().message();
  const auto make = []() -> Result<SpeedPrograms> { return internalError("no compiler"); };
  EXPECT_EQ(ratesOfGpu(**gpu, make, folder_.path()).status().message(), "no compiler");
}

INSTANTIATE_TEST_SUITE_P(All, GpuSpeed, ::testing::ValuesIn(test::testGpus()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vta::driver
