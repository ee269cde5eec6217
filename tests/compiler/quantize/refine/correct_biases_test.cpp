#include "compiler/quantize/refine/correct_biases.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

// y = clip(2 * x), z = 3 * y, on four pixels.
const char* const kBiasedNetwork = R"(
  func.func @main(%x: tensor<1x1x2x2xf32> {graph.name = "x"}) -> tensor<1x1x2x2xf32> {
    %two = arith.constant dense<2.0> : tensor<1x1x1x1xf32>
    %three = arith.constant dense<3.0> : tensor<1x1x1x1xf32>
    %c = graph.conv %x, %two {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
        dilations = array<i64: 1, 1>}
        : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32>
    %y = graph.clip %c {min = 0.0 : f64, max = 10.0 : f64}
        : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
    %z = graph.conv %y, %three {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
        dilations = array<i64: 1, 1>}
        : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32>
    return %z : tensor<1x1x2x2xf32>
  })";

class CorrectBiasesTest : public testing::Test {
 protected:
  CorrectBiasesTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
    module_ = mlir::parseSourceString<mlir::ModuleOp>(kBiasedNetwork, &context_);
    plan_ = planQuantization(module_->lookupSymbol<mlir::func::FuncOp>("main"));
  }

  static std::vector<TensorMap> samples(size_t count) {
    Tensor tensor = Tensor::zeros(DType::kF32, {1, 1, 2, 2});
    const float values[] = {0.6F, 1.1F, 2.2F, 3.1F};
    std::copy(std::begin(values), std::end(values), tensor.as<float>().begin());
    return std::vector<TensorMap>(count, {{"x", tensor}});
  }

  // With steps of 1 for y, and x on its steps.
  Status correct(size_t count) {
    std::vector<ActivationScale> scales(plan_.activations.size(), {{0.05, 0}, {}});
    scales[static_cast<size_t>(plan_.indexOf(plan_.nodes[0].output))].params = {1.0, 0};
    scales[static_cast<size_t>(plan_.indexOf(plan_.nodes[1].output))].params = {0.25, 0};
    auto expected = ActivationRun::create(*module_, plan_.activations);
    if (!expected.ok()) return expected.status();
    return correctBiases(*module_, plan_, CalibrationData(), scales, *expected, samples(count), {},
                         {});
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  QuantPlan plan_;
};

TEST_F(CorrectBiasesTest, MeansComeBack) {
  ASSERT_EQ(plan_.nodes.size(), 2U);
  ASSERT_TRUE(correct(8).ok());
  // y is 1.2, 2.2, 4.4, 6.2 and becomes 1, 2, 4, 6: 0.25 too little in the mean.
  EXPECT_NEAR(plan_.nodes[0].bias[0], 0, 1e-5);
  EXPECT_NEAR(plan_.nodes[1].bias[0], 3 * 0.25, 1e-4);
}

TEST_F(CorrectBiasesTest, WideActivationsNeedNone) {
  plan_.wide.insert(plan_.nodes[0].output);
  ASSERT_TRUE(correct(8).ok());
  EXPECT_NEAR(plan_.nodes[1].bias[0], 0, 1e-5);
}

TEST_F(CorrectBiasesTest, AFewSamplesSayNothing) {
  ASSERT_TRUE(correct(7).ok());
  EXPECT_EQ(plan_.nodes[1].bias[0], 0);
}

}  // namespace
}  // namespace vta::compiler
