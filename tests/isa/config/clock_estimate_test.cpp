#include "isa/config/clock_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "isa/config/hw_config.h"

namespace vta {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(ClockEstimateTest, FullDevicesAndLargeArraysAreSlower) {
  const auto estimates = estimateClock(HwParams());
  ASSERT_THAT(estimates, Not(IsEmpty()));
  HwParams large;
  large.block_out = 64;
  const auto large_estimates = estimateClock(large);
  ASSERT_EQ(large_estimates.size(), estimates.size());
  for (size_t i = 0; i < estimates.size(); ++i) {
    EXPECT_GT(estimates[i].mhz, 50) << estimates[i].device;
    EXPECT_LT(estimates[i].mhz, 1000) << estimates[i].device;
    EXPECT_LT(estimates[i].full_mhz, estimates[i].mhz) << estimates[i].device;
    EXPECT_LE(large_estimates[i].mhz, estimates[i].mhz) << estimates[i].device;
    if (i > 0) {
      EXPECT_GE(estimates[i].mhz, estimates[i - 1].mhz);
    }
  }
}

TEST(ClockEstimateTest, ARelaxedPipelineIsSlowerOnEveryDevice) {
  const auto fast = estimateClock(HwParams());
  HwParams params;
  params.pipeline = Pipeline::kRelaxed;
  const auto relaxed = estimateClock(params);
  ASSERT_EQ(relaxed.size(), fast.size());
  for (size_t i = 0; i < fast.size(); ++i) {
    EXPECT_LT(relaxed[i].mhz, fast[i].mhz) << fast[i].device;
    EXPECT_LT(relaxed[i].full_mhz, fast[i].full_mhz) << fast[i].device;
    EXPECT_GT(relaxed[i].full_mhz, 50) << fast[i].device;
  }
}

TEST(ClockEstimateTest, WarnsAboveAnEstimate) {
  HwParams params;
  EXPECT_EQ(clockWarning(params), "");
  params.clock_hz = 5000'000'000;
  EXPECT_THAT(clockWarning(params), HasSubstr("clock_mhz is 5000,"));
  params.clock_hz = 4'999'500'000;
  EXPECT_THAT(clockWarning(params), HasSubstr("clock_mhz is 4999.5,"));
  for (const ClockEstimate& estimate : estimateClock(params)) {
    EXPECT_THAT(clockWarning(params), HasSubstr(std::string(estimate.device)));
  }
}

// Configurations for a device have a clock that its estimate supports (hw/synth/clock_points.json),
// but for the dense ones for a Zynq-7020, of which docs/performance.md says what they reach.
TEST(ClockEstimateTest, ShippedConfigurationsHaveAClockOfTheirDeviceOrAWarning) {
  struct Shipped {
    const char* name;
    const char* device;
    bool is_slower = false;
  };
  const Shipped kShipped[] = {
      {"default", "xc7z020-1"}, {"zynq-7020", "xc7z020-1", true},
      {"zu3eg", "xczu3eg-1"},   {"zynq-7020-handover", "xc7z020-1", true},
      {"zu7ev", "xczu7ev-1"},
  };
  for (const Shipped& shipped : kShipped) {
    const auto hw =
        loadHwConfig(std::string(VTA_SOURCE_DIR "/configs/hw/") + shipped.name + ".yaml");
    ASSERT_TRUE(hw.ok()) << hw.status().message();
    const std::string warning = clockWarning(hw->params());
    EXPECT_EQ(warning.find(shipped.device) != std::string::npos, shipped.is_slower)
        << shipped.name << ": " << warning;
  }
}

TEST(ClockEstimateTest, ItsFigureIsBelowTheClockThatItWarnsOf) {
  const ClockEstimate close = {"some-1", 149.93, 100};
  EXPECT_EQ(clockWarning(150, std::array{close}),
            "clock_mhz is 150, the core is estimated to reach 149 MHz on some-1");
}

TEST(ClockEstimateTest, NamesOnlyTheDevicesThatAreTooSlow) {
  HwParams params;
  const auto estimates = estimateClock(params);
  params.clock_hz = (static_cast<int64_t>(estimates.front().mhz) + 1) * 1'000'000;
  const std::string warning = clockWarning(params);
  EXPECT_THAT(warning, HasSubstr(std::string(estimates.front().device)));
  if (params.clockMhz() <= estimates.back().mhz) {
    EXPECT_THAT(warning, Not(HasSubstr(std::string(estimates.back().device))));
  }
}

}  // namespace
}  // namespace vta
