// Reports of modules that run on more machines than the CPU and a VTA.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/vta_run/profile.h"
#include "tools/vta_run/report.h"

namespace vta::tools {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// A report of one layer on each machine.
class Machines : public ::testing::Test {
 protected:
  Machines() {
    module_.model = "net";
    module_.executors.resize(3);
    const char* names[][2] = {{"cpu", "cpu"}, {"vta", "vta"}, {"gpu", "first gpu"}};
    for (uint32_t i = 0; i < 3; ++i) {
      module_.executors[i].kind = names[i][0];
      module_.executors[i].name = names[i][1];
      SpaceInfo& space = module_.spaces.emplace_back();
      space.executor = i;
      TensorInfo& tensor = module_.tensors.emplace_back();
      tensor.space = i;
      StepInfo& step = module_.steps.emplace_back();
      step.executor = step.layer = i;
      step.arguments = {i};
      module_.layers.push_back({"layer" + std::to_string(i), "Conv", "", "", 100 * (i + 1)});
    }
    module_.executors[1].hw = hw_;
    report_.module = &module_;
    report_.hw = &hw_;
    report_.has_cycles = true;
    report_.device = "cycle";
    for (uint32_t i = 0; i < 3; ++i) {
      LayerReport& row = report_.layers.emplace_back();
      row.layer = &module_.layers[i];
      row.machine = &module_.executors[i];
      row.seconds = 0.001 * (i + 1);
      row.copy_seconds = 0.0005;
    }
    report_.layers[2].kernels = {{"first", 0.002}, {"second", 0.00025}};
    report_.layers[1].cycles_in_run = report_.layers[1].counters.cycles = report_.total.cycles =
        static_cast<uint64_t>(hw_.params().clockMhz() * 4000);  // 4 ms
  }

  HwConfig hw_ = HwConfig::makeDefault();
  ModuleInfo module_;
  RunReport report_;
};

TEST_F(Machines, JsonNamesThem) {
  const auto json = nlohmann::json::parse(jsonReport(report_));
  EXPECT_EQ(json["layers"][0]["where"], "cpu");
  EXPECT_EQ(json["layers"][1]["where"], "vta");
  EXPECT_EQ(json["layers"][2]["where"], "first gpu");
  const auto& totals = json["totals"];
  EXPECT_EQ(totals["macs_on_vta"], 200);
  EXPECT_EQ(totals["cpu_steps"], 1);
  EXPECT_NEAR(totals["cpu_ms"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(totals["vta_ms"].get<double>(), 4, 1e-2);
  ASSERT_EQ(totals["machines"].size(), 3u);
  EXPECT_EQ(totals["machines"][2]["name"], "first gpu");
  EXPECT_EQ(totals["machines"][2]["kind"], "gpu");
  EXPECT_EQ(totals["machines"][2]["steps"], 1);
  EXPECT_NEAR(totals["machines"][2]["ms"].get<double>(), 3, 1e-9);
  EXPECT_NEAR(totals["frames_per_second"].get<double>(), 1000.0 / 8, 1);
}

// The times of the CPU and of the VTA have no copies in them.
TEST_F(Machines, JsonHasCopiesBesideKernels) {
  const auto json = nlohmann::json::parse(jsonReport(report_));
  for (const auto& rows : {json["layers"], json["totals"]["machines"]}) {
    EXPECT_TRUE(rows[0]["copy_ms"].is_null());
    EXPECT_TRUE(rows[1]["copy_ms"].is_null());
    EXPECT_NEAR(rows[2]["copy_ms"].get<double>(), 0.5, 1e-9);
  }
  EXPECT_TRUE(json["layers"][0]["kernels"].empty());
  const auto& kernels = json["layers"][2]["kernels"];
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[1]["name"], "second");
  EXPECT_NEAR(kernels[1]["ms"].get<double>(), 0.25, 1e-9);
}

TEST_F(Machines, WithoutCyclesOnlyTheVtaHasNoTime) {
  report_.has_cycles = false;
  const auto totals = nlohmann::json::parse(jsonReport(report_))["totals"];
  EXPECT_TRUE(totals["machines"][1]["ms"].is_null());
  EXPECT_FALSE(totals["machines"][2]["ms"].is_null());
  EXPECT_TRUE(totals["frames_per_second"].is_null());
}

TEST_F(Machines, TextAndCsvNameThem) {
  EXPECT_THAT(profileText(report_, ProfileDetail::kBrief, 100),
              AllOf(HasSubstr("first gpu"),
                    HasSubstr("3.00 ms on first gpu for 1 step, of which 0.500 ms copies"),
                    HasSubstr("1.00 ms on the CPU"), HasSubstr("1 of 3 steps run on the CPU")));
  EXPECT_THAT(profileCsv(report_),
              HasSubstr("layer2,Conv,first gpu,300,0,0,0,0,,,,3.000000,0.500000,,"));
  EXPECT_THAT(profileCsv(report_), HasSubstr("layer0,Conv,cpu,100,0,0,0,0,,,,1.000000,,,"));
  EXPECT_THAT(
      profileText(report_, ProfileDetail::kFull, 100),
      AllOf(ContainsRegex("layer2 +first +2000.0"), ContainsRegex("layer2 +\\(copies\\) +500.0"),
            Not(ContainsRegex("layer[01] +\\(copies\\)"))));
}

TEST_F(Machines, WithoutOthersNothingIsSaidOfThem) {
  report_.layers.pop_back();
  EXPECT_THAT(profileText(report_, ProfileDetail::kBrief, 100), Not(HasSubstr("gpu")));
}

TEST_F(Machines, VerifiedLayersAreOnTheirMachines) {
  RunOptions options;
  options.verify = true;
  EXPECT_THAT(textReport(report_, options), HasSubstr("layers on vta, first gpu equal"));
  module_.executors.resize(2);
  module_.steps.resize(2);
  module_.layers.resize(2);
  report_.layers.clear();
  EXPECT_THAT(textReport(report_, options), HasSubstr("layers on the VTA equal"));
}

}  // namespace
}  // namespace vta::tools
