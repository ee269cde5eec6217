// What the compiler's entry point says about mistakes of its users.
#include "compiler/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/compiler/frontend/model_builder.h"

namespace vta::compiler {
namespace {

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

}  // namespace
}  // namespace vta::compiler
