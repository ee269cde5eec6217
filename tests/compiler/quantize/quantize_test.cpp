// Quantises small float networks and compares what the integers compute with the float result.
#include "compiler/quantize/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <span>

#include "compiler/codegen/executable.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/plan/plan.h"
#include "compiler/registration.h"
#include "host_cpu/backend/backend.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

HwConfig shiftOnlyHardware() {
  HwParams params = HwConfig::makeDefault().params();
  params.ext_qmul = params.ext_clip = params.ext_pad_min = false;
  params.compat_0_0_2 = true;
  return *HwConfig::create(params);
}

std::string randomConstant(const std::string& name, const std::vector<int64_t>& shape,
                           double spread, std::mt19937& random) {
  std::uniform_real_distribution<float> value(-spread, spread);
  int64_t count = 1;
  std::string type;
  for (int64_t size : shape) {
    count *= size;
    type += std::to_string(size) + "x";
  }
  std::string bytes;
  char hex[9];
  for (int64_t i = 0; i < count; ++i) {
    const float v = value(random);
    unsigned char raw[4];
    std::memcpy(raw, &v, 4);
    std::snprintf(hex, sizeof hex, "%02X%02X%02X%02X", raw[0], raw[1], raw[2], raw[3]);
    bytes += hex;
  }
  return "  %" + name + " = arith.constant dense<\"0x" + bytes + "\"> : tensor<" + type + "f32>\n";
}

// Two convolutions with a residual, pooling, concatenation and a dense layer: every kind of node.
std::string residualNetwork() {
  std::mt19937 random(11);
  std::string text =
      "func.func @main(%x: tensor<1x3x12x12xf32> {graph.name = \"image\"}) -> tensor<1x10xf32> {\n";
  text += randomConstant("w1", {20, 3, 3, 3}, 0.4, random);
  text += randomConstant("b1", {20}, 0.2, random);
  text += randomConstant("w2", {20, 20, 3, 3}, 0.15, random);
  text += randomConstant("b2", {1, 20, 1, 1}, 0.2, random);
  text += randomConstant("w3", {20, 20, 1, 1}, 0.3, random);
  text += randomConstant("wd", {40, 10}, 0.4, random);
  text += randomConstant("bd", {10}, 0.5, random);
  text += R"(
  %c1 = graph.conv %x, %w1, %b1 {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x3x12x12xf32>, tensor<20x3x3x3xf32>, tensor<20xf32>) -> tensor<1x20x12x12xf32>
  %r1 = graph.unary relu %c1 : (tensor<1x20x12x12xf32>) -> tensor<1x20x12x12xf32>
  %c2 = graph.conv %r1, %w2 {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x20x12x12xf32>, tensor<20x20x3x3xf32>) -> tensor<1x20x12x12xf32>
  %a2 = graph.binary add %c2, %b2
      : (tensor<1x20x12x12xf32>, tensor<1x20x1x1xf32>) -> tensor<1x20x12x12xf32>
  %s2 = graph.binary add %a2, %r1
      : (tensor<1x20x12x12xf32>, tensor<1x20x12x12xf32>) -> tensor<1x20x12x12xf32>
  %r2 = graph.unary relu %s2 : (tensor<1x20x12x12xf32>) -> tensor<1x20x12x12xf32>
  %p2 = graph.max_pool %r2 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
      : (tensor<1x20x12x12xf32>) -> tensor<1x20x6x6xf32>
  %c3 = graph.conv %p2, %w3 {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x20x6x6xf32>, tensor<20x20x1x1xf32>) -> tensor<1x20x6x6xf32>
  %k = graph.concat %c3, %p2 {axis = 1 : i64}
      : (tensor<1x20x6x6xf32>, tensor<1x20x6x6xf32>) -> tensor<1x40x6x6xf32>
  %g = graph.avg_pool %k {kernel = array<i64: 6, 6>, strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>} : (tensor<1x40x6x6xf32>) -> tensor<1x40x1x1xf32>
  %f = graph.reshape %g : (tensor<1x40x1x1xf32>) -> tensor<1x40xf32>
  %d = graph.matmul %f, %wd : (tensor<1x40xf32>, tensor<40x10xf32>) -> tensor<1x10xf32>
  %o = graph.binary add %d, %bd : (tensor<1x10xf32>, tensor<10xf32>) -> tensor<1x10xf32>
  return %o : tensor<1x10xf32>
})";
  return text;
}

