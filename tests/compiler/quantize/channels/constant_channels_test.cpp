#include "compiler/quantize/channels/constant_channels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/calibrate/activation_run.h"
#include "compiler/registration.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

// A network of convolutions in text: 2 channels of 4x4 pixels to 16, of which the first `off` are
// switched off, perhaps a depthwise convolution, and then one to 2 channels.
struct Network {
  int off = 10;
  double off_weight = 0, off_bias = -1;  // what a filter that is switched off has
  bool is_depthwise = false;
  int depthwise_off = 16;  // the channels of the depthwise one that a bias makes zero or 6
  double depthwise_bias = -50;
  int pad = 0;                   // of the last convolution
  std::string other_users = {};  // ops that read %r, too

  static double weight(int i) { return 0.1 * (i * 7 % 11 - 5) + 0.03; }

  static std::string constant(const char* name, const std::vector<double>& values,
                              const std::string& shape) {
    return fmt::format("    %{} = arith.constant dense<\"0x{}\"> : tensor<{}xf32>\n", name,
                       hex(values), shape);
  }

  static std::string hex(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) {
      const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
      for (int byte = 0; byte < 4; ++byte) text += fmt::format("{:02X}", bits >> 8 * byte & 0xFF);
    }
    return text;
  }

  std::string text() const {
    std::vector<double> first, bias, depthwise_biases, last;
    for (int c = 0; c < 16; ++c) {
      for (int i = 0; i < 2; ++i) first.push_back(c < off ? off_weight : weight(2 * c + i));
      bias.push_back(c < off ? off_bias : 0.5);
      depthwise_biases.push_back(c < depthwise_off && c < off ? depthwise_bias : 0.25);
    }
    for (int i = 0; i < 32; ++i) last.push_back(weight(3 * i));
    const std::string conv =
        "{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: ";
    const std::string wide = "tensor<1x16x4x4xf32>", channels = "tensor<1x16x1x1xf32>";
    const int size = 4 + 2 * pad;
    std::string body = constant("w", first, "16x2x1x1") + constant("b", bias, "1x16x1x1") +
                       constant("db", depthwise_biases, "1x16x1x1") +
                       constant("pw", last, "2x16x1x1") +
                       "    %dw = arith.constant dense<0.125> : tensor<16x1x3x3xf32>\n";
    body += fmt::format(
        "    %c = graph.conv %x, %w {}0, 0, 0, 0>}}"
        " : (tensor<1x2x4x4xf32>, tensor<16x2x1x1xf32>) -> {}\n",
        conv, wide);
    body += fmt::format("    %s = graph.binary add %c, %b : ({0}, {1}) -> {0}\n", wide, channels);
    body += fmt::format(
        "    %r = graph.clip %s {{min = 0.0 : f64, max = 6.0 : f64}} : ({0}) -> {0}\n", wide);
    if (is_depthwise) {
      body += fmt::format(
          "    %d = graph.conv %r, %dw {}1, 1, 1, 1>, group = 16 : i64}}"
          " : ({}, tensor<16x1x3x3xf32>) -> {}\n",
          conv, wide, wide);
      body +=
          fmt::format("    %e = graph.binary add %d, %db : ({0}, {1}) -> {0}\n", wide, channels);
      body += fmt::format(
          "    %f = graph.clip %e {{min = 0.0 : f64, max = 6.0 : f64}} : ({0}) -> {0}\n", wide);
    }
    body += other_users;
    body += fmt::format(
        "    %o = graph.conv %{0}, %pw {1}{2}, {2}, {2}, {2}>}}"
        " : ({3}, tensor<2x16x1x1xf32>) -> tensor<1x2x{4}x{4}xf32>\n",
        is_depthwise ? "f" : "r", conv, pad, wide, size);
    return fmt::format(
        "func.func @main(%x: tensor<1x2x4x4xf32> {{graph.name = \"x\"}}) -> "
        "tensor<1x2x{0}x{0}xf32> {{\n{1}    return %o : tensor<1x2x{0}x{0}xf32>\n}}\n",
        size, body);
  }
};

