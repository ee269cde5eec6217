// Every model in ../shared/models imports, or says what it lacks; and the required ones are reduced
// to what the accelerator and the host know.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "compiler/dialects/graph/graph.h"
#include "compiler/frontend/onnx/import.h"
#include "compiler/graph_passes/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

namespace vta::compiler {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = VTA_SOURCE_DIR "/../shared/models";

using OpCounts = std::map<std::string, int>;

OpCounts countOps(mlir::ModuleOp module) {
  OpCounts counts;
  module.walk([&](mlir::Operation* op) {
    if (mlir::isa_and_nonnull<graph::GraphDialect>(op->getDialect())) {
      ++counts[op->getName().stripDialect().str()];
    }
  });
  return counts;
}

class OnnxModels : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kModels)) GTEST_SKIP() << kModels << " is absent";
  }

  Result<mlir::OwningOpRef<mlir::ModuleOp>> import(const fs::path& path,
                                                   const DimensionMap& dimensions = {}) {
    auto module = importOnnx(path, {.dimensions = dimensions}, context_);
    if (module.ok()) {
      EXPECT_TRUE(mlir::succeeded(mlir::verify(**module))) << path;
    }
    return module;
  }

  /// The ops of a model after graph optimisation.
  OpCounts optimized(const std::string& name) {
    auto module = import(kModels / "onnx" / (name + ".onnx"));
    EXPECT_TRUE(module.ok()) << module.status().message();
    if (!module.ok()) return {};
    mlir::PassManager manager(&context_, "builtin.module");
    buildGraphOptimizationPipeline(manager);
    EXPECT_TRUE(mlir::succeeded(manager.run(**module))) << name;
    return countOps(**module);
  }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(OnnxModels, AllImport) {
  const std::map<std::string, DimensionMap> dimensions = {
      {"bert_toy_optimized", {{"batch", 1}, {"max_seq_len_in_batch", 8}}},
      {"silero_vad_op18_ifless", {{"batch", 1}, {"sequence", 512}}}};
  int count = 0;
  for (const char* folder : {"onnx", "onnx-light"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kModels / folder)) {
      if (entry.path().extension() != ".onnx") continue;
      ++count;
      std::string name = entry.path().stem().string();
      auto bound = dimensions.find(name);
      auto module =
          import(entry.path(), bound == dimensions.end() ? DimensionMap() : bound->second);
      EXPECT_TRUE(module.ok()) << name << ": " << module.status().message();
    }
  }
  EXPECT_GE(count, 30);
}

TEST_F(OnnxModels, Mnist) {
  EXPECT_EQ(optimized("mnist/mnist-8"), (OpCounts{{"conv", 2},
                                                  {"unary", 2},
                                                  {"max_pool", 2},
                                                  {"reshape", 1},
                                                  {"matmul", 1},
                                                  {"binary", 1}}));
  EXPECT_EQ(optimized("mnist/tinymaix_mnist_resnet_f32"), (OpCounts{{"conv", 4},
                                                                    {"unary", 2},
                                                                    {"binary", 2},
                                                                    {"transpose", 1},
                                                                    {"reshape", 1},
                                                                    {"matmul", 1},
                                                                    {"softmax", 1}}));
}

TEST_F(OnnxModels, Cifar10) {
  // The shortcuts without weights are slices and pads of channels.
  EXPECT_EQ(optimized("cifar10/cifar_resnet20_f32"), (OpCounts{{"conv", 19},
                                                               {"unary", 19},
                                                               {"binary", 10},
                                                               {"slice", 2},
                                                               {"pad", 2},
                                                               {"avg_pool", 1},
                                                               {"reshape", 1},
                                                               {"matmul", 1}}));
  EXPECT_EQ(optimized("cifar10/mlperf_resnet8_f32"), (OpCounts{{"conv", 9},
                                                               {"unary", 7},
                                                               {"binary", 4},
                                                               {"avg_pool", 1},
                                                               {"reshape", 1},
                                                               {"matmul", 1},
                                                               {"softmax", 1}}));
}

TEST_F(OnnxModels, TinyMl) {
  EXPECT_EQ(optimized("tinyml/mlperf_ad_autoencoder_f32"),
            (OpCounts{{"matmul", 10}, {"binary", 10}, {"unary", 9}}));
  EXPECT_EQ(optimized("tinyml/mlperf_kws_dscnn_f32"), (OpCounts{{"conv", 9},
                                                                {"unary", 9},
                                                                {"avg_pool", 1},
                                                                {"reshape", 1},
                                                                {"matmul", 1},
                                                                {"binary", 1},
                                                                {"softmax", 1}}));
  EXPECT_EQ(optimized("tinyml/mlperf_vww_mbv1_f32"), (OpCounts{{"conv", 27},
                                                               {"unary", 27},
                                                               {"avg_pool", 1},
                                                               {"reshape", 1},
                                                               {"matmul", 1},
                                                               {"binary", 1},
                                                               {"softmax", 1}}));
}

TEST_F(OnnxModels, ImageNet) {
  EXPECT_EQ(optimized("imagenet/squeezenet1.0_deepcomp_f32"), (OpCounts{{"conv", 26},
                                                                        {"unary", 26},
                                                                        {"max_pool", 3},
                                                                        {"concat", 8},
                                                                        {"avg_pool", 1},
                                                                        {"reshape", 1}}));
  // Its explicit pads are in the convolutions.
  EXPECT_EQ(
      optimized("imagenet/tinymaix_mbv1_0.25_128_f32"),
      (OpCounts{{"conv", 28}, {"clip", 27}, {"avg_pool", 1}, {"reshape", 1}, {"softmax", 1}}));
  EXPECT_EQ(optimized("imagenet/resnet18_seeded_f32"), (OpCounts{{"conv", 20},
                                                                 {"unary", 17},
                                                                 {"binary", 9},
                                                                 {"max_pool", 1},
                                                                 {"avg_pool", 1},
                                                                 {"reshape", 1},
                                                                 {"matmul", 1}}));
}

}  // namespace
}  // namespace vta::compiler