class QuantizeTest : public testing::TestWithParam<std::tuple<bool, CalibrationMethod>> {
 protected:
  QuantizeTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }

  HwConfig hw() const {
    return std::get<0>(GetParam()) ? HwConfig::makeDefault() : shiftOnlyHardware();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string& text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
  }

  static std::vector<TensorMap> samples(int count, const std::vector<int64_t>& shape) {
    std::mt19937 random(5);
    std::normal_distribution<float> value(0, 1);
    std::vector<TensorMap> result;
    for (int i = 0; i < count; ++i) {
      Tensor tensor = Tensor::zeros(DType::kF32, shape);
      for (float& v : tensor.as<float>()) v = value(random);
      result.push_back({{"image", std::move(tensor)}});
    }
    return result;
  }

  static std::vector<float> run(mlir::ModuleOp module, const Tensor& input, size_t outputs) {
    auto executable = codegen::Executable::create(mlir::cast<mlir::ModuleOp>(module->clone()),
                                                  codegen::cpuBackend(), {});
    EXPECT_TRUE(executable.ok()) << executable.status().message();
    alignas(64) static float buffers[2][1 << 14];
    std::memcpy(buffers[0], input.data.data(), input.sizeBytes());
    void* arguments[] = {buffers[0], buffers[1]};
    const Status status = (*executable)->call("main", arguments);
    EXPECT_TRUE(status.ok()) << status.message();
    return {buffers[1], buffers[1] + outputs};
  }

  mlir::MLIRContext context_;
};

TEST_P(QuantizeTest, IntegersStayCloseToFloat) {
  const std::vector<TensorMap> calibration = samples(8, {1, 3, 12, 12});
  auto module = parse(residualNetwork());
  ASSERT_TRUE(module);
  const Tensor& input = calibration[3].at("image");
  const std::vector<float> expected = run(*module, input, 10);

  QuantizeOptions options;
  options.method = std::get<1>(GetParam());
  options.samples = calibration;
  const Result<QuantizeReport> report = quantizeGraph(*module, hw(), options);
  ASSERT_TRUE(report.ok()) << report.status().message();
  ASSERT_TRUE(mlir::succeeded(module->verify()));

  // Nothing but the bridges computes in float any more.
  module->walk([](mlir::Operation* op) {
    if (mlir::isa<graph::QuantizeOp, graph::DequantizeOp>(op)) return;
    if (op->getDialect()->getNamespace() != "graph") return;
    for (mlir::Value result : op->getResults()) {
      EXPECT_FALSE(mlir::getElementTypeOrSelf(result.getType()).isF32())
          << op->getName().getStringRef().str();
    }
  });

  const std::vector<float> actual = run(*module, input, 10);
  // Each of the five roundings before the output moves it by about one of its own steps; 8 steps of
  // the output's scale bounds what this network accumulates, and a wrong zero point or scale is far
  // outside. KL clips on purpose: what eight random samples make it cut off is up to a quarter of
  // the range.
  const QuantizedActivation& output = report->activations.back();
  const bool clips = options.method == CalibrationMethod::kKl;
  const double tolerance = clips ? (output.max - output.min) / 4 : 8 * output.scale;
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << i;
}