class ConstantChannelsTest : public testing::Test {
 protected:
  ConstantChannelsTest() : hw_(HwConfig::makeDefault()) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }

  // How many channels go. The outputs have to stay what they are.
  int64_t removedFrom(const Network& network, double reach = kUnknown) {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(network.text(), &context_);
    EXPECT_TRUE(module_) << network.text();
    if (!module_) return -1;
    const std::vector<float> before = outputs();
    const int64_t count = leaveOutConstantChannels(planQuantization(main()), {reach}, hw_);
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*module_)));
    const std::vector<float> after = outputs();
    EXPECT_EQ(before.size(), after.size());
    for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-5) << i;
    return count;
  }

  mlir::func::FuncOp main() { return module_->lookupSymbol<mlir::func::FuncOp>("main"); }

  std::vector<float> outputs() {
    mlir::Value output = main().getBody().front().getTerminator()->getOperand(0);
    auto run = ActivationRun::create(*module_, {output});
    EXPECT_TRUE(run.ok()) << run.status().message();
    Tensor input = Tensor::zeros(DType::kF32, {1, 2, 4, 4});
    for (size_t i = 0; i < 32; ++i) {
      input.as<float>()[i] = static_cast<float>(i * 13 % 32) / 16.0F - 1;
    }
    EXPECT_TRUE(run->run({{"x", input}}).ok());
    const std::span<const float> values = run->values<float>(0);
    return {values.begin(), values.end()};
  }

  HwConfig hw_;
  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

TEST_F(ConstantChannelsTest, FiltersThatAreSwitchedOffGoOnBothSides) {
  EXPECT_EQ(removedFrom({}), 10);
  auto conv = *main().getOps<graph::ConvOp>().begin();
  EXPECT_EQ(conv.getOutput().getType().getDimSize(1), 6);
}

TEST_F(ConstantChannelsTest, DepthwiseConvolutionsLoseThemOnBothSides) {
  EXPECT_EQ(removedFrom({.is_depthwise = true}), 20);
  for (auto conv : main().getOps<graph::ConvOp>()) {
    if (conv.getGroup() > 1) {
      EXPECT_EQ(conv.getGroup(), 6U);
    }
  }
}

TEST_F(ConstantChannelsTest, WhatAConstantAddsIsMovedToBiases) {
  EXPECT_EQ(removedFrom({.off_bias = 2.5}), 10);
  EXPECT_EQ(removedFrom({.is_depthwise = true, .depthwise_bias = 1.5}), 20);
  EXPECT_EQ(removedFrom({.is_depthwise = true, .depthwise_bias = 50}), 20);
}

TEST_F(ConstantChannelsTest, ConstantsOtherThanZeroStayWherePadsAreZero) {
  EXPECT_EQ(removedFrom({.off_bias = 2.5, .pad = 1}), 0);
  EXPECT_EQ(removedFrom({.off_bias = -1, .pad = 1}), 10);
  EXPECT_EQ(removedFrom({.off_bias = 2.5, .is_depthwise = true, .depthwise_bias = 0.25}), 0);
  EXPECT_EQ(removedFrom({.off_bias = 2.5, .is_depthwise = true, .depthwise_bias = -50}), 20);
}

TEST_F(ConstantChannelsTest, FewChannelsThatFreeNoBlockStay) {
  EXPECT_EQ(removedFrom({.off = 7}), 0);
  EXPECT_EQ(removedFrom({.off = 8}), 8);  // the other half is room for wide activations
}

TEST_F(ConstantChannelsTest, OneChannelIsLeftOfATensor) {
  EXPECT_EQ(removedFrom({.off = 16}), 15);
  EXPECT_EQ(removedFrom({.off = 16, .is_depthwise = true}), 30);
}

TEST_F(ConstantChannelsTest, AnInputsRangeDecidesWhatWeightsCanReach) {
  EXPECT_EQ(removedFrom({.off_weight = 0.25, .off_bias = -1}), 0);
  EXPECT_EQ(removedFrom({.off_weight = 0.25, .off_bias = -1}, 1.9), 10);
  EXPECT_EQ(removedFrom({.off_weight = 0.25, .off_bias = -1}, 2.1), 0);
}

TEST_F(ConstantChannelsTest, WhatOtherOpsReadStays) {
  EXPECT_EQ(removedFrom({.other_users = "    %t = graph.transpose %r {permutation = array<i64: 0, "
                                        "1, 3, 2>} : (tensor<1x16x4x4xf32>) -> "
                                        "tensor<1x16x4x4xf32>\n"}),
            0);
}

}  // namespace
}  // namespace vta::compiler
