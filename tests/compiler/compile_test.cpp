// What the compiler's entry point says about mistakes of its users.
#include "compiler/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "module/module_file.h"
#include "tests/compiler/frontend/model_builder.h"

namespace vta::compiler {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CompileTest : public ::testing::Test {
 protected:
  /// x [1, 16, 4, 4] through a 1x1 convolution, node_y, to y.
  static Result<std::shared_ptr<const Model>> load() {
    ModelBuilder model;
    model.input("x", {1, 16, 4, 4});
    model.floats("w", {16, 16, 1, 1}, 0.5F);
    model.node("Conv", {"x", "w"}, {"y"});
    model.output("y", {1, 16, 4, 4});
    const std::filesystem::path file =
        std::filesystem::path(testing::TempDir()) / "compile_test.onnx";
    std::ofstream(file, std::ios::binary) << model.proto().SerializeAsString();
    return Model::load(file, {});
  }

  static CompileOptions options(Partition partition) {
    CompileOptions options;
    options.partition = partition;
    options.quantize.samples = {{{"x", Tensor::zeros(DType::kF32, {1, 16, 4, 4})}}};
    options.quantize.code.quality = options.build.code.quality = codegen::CodeQuality::kDraft;
    return options;
  }
};

TEST_F(CompileTest, ALayerThatHasToRunOnTheVtaButCannotIsTheUsersError) {
  const auto model = load();
  ASSERT_TRUE(model.ok()) << model.status().message();
  CompileOptions with_float = options(Partition::kVta);
  EXPECT_TRUE((*model)->compile(with_float).ok());
  with_float.quantize.float_layers = {"node_y"};
  const Status status = (*model)->compile(with_float).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(status.message(), "layer 'node_y' cannot run on the VTA: float operator");
}

TEST_F(CompileTest, WithoutABackEndForGpusNoneCompilesForThem) {
  const auto model = load();
  ASSERT_TRUE(model.ok()) << model.status().message();
  const Status status = (*model)->compile(options(Partition::kGpu)).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(status.message(), "this program has no back end 'gpu'");
}

TEST_F(CompileTest, WrongOptionsAreTheUsersError) {
  const auto model = load();
  ASSERT_TRUE(model.ok()) << model.status().message();
  CompileOptions unknown_target = options(Partition::kCpu);
  unknown_target.build.code.target.triple = "z80-unknown-cpm";
  Status status = (*model)->compile(unknown_target).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), StartsWith("unknown target 'z80-unknown-cpm'; known: "));

  CompileOptions unknown_layer = options(Partition::kAuto);
  unknown_layer.quantize.float_layers = {"conv9"};
  status = (*model)->compile(unknown_layer).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("'conv9'"));
}

TEST_F(CompileTest, LayersGoWhereRulesWantThem) {
  const auto model = load();
  ASSERT_TRUE(model.ok()) << model.status().message();
  CompileOptions placed = options(Partition::kAuto);
  const auto kernels = [&] {
    const auto compiled = (*model)->compile(placed);
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    return compiled.ok() ? viewModule(compiled->elf)->info.kernelCount() : 99;
  };
  EXPECT_EQ(kernels(), 1U);
  placed.placement.rules = {{"node_*", "cpu"}};
  placed.no_fallback = true;  // it is where it is wanted
  EXPECT_EQ(kernels(), 0U);
  placed.placement.rules.push_back({"node_y", "vta"});
  EXPECT_EQ(kernels(), 1U);
}

TEST_F(CompileTest, WhatIsElsewhereIsAWarningOrAnError) {
  const auto model = load();
  ASSERT_TRUE(model.ok()) << model.status().message();
  CompileOptions placed = options(Partition::kAuto);
  placed.quantize.float_layers = {"node_y"};
  placed.placement.rules = {{"node_y", "vta"}};
  const auto compiled = (*model)->compile(placed);
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  EXPECT_THAT(compiled->report.warnings,
              Contains("layer 'node_y' is for the vta, but runs on the cpu: float operator"));
  placed.no_fallback = true;
  const Status status = (*model)->compile(placed).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("layer 'node_y' cannot run on the VTA"));
}

TEST_F(CompileTest, RulesNameLayersAndMachinesThatAreThere) {
  const auto model = load();
  ASSERT_TRUE(model.ok()) << model.status().message();
  CompileOptions placed = options(Partition::kCpu);
  placed.placement.rules = {{"node_x", "cpu"}};
  Status status = (*model)->compile(placed).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("no layer of this name; did you mean node_y?"));
  placed.placement.rules = {{"node_y", "vta"}};  // nothing is there in float
  EXPECT_THAT((*model)->compile(placed).status().message(), HasSubstr("operators run on cpu here"));
}

}  // namespace
}  // namespace vta::compiler
