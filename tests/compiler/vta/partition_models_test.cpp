// Real models: nearly all multiply-accumulates go to the VTA, with a reason for all that does not.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "compiler/dialects/vta/vta.h"
#include "compiler/frontend/onnx/import.h"
#include "compiler/graph_passes/passes.h"
#include "compiler/quantize/quantize.h"
#include "compiler/registration.h"
#include "compiler/vta/passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace vta::compiler {
namespace {

struct Case {
  const char* model;
  const char* hw;
};

TensorMap randomInputs(mlir::func::FuncOp main) {
  TensorMap inputs;
  std::mt19937 rng(1);
  std::normal_distribution<float> distribution;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto type = mlir::cast<mlir::RankedTensorType>(main.getArgument(i).getType());
    Tensor tensor = Tensor::zeros(DType::kF32, type.getShape().vec());
    for (float& element : tensor.as<float>()) element = distribution(rng);
    inputs[main.getArgAttrOfType<mlir::StringAttr>(i, "graph.name").str()] = std::move(tensor);
  }
  return inputs;
}

class PartitionModelsTest : public ::testing::TestWithParam<Case> {};

TEST_P(PartitionModelsTest, NearlyAllMacsOnTheVta) {
  const std::filesystem::path model =
      std::filesystem::path(VTA_SOURCE_DIR "/../shared/models/onnx") / GetParam().model;
  if (!std::filesystem::exists(model)) GTEST_SKIP() << model << " is not here";
  auto hw = loadHwConfig(std::filesystem::path(VTA_SOURCE_DIR "/configs/hw") / GetParam().hw);
  ASSERT_TRUE(hw.ok()) << hw.status().message();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = importOnnx(model, {}, context);
  ASSERT_TRUE(module.ok()) << module.status().message();
  mlir::PassManager optimise(&context);
  buildGraphOptimizationPipeline(optimise);
  ASSERT_TRUE(succeeded(optimise.run(**module)));

  QuantizeOptions options;
  options.samples = {randomInputs((*module)->lookupSymbol<mlir::func::FuncOp>("main"))};
  const Result<QuantizeReport> quantised = quantizeGraph(**module, *hw, options);
  ASSERT_TRUE(quantised.ok()) << quantised.status().message();

  mlir::PassManager partition(&context);
  buildPartitionPipeline(partition, *hw);
  ASSERT_TRUE(succeeded(partition.run(**module)));

  int64_t macs_on_vta = 0, macs_on_host = 0;
  std::string host;
  (*module)->lookupSymbol<mlir::func::FuncOp>("main").walk([&](mlir::Operation* op) {
    if (auto kernel = mlir::dyn_cast<KernelOp>(op)) {
      macs_on_vta += static_cast<int64_t>(kernel.getMacs());
    } else if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op)) {
      macs_on_host += call->getAttrOfType<mlir::IntegerAttr>(kMacsAttr).getInt();
      const auto reason = call->getAttrOfType<mlir::StringAttr>(kReasonAttr);
      EXPECT_FALSE(reason.empty()) << call.getCallee().str();
      host += call->getAttrOfType<mlir::StringAttr>(kLayerAttr).str() + ": " +
              call->getAttrOfType<mlir::StringAttr>(kOpAttr).str() + ": " + reason.str() + "\n";
    }
  });
  EXPECT_GT(macs_on_vta, 0);
  EXPECT_GE(static_cast<double>(macs_on_vta),
            0.99 * static_cast<double>(macs_on_vta + macs_on_host))
      << host;
  RecordProperty("host", host);
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const char* model :
       {"mnist/mnist-8.onnx", "mnist/tinymaix_mnist_resnet_f32.onnx",
        "cifar10/cifar_resnet20_f32.onnx", "cifar10/mlperf_resnet8_f32.onnx",
        "tinyml/mlperf_ad_autoencoder_f32.onnx", "tinyml/mlperf_kws_dscnn_f32.onnx",
        "tinyml/mlperf_vww_mbv1_f32.onnx", "imagenet/tinymaix_mbv1_0.25_128_f32.onnx",
        "imagenet/squeezenet1.0_deepcomp_f32.onnx", "imagenet/resnet18_seeded_f32.onnx"}) {
    out.push_back({model, "default.yaml"});
  }
  for (const char* model : {"mnist/mnist-8.onnx", "cifar10/mlperf_resnet8_f32.onnx",
                            "tinyml/mlperf_kws_dscnn_f32.onnx"}) {
    out.push_back({model, "vta-0.0.2.yaml"});
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Models, PartitionModelsTest, ::testing::ValuesIn(cases()),
                         [](const auto& test) {
                           std::string name =
                               std::filesystem::path(test.param.model).stem().string() + "_" +
                               std::filesystem::path(test.param.hw).stem().string();
                           for (char& c : name) c = std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace vta::compiler
