// Which layers go to a GPU, and what the compiler says of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "compiler/compile.h"
#include "module/executor_kinds.h"
#include "module/module_file.h"
#include "tests/compiler/frontend/model_builder.h"

namespace vta::compiler {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A product, a function, and an operator that no GPU has: node_y, node_s and node_z.
class PlacementTest : public ::testing::Test {
 protected:
  static Result<std::shared_ptr<const Model>> load() {
    ModelBuilder model;
    model.input("x", {64, 64});
    model.floats("w", {64, 64}, 0.25F);
    model.node("MatMul", {"x", "w"}, {"y"});
    model.node("Sigmoid", {"y"}, {"s"});
    model.integers("row", {0});
    model.floats("new_row", {64}, 1);
    model.node("ScatterND", {"s", "row", "new_row"}, {"z"});
    model.output("z", {64, 64});
    const std::filesystem::path file =
        std::filesystem::path(testing::TempDir()) / "gpu_placement_test.onnx";
    std::ofstream(file, std::ios::binary) << model.proto().SerializeAsString();
    return Model::load(file, {});
  }

  /// "gpu: node_y .. node_s | cpu: node_z"
  std::string places(const CompileOptions& options) {
    const auto model = load();
    if (!model.ok()) return model.status().message();
    const auto compiled = (*model)->compile(options);
    if (!compiled.ok()) return compiled.status().message();
    warnings_ = compiled->report.warnings;
    const ModuleInfo info = viewModule(compiled->elf)->info;
    std::string text;
    for (const StepInfo& step : info.steps) {
      const LayerInfo& layer = info.layers[step.layer];
      text += (text.empty() ? "" : " | ") + info.executorOf(step).name + ": " + layer.name;
      reasons_[layer.name] = layer.reason;
    }
    return text;
  }

  static CompileOptions options(Partition partition) {
    CompileOptions options;
    options.partition = partition;
    options.build.code.quality = codegen::CodeQuality::kDraft;
    return options;
  }

  std::vector<std::string> warnings_;
  std::map<std::string, std::string> reasons_;
};

TEST_F(PlacementTest, ThePartitionGivesTheGpuWhatItCanRun) {
  EXPECT_EQ(places(options(Partition::kGpu)), "gpu: node_y .. node_s | cpu: node_z");
  EXPECT_THAT(reasons_["node_z"], HasSubstr("not on the gpu: GPUs have no kernel of it"));
  EXPECT_THAT(warnings_, IsEmpty());
  CompileOptions strict = options(Partition::kGpu);
  strict.no_fallback = true;
  EXPECT_THAT(places(strict), HasSubstr("--no-fallback: layer 'node_z' is for the gpu, but runs on "
                                        "the cpu: GPUs have no kernel of it"));
  strict.placement.rules = {{"node_z", "cpu"}};
  EXPECT_EQ(places(strict), "gpu: node_y .. node_s | cpu: node_z");
}

TEST_F(PlacementTest, RulesOfferTheGpuAndKeepLayersFromIt) {
  CompileOptions placed = options(Partition::kCpu);
  placed.placement.rules = {{"node_y", "cpu"}, {"node_s", "gpu"}};
  EXPECT_EQ(places(placed), "cpu: node_y | gpu: node_s | cpu: node_z");
  EXPECT_EQ(reasons_["node_s"], "--place says so");
  placed.placement.rules = {{"node_z", "gpu"}};
  EXPECT_THAT(places(placed), HasSubstr("cpu"));
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("layer 'node_z' is for the gpu, but runs on the cpu"));
  placed = options(Partition::kGpu);
  placed.placement.rules = {{"node_y", "cpu"}};
  EXPECT_EQ(places(placed), "cpu: node_y | gpu: node_s | cpu: node_z");
}

TEST_F(PlacementTest, RatesOfTheMachineDecide) {
  CompileOptions offered = options(Partition::kCpu);
  offered.placement.offered = "gpu";
  MachineRates rates = {.macs_per_second = 1e15, .bytes_per_second = 1e15};
  offered.placement.rates["gpu"] = rates;
  EXPECT_EQ(places(offered), "gpu: node_y .. node_s | cpu: node_z");
  EXPECT_THAT(reasons_["node_y .. node_s"], HasSubstr("estimates: "));
  rates.transfer_bytes_per_second = 1e3;
  offered.placement.rates["gpu"] = rates;
  EXPECT_EQ(places(offered), "cpu: node_y .. node_z");
}

}  // namespace
}  // namespace vta::compiler
