#include "explore/sweep/vivado/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "isa/config/clock_estimate.h"
#include "tests/explore/sweep/vivado/reports.h"

namespace vta::sweep {
namespace {

using ::testing::HasSubstr;

/// The default configuration, of which Vivado needs `share` of the estimate.
ImplementedDesign designWith(double share) {
  ImplementedDesign design;
  design.label = "default.yaml";
  design.utilization = *parseUtilization(utilizationText());
  AreaEstimate& used = design.utilization->used;
  used = estimateArea(design.hw);
  used.lut *= share;
  used.ff *= share;
  return design;
}

ImplementedDesign timedDesign(const std::string& slack) {
  ImplementedDesign design;
  design.label = "default.yaml";
  design.timing = *parseTiming(timingText(slack), "");
  return design;
}

TEST(Calibration, WithoutReportsEstimatesStay) {
  const AreaEstimate estimate = estimateArea(HwConfig::makeDefault());
  EXPECT_EQ(valuesOf(Calibration().apply(estimate)), valuesOf(estimate));
  EXPECT_EQ(Calibration().clockFactor("xc7z020-1"), 1);
}

TEST(Calibration, ScalesByTheGeometricMean) {
  const auto calibration = calibrate({designWith(0.5), designWith(0.72)});
  ASSERT_TRUE(calibration.ok()) << calibration.status().message();
  const AreaEstimate estimate = estimateArea(HwConfig::makeDefault());
  const AreaEstimate scaled = calibration->apply(estimate);
  EXPECT_NEAR(scaled.lut / estimate.lut, 0.6, 1e-9);
  EXPECT_NEAR(scaled.ff / estimate.ff, 0.6, 1e-9);
  EXPECT_EQ(scaled.dsp, estimate.dsp);
  EXPECT_EQ(scaled.bram36, estimate.bram36);
  ASSERT_FALSE(calibration->remarks.empty());
  EXPECT_EQ(calibration->remarks[0], "lut: 0.600 of the estimate in 2 reports (0.500 to 0.720)");
}

TEST(Calibration, ScalesTheClockOfTheReportsDevice) {
  const auto calibration = calibrate({timedDesign(" 1.250")});
  ASSERT_TRUE(calibration.ok()) << calibration.status().message();
  const ClockEstimate estimate = estimateClock(HwParams()).front();
  ASSERT_EQ(estimate.device, "xc7z020-1");
  // Nobody says how full the device was: the estimate for a full one counts.
  EXPECT_NEAR(calibration->clockFactor("xc7z020-1"), 1000 / 8.75 / estimate.full_mhz, 1e-9);
  EXPECT_EQ(calibration->clockFactor("xczu3eg-1"), 1);

  ImplementedDesign small = timedDesign(" 1.250");
  small.utilization = designWith(1).utilization;
  small.utilization->used.lut = 0.4 * findDevice("xc7z020")->has.lut;
  const auto of_small = calibrate({small});
  ASSERT_TRUE(of_small.ok()) << of_small.status().message();
  EXPECT_NEAR(of_small->clockFactor("xc7z020-1"), 1000 / 8.75 / estimate.mhz, 1e-9);
}

TEST(Calibration, RefusesReportsOfOtherDesigns) {
  const auto tiny = calibrate({designWith(0.1)});
  EXPECT_THAT(tiny.status().message(), HasSubstr("default.yaml: the report has"));
  EXPECT_THAT(tiny.status().message(), HasSubstr("report of another design"));
  ImplementedDesign without_dsp = designWith(1);
  without_dsp.utilization->used.dsp = 0;
  EXPECT_THAT(calibrate({without_dsp}).status().message(), HasSubstr("0 dsp"));
  ImplementedDesign other_device = timedDesign(" 1.250");
  other_device.timing->device = "7a100t-csg324";
  EXPECT_THAT(calibrate({other_device}).status().message(),
              HasSubstr("no clock estimate for device '7a100t-csg324' of speed grade '-1'"));
  EXPECT_THAT(calibrate({other_device}).status().message(), HasSubstr("xczu3eg-1"));
}

}  // namespace
}  // namespace vta::sweep
