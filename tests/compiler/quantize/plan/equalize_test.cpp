#include "compiler/quantize/plan/equalize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/registration.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

class EqualizeTest : public testing::Test {
 protected:
  EqualizeTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }

  // A convolution to four channels, then whatever `tail` does with %c : tensor<1x4x2x2xf32>.
  QuantPlan planWith(const std::string& tail) {
    const std::string text = R"(
      func.func @main(%x: tensor<1x2x2x2xf32>) -> tensor<1x4x2x2xf32> {
        %w = arith.constant dense<1.0> : tensor<4x2x1x1xf32>
        %dw = arith.constant dense<1.0> : tensor<4x1x1x1xf32>
        %pw = arith.constant dense<1.0> : tensor<4x4x1x1xf32>
        %c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
            dilations = array<i64: 1, 1>}
            : (tensor<1x2x2x2xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x2x2xf32>
      )" + tail + R"(
        return %o : tensor<1x4x2x2xf32>
      })";
    module_ = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    EXPECT_TRUE(module_);
    return planQuantization(module_->lookupSymbol<mlir::func::FuncOp>("main"));
  }

  // Factors of the activation between the two layers, whose channels peak at 8, 4, 2 and 0.
  static std::vector<float> factorsOfFirstOutput(const QuantPlan& plan) {
    std::vector<ChannelStats> stats(plan.activations.size(), ChannelStats{{8, 4, 2, 0}});
    return equalizeChannels(plan, stats)[plan.indexOf(plan.nodes[0].output)];
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

const char* const kDepthwise = R"(
  %o = graph.conv %c, %dw {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, group = 4 : i64}
      : (tensor<1x4x2x2xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x2x2xf32>)";
const char* const kPointwise = R"(
  %o = graph.conv %c, %pw {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x4x2x2xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x2x2xf32>)";

TEST_F(EqualizeTest, DepthwiseConsumersAllowFullEqualisationLessAMargin) {
  EXPECT_EQ(factorsOfFirstOutput(planWith(kDepthwise)), (std::vector<float>{1, 1.6F, 3.2F, 1}));
}

TEST_F(EqualizeTest, OtherConsumersShareTheCost) {
  const auto factors = factorsOfFirstOutput(planWith(kPointwise));
  ASSERT_EQ(factors.size(), 4U);
  EXPECT_FLOAT_EQ(factors[1], std::sqrt(2.0F));
  EXPECT_FLOAT_EQ(factors[2], 2.0F);
  EXPECT_FLOAT_EQ(factors[3], 1.0F);
}

TEST_F(EqualizeTest, AnythingButContractionsForbidsIt) {
  EXPECT_TRUE(factorsOfFirstOutput(planWith(R"(
    %d = graph.conv %c, %dw {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
        dilations = array<i64: 1, 1>, group = 4 : i64}
        : (tensor<1x4x2x2xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x2x2xf32>
    %o = graph.binary add %d, %c
        : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>)"))
                  .empty());
}

TEST_F(EqualizeTest, InputChannelsFollowTheGroups) {
  const auto list = [](const InputChannels& channels, int64_t weights) {
    std::vector<int64_t> all;
    for (int64_t i = 0; i < weights; ++i) all.push_back(channels.of(i));
    return all;
  };
  EXPECT_EQ(list(inputChannels(planWith(kDepthwise).nodes[1]), 4),
            (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(list(inputChannels(planWith(kPointwise).nodes[0]), 8),
            (std::vector<int64_t>{0, 1, 0, 1, 0, 1, 0, 1}));
}

}  // namespace
}  // namespace vta::compiler
