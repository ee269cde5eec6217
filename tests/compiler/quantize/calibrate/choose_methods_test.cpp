// The search for ranges: what it chooses, and that it ends when it has taken its time.
#include "compiler/quantize/calibrate/choose_methods.h"

#include <gtest/gtest.h>

#include "compiler/dialects/graph/graph.h"
#include "compiler/registration.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

// Three convolutions of 64 weights to 1,024 pixels: four activations.
constexpr const char* kNetwork = R"(
  func.func @main(%x: tensor<1x8x32x32xf32> {graph.name = "x"}) -> tensor<1x8x32x32xf32> {
    %w = arith.constant dense<0.125> : tensor<8x8x1x1xf32>
    %a = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
        dilations = array<i64: 1, 1>}
        : (tensor<1x8x32x32xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x32x32xf32>
    %b = graph.conv %a, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
        dilations = array<i64: 1, 1>}
        : (tensor<1x8x32x32xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x32x32xf32>
    %c = graph.conv %b, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
        dilations = array<i64: 1, 1>}
        : (tensor<1x8x32x32xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x32x32xf32>
    return %c : tensor<1x8x32x32xf32>
  })";
constexpr int64_t kMacs = 3 * 64 * 1024 + 1;  // one more for networks without any
constexpr int64_t kSamples = 4, kActivations = 4, kMethods = 3;

class ChooseMethodsTest : public testing::Test {
 protected:
  ChooseMethodsTest() : hw_(HwConfig::makeDefault()) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
    module_ = mlir::parseSourceString<mlir::ModuleOp>(kNetwork, &context_);
    plan_ = planQuantization(module_->lookupSymbol<mlir::func::FuncOp>("main"));
    for (int64_t k = 0; k < kSamples; ++k) {
      Tensor sample = Tensor::zeros(DType::kF32, {1, 8, 32, 32});
      for (int64_t i = 0; i < 8 * 1024; ++i) {
        sample.as<float>()[static_cast<size_t>(i)] =
            static_cast<float>((i * 37 + k * 11) % 64) / 256;
      }
      // One value far from all others, which methods cut off or not.
      if (k == 0) sample.as<float>()[100] = 1;
      samples_.push_back({{"x", std::move(sample)}});
    }
  }

  // What the search leaves of a time for `networks` measurements; counts what it reports.
  Result<int64_t> leftOf(int64_t networks) {
    std::vector<mlir::Value> values = plan_.activations;
    llvm::append_range(values, realOutputs(*module_));
    VTA_ASSIGN_OR_RETURN(ActivationRun expected, ActivationRun::create(*module_, values));
    VTA_ASSIGN_OR_RETURN(const CalibrationData data,
                         calibrate(expected, plan_, samples_, MomentOrder::kFirst, {}));
    VTA_ASSIGN_OR_RETURN(OutputError error,
                         OutputError::create(*module_, plan_, data, expected, samples_, {},
                                             networks * kSamples * kMacs));
    reported_ = 0;
    const Progress progress = [this](const std::string& phase, int64_t done, int64_t of) {
      EXPECT_EQ(phase, "ranges");
      EXPECT_EQ(of, kActivations);
      reported_ = done;
    };
    VTA_ASSIGN_OR_RETURN(const std::vector<CalibrationMethod> methods,
                         chooseMethods(error, plan_, data, hw_, progress));
    EXPECT_EQ(std::ssize(methods), kActivations);
    return error.affordable();
  }

  HwConfig hw_;
  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  QuantPlan plan_;
  std::vector<TensorMap> samples_;
  int64_t reported_ = 0;
};

TEST_F(ChooseMethodsTest, LooksAtEveryActivationWhereThereIsTime) {
  ASSERT_EQ(std::ssize(plan_.activations), kActivations);
  const Result<int64_t> left = leftOf(100);
  ASSERT_TRUE(left.ok()) << left.status().message();
  EXPECT_EQ(reported_, kActivations);
  EXPECT_GE(*left, 100 - kMethods - kActivations - kActivations * (kMethods - 1));
}

TEST_F(ChooseMethodsTest, ComparesOnlyMethodsForAllWhereActivationsTakeTooLong) {
  const Result<int64_t> left = leftOf(kMethods + kActivations);
  ASSERT_TRUE(left.ok()) << left.status().message();
  EXPECT_EQ(*left, kActivations);  // enough to rank all of them, and then for nothing
  EXPECT_EQ(reported_, 0);
}

TEST_F(ChooseMethodsTest, EndsInTheMiddle) {
  // One more measurement than ranking takes: it is for the first activation.
  const Result<int64_t> left = leftOf(kMethods + kActivations + 1);
  ASSERT_TRUE(left.ok()) << left.status().message();
  EXPECT_LE(*left, 0);
  EXPECT_GE(*left, 1 - (kMethods - 1));  // what is begun is finished
  EXPECT_GE(reported_, 1);
  EXPECT_LT(reported_, kActivations);
}

}  // namespace
}  // namespace vta::compiler