/// Two convolutions whose results differ 50 times, joined. `tail` makes %o, a tensor<`out`xf32>, of
/// %k, 1x32x6x6.
std::string unevenJoin(const std::string& tail, const std::string& out) {
  std::mt19937 random(4);
  std::string text =
      "func.func @main(%x: tensor<1x8x6x6xf32> {graph.name = \"image\"}) -> tensor<" + out +
      "xf32> {\n";
  text += randomConstant("wa", {16, 8, 1, 1}, 1, random);
  text += randomConstant("wb", {16, 8, 1, 1}, 0.02, random);
  // What is smaller weighs more.
  text += randomConstant("va", {16, 16, 1, 1}, 0.2, random);
  text += randomConstant("vb", {16, 16, 1, 1}, 10, random);
  const std::string conv =
      " {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}"
      " : (tensor<1x8x6x6xf32>, tensor<16x8x1x1xf32>) -> tensor<1x16x6x6xf32>\n";
  text += "  %a = graph.conv %x, %wa" + conv + "  %b = graph.conv %x, %wb" + conv;
  text +=
      "  %k = graph.concat %a, %b {axis = 1 : i64} : (tensor<1x16x6x6xf32>, "
      "tensor<1x16x6x6xf32>) -> tensor<1x32x6x6xf32>\n";
  return text + tail + "  return %o : tensor<" + out + "xf32>\n}";
}

double signalToNoise(std::span<const float> exact, std::span<const float> actual) {
  double signal = 0, noise = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    signal += exact[i] * exact[i];
    noise += (exact[i] - actual[i]) * (exact[i] - actual[i]);
  }
  return 10 * std::log10(signal / noise);
}

TEST_P(QuantizeTest, PartsOfAJoinHaveScalesOfTheirOwn) {
  const std::string conv =
      "  %v = graph.concat %va, %vb {axis = 1 : i64} : (tensor<16x16x1x1xf32>, "
      "tensor<16x16x1x1xf32>) -> tensor<16x32x1x1xf32>\n"
      "  %o = graph.conv %k, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, "
      "dilations = array<i64: 1, 1>} : (tensor<1x32x6x6xf32>, tensor<16x32x1x1xf32>) -> "
      "tensor<1x16x6x6xf32>\n";
  const std::vector<TensorMap> calibration = samples(8, {1, 8, 6, 6});
  auto module = parse(unevenJoin(conv, "1x16x6x6"));
  ASSERT_TRUE(module);
  // The constant of the second convolution, as the importer folds it.
  module->walk([](graph::ConcatOp concat) {
    if (concat.getType().getShape()[0] != 16) return;
    std::vector<float> values;
    const auto parts = llvm::map_range(concat.getOperands(), floatConstant);
    for (size_t filter = 0; filter < 16; ++filter) {
      for (const std::vector<float>& part : parts) {
        values.insert(values.end(), part.begin() + filter * 16, part.begin() + (filter + 1) * 16);
      }
    }
    mlir::OpBuilder builder(concat);
    mlir::Value constant = builder.create<mlir::arith::ConstantOp>(
        concat.getLoc(), mlir::DenseElementsAttr::get(concat.getType(), llvm::ArrayRef(values)));
    concat.getResult().replaceAllUsesWith(constant);
    concat.erase();
  });
  const Tensor& input = calibration[3].at("image");
  const std::vector<float> exact = run(*module, input, 576);
  QuantizeOptions options;
  options.method = std::get<1>(GetParam());
  options.samples = calibration;
  ASSERT_TRUE(quantizeGraph(*module, hw(), options).ok());
  ASSERT_TRUE(mlir::succeeded(module->verify()));
  int joined = 0;
  module->walk([&](graph::ConcatOp concat) {
    joined += mlir::getElementTypeOrSelf(concat.getType()).isInteger(8) ? 1 : 0;
  });
  EXPECT_EQ(joined, 1);
  // With one scale for both it would be some 12 dB: half of the result is of a part of five steps.
  const bool clips = options.method == CalibrationMethod::kKl;
  EXPECT_GT(signalToNoise(exact, run(*module, input, 576)), clips ? 20 : 30);
}

