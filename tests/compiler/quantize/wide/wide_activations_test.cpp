// Which activations can be wide, and which become so.
#include "compiler/quantize/wide/wide_activations.h"

#include <gtest/gtest.h>

#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/wide/wide_cost.h"
#include "compiler/registration.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

constexpr const char* kConv3 =
    "{strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>";
constexpr const char* kConv1 =
    "{strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>";

std::string type(int64_t channels) { return "tensor<1x" + std::to_string(channels) + "x8x8xf32>"; }

std::string conv(const std::string& name, const std::string& input, int64_t ins, int64_t outs,
                 int64_t group = 1, int64_t kernel = 1) {
  const std::string weights = "tensor<" + std::to_string(outs) + "x" + std::to_string(ins / group) +
                              "x" + std::to_string(kernel) + "x" + std::to_string(kernel) + "xf32>";
  return "  %w_" + name + " = arith.constant dense<0.5> : " + weights + "\n  %" + name +
         " = graph.conv " + input + ", %w_" + name + " " + (kernel == 3 ? kConv3 : kConv1) +
         ", group = " + std::to_string(group) + " : i64} : (" + type(ins) + ", " + weights +
         ") -> " + type(outs) + " loc(\"" + name + "\")\n";
}

class WideActivationsTest : public testing::Test {
 protected:
  WideActivationsTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }

  void plan(const std::string& body, const std::string& result, int64_t channels) {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @main(%x: " + type(16) + ") -> " + type(channels) + " {\n" + body + "  return " +
            result + " : " + type(channels) + "\n}",
        &context_);
    ASSERT_TRUE(module_);
    plan_ = planQuantization(module_->lookupSymbol<mlir::func::FuncOp>("main"));
  }

  std::vector<std::string> candidates() const {
    std::vector<std::string> names;
    for (const WideCandidate& candidate : wideCandidates(plan_)) {
      std::string text;
      for (const QuantNode* node : candidate.producers) {
        if (!text.empty()) text += '+';
        text += layerNameOf(node->anchor);
      }
      names.push_back(text);
    }
    return names;
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  QuantPlan plan_;
};

TEST_F(WideActivationsTest, ResultsThatConvolutionsReadAre) {
  plan(conv("a", "%x", 16, 8) + conv("b", "%a", 8, 8, 8, 3) + conv("c", "%b", 8, 16), "%c", 16);
  EXPECT_EQ(candidates(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(WideActivationsTest, ConcatenationsTakeTheirPartsAlong) {
  const std::string concat = "  %k = graph.concat %b, %c {axis = 1 : i64} : (" + type(8) + ", " +
                             type(8) + ") -> " + type(16) + "\n";
  plan(conv("a", "%x", 16, 8) + conv("b", "%a", 8, 8) + conv("c", "%a", 8, 8, 1, 3) + concat +
           conv("d", "%k", 16, 16),
       "%d", 16);
  EXPECT_EQ(candidates(), (std::vector<std::string>{"a", "b+c"}));
}

TEST_F(WideActivationsTest, WhatSomethingElseReadsIsNone) {
  const std::string pool =
      "  %p = graph.max_pool %b {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = "
      "array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (" +
      type(8) + ") -> " + type(8) + "\n";
  const std::string sum =
      "  %s = graph.binary add %d, %c : (" + type(8) + ", " + type(8) + ") -> " + type(8) + "\n";
  plan(conv("a", "%x", 16, 8) + conv("b", "%a", 8, 8) + pool + conv("c", "%p", 8, 8) +
           conv("d", "%c", 8, 8) + sum + conv("e", "%s", 8, 16),
       "%e", 16);
  // b is pooled, c and s are residual and sum, e is the result.
  EXPECT_EQ(candidates(), (std::vector<std::string>{"a"}));
}

TEST_F(WideActivationsTest, ChannelsThatFillHalfABlockCostLittle) {
  plan(conv("a", "%x", 16, 8) + conv("b", "%a", 8, 8, 8, 3) + conv("c", "%b", 8, 64) +
           conv("d", "%c", 64, 64),
       "%d", 64);
  const HwConfig hw = HwConfig::makeDefault();
  const double before = estimateCycles(plan_, hw);
  const auto with = [&](size_t candidate) {
    plan_.wide.clear();
    const std::vector<WideCandidate> candidates = wideCandidates(plan_);
    for (const int i : candidates[candidate].activations) {
      plan_.wide.insert(plan_.activations[static_cast<size_t>(i)]);
    }
    return estimateCycles(plan_, hw);
  };
  // 8 channels and their low parts fill the block that they had before.
  EXPECT_EQ(with(1), before);
  EXPECT_GT(with(2), before * 1.5);
}

}  // namespace
}  // namespace vta::compiler
