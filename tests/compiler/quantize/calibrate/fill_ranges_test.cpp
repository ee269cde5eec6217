// Ranges for activations that a quantised model leaves unrounded.
#include "compiler/quantize/calibrate/fill_ranges.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/dialects/graph/graph.h"
#include "compiler/registration.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

constexpr const char* kImage = "tensor<1x16x4x4xf32>";

std::string rounded(const char* to, const char* from, double scale) {
  const std::string parameters = fmt::format(
      "{{axis = 0 : i64, scales = array<f32: {:e}>, zero_points = array<i64: 0>}}", scale);
  const char* integers = "tensor<1x16x4x4xi8>";
  return fmt::format(
      "{0}q = graph.quantize {1} {2} : ({3}) -> {4}\n{0} = graph.dequantize {0}q {2} : ({4}) -> "
      "{3}\n",
      to, from, parameters, kImage, integers);
}

/// A convolution with all weights `weight`, which are integers times 1/127.
std::string convolved(const char* to, const char* from, int weight) {
  return fmt::format(
      "{0}i = arith.constant dense<{2}> : tensor<16x16x1x1xi8>\n"
      "{0}w = graph.dequantize {0}i {{axis = 0 : i64, scales = array<f32: 7.874016e-03>, "
      "zero_points = array<i64: 0>}} "
      ": (tensor<16x16x1x1xi8>) -> tensor<16x16x1x1xf32>\n"
      "{0} = graph.conv {1}, {0}w {{strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, "
      "dilations = array<i64: 1, 1>, group = 1 : i64}} : ({3}, tensor<16x16x1x1xf32>) -> {3}\n",
      to, from, weight, kImage);
}

std::string sum(const char* to, const char* lhs, const char* rhs) {
  return fmt::format("{0} = graph.binary add {1}, {2} : ({3}, {3}) -> {3}\n", to, lhs, rhs, kImage);
}

class FillRangesTest : public ::testing::Test {
 protected:
  FillRangesTest() : context_(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
    context_.loadAllAvailableDialects();
  }

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  void parse(const std::string& body, const char* result) {
    const std::string text = fmt::format(
        "func.func @main(%x: {0} {{graph.name = \"x\"}}) -> {0} {{\n{1}return {2} : {0}\n}}",
        kImage, body, result);
    module_ = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    ASSERT_TRUE(module_);
    main_ = module_->lookupSymbol<mlir::func::FuncOp>("main");
    given_ = adoptQuantization(main_);
    Tensor sample = Tensor::zeros(DType::kF32, {1, 16, 4, 4});
    for (float& value : sample.as<float>()) value = 0.5F;
    sample.as<float>()[0] = -1;
    options_.samples = {{{"x", sample}}};
  }

  int64_t unroundedLayers() {
    const UnroundedLayers layers =
        countUnroundedLayers(main_, hw_, options_, planQuantization(main_, {&given_}));
    EXPECT_EQ(layers.of_16_bits, 0);
    return layers.without_rounding;
  }

  template <typename Op>
  std::vector<Op> all() {
    return {main_.getOps<Op>().begin(), main_.getOps<Op>().end()};
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp main_;
  GivenQuantization given_;
  QuantizeOptions options_;
  HwConfig hw_ = HwConfig::makeDefault();
};

TEST_F(FillRangesTest, NeighboursSayHowAnActivationIsRounded) {
  // %a is read rounded by a convolution, and as it is by a sum.
  parse(rounded("%xr", "%x", 0.01) + convolved("%a", "%xr", 8) + rounded("%ar", "%a", 0.05) +
            convolved("%b", "%ar", 8) + sum("%s", "%b", "%a") + rounded("%sr", "%s", 0.07),
        "%sr");
  EXPECT_EQ(unroundedLayers(), 2);
  ASSERT_TRUE(fillRanges(*module_, main_, hw_, options_, {}, given_).ok());
  EXPECT_TRUE(given_.is_filled);
  EXPECT_EQ(unroundedLayers(), 0);
  auto convolutions = all<graph::ConvOp>();
  ASSERT_EQ(convolutions.size(), 2u);
  const QuantParams* params = given_.find(convolutions[0].getOutput());
  ASSERT_NE(params, nullptr);
  EXPECT_NEAR(params->scale, 0.05, 1e-9);
  EXPECT_EQ(convolutions[1].getInput(), convolutions[0].getOutput());
}

TEST_F(FillRangesTest, SamplesGiveTheOtherRanges) {
  // Of 16 products with 127/127: at most 8, and 6.5 where one input is -1.
  parse(rounded("%xr", "%x", 0.01) + convolved("%a", "%xr", 127), "%a");
  EXPECT_EQ(unroundedLayers(), 1);
  ASSERT_TRUE(fillRanges(*module_, main_, hw_, options_, {}, given_).ok());
  const QuantParams* params = given_.find(all<graph::ConvOp>()[0].getOutput());
  ASSERT_NE(params, nullptr);
  EXPECT_EQ(params->zero_point, -128);
  EXPECT_NEAR(params->scale, 8.0 / 255, 1e-4);
}

TEST_F(FillRangesTest, WhatIsRoundedThroughoutStaysAsItIs) {
  parse(rounded("%xr", "%x", 0.01) + convolved("%a", "%xr", 8) + rounded("%ar", "%a", 0.05), "%ar");
  EXPECT_EQ(unroundedLayers(), 0);
  const size_t before = given_.activations.size();
  ASSERT_TRUE(fillRanges(*module_, main_, hw_, options_, {}, given_).ok());
  EXPECT_EQ(given_.activations.size(), before);
}

}  // namespace
}  // namespace vta::compiler