TEST_P(QuantizeTest, AnUnevenJoinThatNothingMultipliesStaysFloat) {
  const std::string reshape =
      "  %o = graph.reshape %k : (tensor<1x32x6x6xf32>) -> tensor<1x1152xf32>\n";
  const std::vector<TensorMap> calibration = samples(8, {1, 8, 6, 6});
  auto module = parse(unevenJoin(reshape, "1x1152"));
  ASSERT_TRUE(module);
  const Tensor& input = calibration[3].at("image");
  const std::vector<float> exact = run(*module, input, 1152);
  QuantizeOptions options;
  options.method = std::get<1>(GetParam());
  options.samples = calibration;
  ASSERT_TRUE(quantizeGraph(*module, hw(), options).ok());
  const std::vector<float> actual = run(*module, input, 1152);
  // With one scale the second part would have five steps.
  const auto half = [](const std::vector<float>& values) { return std::span(values).last(576); };
  EXPECT_GT(signalToNoise(half(exact), half(actual)), 30);
}

TEST_P(QuantizeTest, ProgressCountsBothPasses) {
  const std::vector<TensorMap> calibration = samples(3, {1, 3, 12, 12});
  auto module = parse(residualNetwork());
  int64_t last = 0, total = 0;
  QuantizeOptions options;
  options.samples = calibration;
  const Progress progress = [&](const std::string& phase, int64_t done, int64_t of) {
    EXPECT_EQ(phase, "calibrate");
    EXPECT_EQ(done, last + 1);
    last = done;
    total = of;
  };
  ASSERT_TRUE(quantizeGraph(*module, hw(), options, progress).ok());
  EXPECT_EQ(last, 6);
  EXPECT_EQ(total, 6);
}

TEST_P(QuantizeTest, LayersAreRankedAndTheWorstStayInFloat) {
  QuantizeOptions options;
  options.method = std::get<1>(GetParam());
  options.samples = samples(4, {1, 3, 12, 12});
  options.worst_float_layers = 1;
  std::string text = residualNetwork();
  const std::string plain =
      ": (tensor<1x20x6x6xf32>, tensor<20x20x1x1xf32>) -> tensor<1x20x6x6xf32>";
  text.replace(text.find(plain), plain.size(), plain + " loc(\"third\")");
  auto module = parse(text);
  ASSERT_TRUE(module);
  const Result<QuantizeReport> report = quantizeGraph(*module, hw(), options);
  ASSERT_TRUE(report.ok()) << report.status().message();
  ASSERT_EQ(report->damage.size(), 1U);  // of the others, nothing says what they are called
  EXPECT_EQ(report->damage[0].layer, "third");
  EXPECT_GT(report->damage[0].damage, 0);
  EXPECT_EQ(report->float_layers, std::vector<std::string>{"third"});
  int in_float = 0;
  module->walk([&](graph::ConvOp conv) {
    in_float += mlir::getElementTypeOrSelf(conv.getType()).isF32() ? 1 : 0;
  });
  EXPECT_EQ(in_float, 1);
}

TEST_P(QuantizeTest, BadCalibrationDataIsNamed) {
  auto module = parse(residualNetwork());
  QuantizeOptions options;
  const auto messageOf = [&] { return quantizeGraph(*module, hw(), options).status().message(); };
  EXPECT_NE(messageOf().find("at least one calibration"), std::string::npos);
  options.samples = samples(1, {1, 3, 10, 12});
  EXPECT_NE(messageOf().find("1x3x10x12 float32"), std::string::npos);
  options.samples = {{{"other", Tensor::zeros(DType::kF32, {1})}}};
  EXPECT_NE(messageOf().find("'image'"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Hardware, QuantizeTest,
    testing::Combine(testing::Bool(),
                     testing::Values(CalibrationMethod::kMinMax, CalibrationMethod::kPercentile,
                                     CalibrationMethod::kKl, CalibrationMethod::kMse,
                                     CalibrationMethod::kAuto)));

}  // namespace
}  // namespace vta::compiler
