// What integers leave of outputs, with a "curve" that is as wrong as the test wants it.
#include "compiler/quantize/judge_outputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "compiler/dialects/graph/graph.h"
#include "compiler/registration.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

constexpr const char* kFloat = R"(
  func.func @main(%x: tensor<1x4x8x8xf32> {graph.name = "x"}) -> tensor<1x4x8x8xf32> {
    %o = graph.unary sigmoid %x : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    return %o : tensor<1x4x8x8xf32>
  })";
// The pool of one pixel stands where the ALU's steps would: it gives its input.
constexpr const char* kIntegers = R"(
  func.func @main(%x: tensor<1x4x8x8xf32> {graph.name = "x"}) -> tensor<1x4x8x8xf32> {
    %q = graph.quantize %x {axis = 0 : i64, scales = array<f32: 6.25e-02>,
        zero_points = array<i64: 0>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xi8>
    %c = graph.max_pool %q {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>,
        pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
        : (tensor<1x4x8x8xi8>) -> tensor<1x4x8x8xi8>
    %o = graph.dequantize %c {axis = 0 : i64, scales = array<f32: 3.90625e-03>,
        zero_points = array<i64: -128>} : (tensor<1x4x8x8xi8>) -> tensor<1x4x8x8xf32>
    return %o : tensor<1x4x8x8xf32>
  })";

int8_t saturated(double value) {
  return static_cast<int8_t>(std::clamp(std::nearbyint(value), -128.0, 127.0));
}

int8_t sigmoidOf(int q) { return saturated(256 / (1 + std::exp(-q / 16.0)) - 128); }

class JudgeOutputsTest : public testing::Test {
 protected:
  JudgeOutputsTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }

  // Judges the pool as a curve whose table would have `entries`.
  Status judge(const std::function<int8_t(int)>& entry, bool may_replace) {
    mlir::OwningOpRef<mlir::ModuleOp> real =
        mlir::parseSourceString<mlir::ModuleOp>(kFloat, &context_);
    module_ = mlir::parseSourceString<mlir::ModuleOp>(kIntegers, &context_);
    std::vector<TensorMap> samples;
    for (int k = 0; k < 4; ++k) {
      Tensor sample = Tensor::zeros(DType::kF32, {1, 4, 8, 8});
      for (size_t i = 0; i < 256; ++i) {
        sample.as<float>()[i] = static_cast<float>(i) / 32 - 4 + 0.01F * static_cast<float>(k);
      }
      samples.push_back({{"x", std::move(sample)}});
    }
    const QuantPlan plan;
    const CalibrationData data;
    VTA_ASSIGN_OR_RETURN(ActivationRun expected, ActivationRun::create(*real, realOutputs(*real)));
    VTA_ASSIGN_OR_RETURN(OutputError error,
                         OutputError::create(*real, plan, data, expected, samples, {}));
    auto pool = *main().getOps<graph::MaxPoolOp>().begin();
    EmittedIntegers emitted;
    emitted.integers = {pool.getInput(), pool.getOutput()};
    emitted.curves.push_back({pool.getInput(), pool.getOutput(), {}});
    for (int q = -128; q < 128; ++q) emitted.curves[0].entries.push_back(entry(q));
    VTA_RETURN_IF_ERROR(judgeOutputs(*module_, error, may_replace, {}, {}, {}, emitted, report_));
    integers_ = emitted.integers;
    return {};
  }

  mlir::func::FuncOp main() { return module_->lookupSymbol<mlir::func::FuncOp>("main"); }

  template <typename Op>
  int64_t count() {
    const auto ops = main().getOps<Op>();
    return std::distance(ops.begin(), ops.end());
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  QuantizeReport report_;
  std::vector<mlir::Value> integers_;
};

TEST_F(JudgeOutputsTest, TablesReplaceCurvesThatLoseTheOutputs) {
  const Status status = judge(sigmoidOf, true);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(report_.curves, 1);
  EXPECT_EQ(report_.replaced_curves, 1);
  EXPECT_EQ(count<graph::MaxPoolOp>(), 0);
  ASSERT_EQ(count<graph::TableOp>(), 1);
  EXPECT_EQ(integers_[1], (*main().getOps<graph::TableOp>().begin()).getResult());
  ASSERT_TRUE(report_.output_noise);
  EXPECT_LT(*report_.output_noise, 1e-3);  // that of the tables
}

TEST_F(JudgeOutputsTest, CurvesStayWhereTablesAreNoBetter) {
  // The table gives what the curve gives.
  ASSERT_TRUE(judge([](int q) { return saturated(q); }, true).ok());
  EXPECT_EQ(report_.replaced_curves, 0);
  ASSERT_EQ(count<graph::MaxPoolOp>(), 1);
  EXPECT_EQ(count<graph::TableOp>(), 0);
  auto pool = *main().getOps<graph::MaxPoolOp>().begin();
  EXPECT_EQ(integers_[1], pool.getOutput());
  auto bridge = *main().getOps<graph::DequantizeOp>().begin();
  EXPECT_EQ(bridge.getOperand(), pool.getOutput());
  ASSERT_TRUE(report_.output_noise);
  EXPECT_GT(*report_.output_noise, 1e-2);
}

TEST_F(JudgeOutputsTest, CurvesStayWhereTheyAreAskedFor) {
  ASSERT_TRUE(judge(sigmoidOf, false).ok());
  EXPECT_EQ(report_.replaced_curves, 0);
  EXPECT_EQ(count<graph::MaxPoolOp>(), 1);
  EXPECT_EQ(count<graph::TableOp>(), 0);
}

}  // namespace
}  // namespace vta::compiler
