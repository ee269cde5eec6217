// Quantised models: what the integers compute against the model itself on the CPU, op by op in
// float.
#include "compiler/quantize/plan/adopt.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "compiler/codegen/executable.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/quantize/quantize.h"
#include "compiler/registration.h"
#include "host_cpu/backend/backend.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

HwConfig hardwareThatShiftsOnly() {
  HwParams params = HwConfig::makeDefault().params();
  params.ext_qmul = params.ext_clip = params.ext_pad_min = false;
  params.compat_0_0_2 = true;
  return *HwConfig::create(params);
}

/// Writes graph ops as text; every activation is rounded to integers of `type`.
class NetworkText {
 public:
  NetworkText(std::string type, unsigned seed) : type_(std::move(type)), random_(seed) {}

  std::string dequantized(const std::string& value, const std::string& shape, double scale,
                          int zero_point) {
    const int zero = type_ == "ui8" ? zero_point + 128 : zero_point;
    const std::string attributes = fmt::format(
        "{{axis = 0 : i64, scales = array<f32: {:e}>, zero_points = array<i64: {}>}}", scale, zero);
    const std::string integers = fmt::format("tensor<{}x{}>", shape, type_);
    const std::string real = fmt::format("tensor<{}xf32>", shape);
    const std::string q = fresh(), d = fresh();
    line("{} = graph.quantize {} {} : ({}) -> {}", q, value, attributes, real, integers);
    line("{} = graph.dequantize {} {} : ({}) -> {}", d, q, attributes, integers, real);
    return d;
  }

  /// Random integers in [low, high] times `scales`, one for the tensor or one per channel.
  std::string weights(const std::string& shape, int count, int low, int high, int zero_point,
                      const std::vector<double>& scales) {
    std::uniform_int_distribution<int> value(low, high);
    std::string bytes;
    for (int i = 0; i < count; ++i) {
      bytes += fmt::format("{:02X}", static_cast<uint8_t>(static_cast<int8_t>(value(random_))));
    }
    std::string list, zeros;
    for (double scale : scales) {
      list += fmt::format("{}{:e}", list.empty() ? "" : ", ", scale);
      zeros += fmt::format("{}{}", zeros.empty() ? "" : ", ", zero_point);
    }
    const std::string constant = fresh(), d = fresh();
    line("{} = arith.constant dense<\"0x{}\"> : tensor<{}xi8>", constant, bytes, shape);
    line(
        "{} = graph.dequantize {} {{axis = 0 : i64, scales = array<f32: {}>, zero_points = "
        "array<i64: {}>}} : (tensor<{}xi8>) -> tensor<{}xf32>",
        d, constant, list, zeros, shape, shape);
    return d;
  }

  std::string conv(const std::string& input, const std::string& weight, const std::string& from,
                   const std::string& kernel, const std::string& to, int pad) {
    const std::string y = fresh();
    line(
        "{} = graph.conv {}, {} {{strides = array<i64: 1, 1>, pads = array<i64: {}, {}, {}, {}>, "
        "dilations = array<i64: 1, 1>}} : (tensor<{}xf32>, tensor<{}xf32>) -> tensor<{}xf32>",
        y, input, weight, pad, pad, pad, pad, from, kernel, to);
    return y;
  }

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  std::string fresh() { return fmt::format("%v{}", next_++); }

  std::string function(const std::string& input, const std::string& output,
                       const std::string& result) const {
    return fmt::format(
        "func.func @main(%x: tensor<{}xf32> {{graph.name = \"x\"}}) -> tensor<{}xf32> {{\n{}  "
        "return {} : tensor<{}xf32>\n}}",
        input, output, text_, result, output);
  }

 private:
  std::string type_;
  std::mt19937 random_;
  std::string text_;
  int next_ = 0;
};

struct Case {
  std::string type = "i8";
  int zero_point = 0;         // of the activations, as int8
  int weight_zero_point = 0;  // 0: per channel
  bool qmul = true;
};

/// conv -> conv -> add (both rounded before) -> max pool of integers -> average -> conv.
std::string residualNetwork(const Case& c) {
  NetworkText text(c.type, 3);
  const std::string image = "1x16x7x6", pooled = "1x16x3x3";
  std::vector<double> scales;
  for (int i = 0; i < 16; ++i) scales.push_back(0.004 * (1 + i % 5));
  const auto weights = [&](const std::string& shape, int count) {
    return c.weight_zero_point == 0
               ? text.weights(shape, count, -128, 127, 0, scales)
               : text.weights(shape, count, -128, 127, c.weight_zero_point, {0.004});
  };
  const std::string x = text.dequantized("%x", image, 0.03, c.zero_point);
  std::string a = text.conv(x, weights("16x16x3x3", 2304), image, "16x16x3x3", image, 1);
  a = text.dequantized(a, image, 0.11, c.zero_point);
  std::string b = text.conv(a, weights("16x16x1x1", 256), image, "16x16x1x1", image, 0);
  b = text.dequantized(b, image, 0.13, c.zero_point / 2);
  const std::string sum = text.fresh();
  text.line("{} = graph.binary add {}, {} : (tensor<{}xf32>, tensor<{}xf32>) -> tensor<{}xf32>",
            sum, a, b, image, image, image);
  const std::string s = text.dequantized(sum, image, 0.17, c.zero_point);
  const std::string pool = text.fresh();
  text.line(
      "{} = graph.max_pool {} {{kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = "
      "array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}} : (tensor<{}xf32>) -> "
      "tensor<{}xf32>",
      pool, s, image, pooled);
  const std::string p = text.dequantized(pool, pooled, 0.21, c.zero_point);  // another scale
  const std::string mean = text.fresh();
  text.line(
      "{} = graph.avg_pool {} {{kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = "
      "array<i64: 0, 0, 0, 0>}} : (tensor<{}xf32>) -> tensor<1x16x1x1xf32>",
      mean, p, pooled);
  const std::string m = text.dequantized(mean, "1x16x1x1", 0.09, 3);
  std::string y = text.conv(m, weights("16x16x1x1", 256), "1x16x1x1", "16x16x1x1", "1x16x1x1", 0);
  y = text.dequantized(y, "1x16x1x1", 0.12, c.zero_point);
  return text.function(image, "1x16x1x1", y);
}

class AdoptTest : public testing::TestWithParam<Case> {
 protected:
  AdoptTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string& text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    EXPECT_TRUE(module) << text;
    return module;
  }

  static std::unique_ptr<codegen::Executable> build(mlir::ModuleOp module) {
    auto built = codegen::Executable::create(mlir::cast<mlir::ModuleOp>(module->clone()),
                                             codegen::cpuBackend(), {});
    EXPECT_TRUE(built.ok()) << built.status().message();
    return built.ok() ? *std::move(built) : nullptr;
  }

  static QuantizeReport quantize(mlir::ModuleOp module, const HwConfig& hw) {
    const Result<QuantizeReport> report = quantizeGraph(module, hw, {});
    EXPECT_TRUE(report.ok()) << report.status().message();
    return report.ok() ? *report : QuantizeReport();
  }

  mlir::MLIRContext context_;
};

TEST_P(AdoptTest, IntegersFollowTheModel) {
  const Case c = GetParam();
  auto module = parse(residualNetwork(c));
  const auto expected = build(*module);
  const QuantizeReport report =
      quantize(*module, c.qmul ? HwConfig::makeDefault() : hardwareThatShiftsOnly());
  ASSERT_TRUE(mlir::succeeded(module->verify()));
  // Only the ends of the graph are float now.
  int floats = 0;
  module->walk([&](mlir::Operation* op) {
    for (mlir::Value result : op->getResults()) {
      floats += mlir::getElementTypeOrSelf(result.getType()).isF32();
    }
  });
  EXPECT_EQ(floats, 1);
  const bool rescaled = !c.qmul || c.weight_zero_point != 0;
  EXPECT_EQ(report.rescaled_weights.size(), rescaled ? 3U : 0U);

  const auto actual = build(*module);
  std::mt19937 random(1);
  std::normal_distribution<float> value(0, 1);
  alignas(64) float input[16 * 42], real[16], integers[16];
  int differ = 0, count = 0;
  double largest = 0;
  for (int run = 0; run < 40; ++run) {
    for (float& v : input) v = value(random);
    void* expected_pointers[] = {input, real};
    void* actual_pointers[] = {input, integers};
    ASSERT_TRUE(expected->call("main", expected_pointers).ok());
    ASSERT_TRUE(actual->call("main", actual_pointers).ok());
    for (int i = 0; i < 16; ++i, ++count) {
      const double steps = std::abs(real[i] - integers[i]) / 0.12;
      largest = std::max(largest, steps);
      differ += steps > 0.5;
    }
  }
  // Where the accelerator multiplies, only ties of the average can go another way; one of its steps
  // moves the output by less than one. Weights and scales that had to change cost a few steps of
  // the 256.
  EXPECT_LE(largest, rescaled ? 16.01 : 1.01);
  EXPECT_LE(differ, rescaled ? count : count / 10);
}

INSTANTIATE_TEST_SUITE_P(Models, AdoptTest,
                         testing::Values(Case{}, Case{"ui8", -128}, Case{"ui8", -11},
                                         Case{"i8", 40}, Case{"i8", -20, 29},
                                         Case{"i8", 0, 0, false}, Case{"ui8", -128, 0, false},
                                         Case{"i8", 17, 0, false}));

class AdoptRulesTest : public AdoptTest {};

TEST_F(AdoptRulesTest, ValuesReadUnroundedStayFloat) {
  NetworkText text("i8", 5);
  const std::string x = text.dequantized("%x", "1x16x4x4", 0.03, 0);
  const std::string y = text.conv(x, text.weights("16x16x1x1", 256, -9, 9, 0, {0.01}), "1x16x4x4",
                                  "16x16x1x1", "1x16x4x4", 0);
  const std::string rounded = text.dequantized(y, "1x16x4x4", 0.1, 0);
  const std::string sum = text.fresh();
  text.line("{} = graph.binary mul {}, {} : (tensor<{}xf32>, tensor<{}xf32>) -> tensor<{}xf32>",
            sum, y, rounded, "1x16x4x4", "1x16x4x4", "1x16x4x4");
  auto module = parse(text.function("1x16x4x4", "1x16x4x4", sum));
  quantize(*module, HwConfig::makeDefault());
  module->walk(
      [](graph::ConvOp conv) { EXPECT_TRUE(mlir::getElementTypeOrSelf(conv.getType()).isF32()); });
  int rounding = 0;
  module->walk([&](graph::QuantizeOp) { ++rounding; });
  EXPECT_EQ(rounding, 2);
}

// Inputs whose channels go up and down together, every second one the other way.
Tensor relatedChannels(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> value(0, 1);
  Tensor tensor = Tensor::zeros(DType::kF32, {1, 64, 4, 4});
  const std::span<float> values = tensor.as<float>();
  for (size_t pixel = 0; pixel < 16; ++pixel) {
    const float common = value(random);
    for (size_t c = 0; c < 64; ++c) {
      values[c * 16 + pixel] = (c % 2 == 0 ? common : -common) + 0.1F * value(random);
    }
  }
  return tensor;
}

TEST_F(AdoptRulesTest, CalibrationRoundsTheWeightsThatHaveToChange) {
  const std::string image = "1x64x4x4", kernel = "64x64x1x1";
  NetworkText text("i8", 5);
  const std::string x = text.dequantized("%x", image, 0.03, 0);
  const std::string weights = text.weights(kernel, 4096, -127, 127, 0, {0.004});
  const std::string y =
      text.dequantized(text.conv(x, weights, image, kernel, image, 0), image, 0.1, 0);
  // A layer that the model leaves in float: the rest keeps the model's scales on all hardware.
  const std::string z =
      text.conv(y, text.weights(kernel, 4096, -127, 127, 0, {0.004}), image, kernel, image, 0);
  const std::string network = text.function(image, image, z);
  // The mean square of what other inputs show.
  const auto errorOf = [&](const HwConfig& hw, bool typical) {
    auto module = parse(network);
    const auto expected = build(*module);
    QuantizeOptions options;
    options.has_typical_samples = typical;
    for (unsigned k = 0; k < 64; ++k) options.samples.push_back({{"x", relatedChannels(k)}});
    EXPECT_TRUE(quantizeGraph(*module, hw, options).ok());
    const auto actual = build(*module);
    alignas(64) static float input[1024], real[1024], integers[1024];
    double sum = 0;
    for (unsigned k = 100; k < 140; ++k) {
      const Tensor tensor = relatedChannels(k);
      std::ranges::copy(tensor.as<float>(), input);
      void* expected_pointers[] = {input, real};
      void* actual_pointers[] = {input, integers};
      EXPECT_TRUE(expected->call("main", expected_pointers).ok());
      EXPECT_TRUE(actual->call("main", actual_pointers).ok());
      for (size_t i = 0; i < 1024; ++i) sum += std::pow(real[i] - integers[i], 2);
    }
    return sum / (40 * 1024);
  };
  EXPECT_LT(errorOf(hardwareThatShiftsOnly(), true),
            0.85 * errorOf(hardwareThatShiftsOnly(), false));
  // Where all weights fit, nothing changes.
  EXPECT_EQ(errorOf(HwConfig::makeDefault(), true), errorOf(HwConfig::makeDefault(), false));
}

TEST_F(AdoptRulesTest, ShiftsAskForScalesOfTheirOwn) {
  const std::string image = "1x64x4x4", kernel = "64x64x1x1";
  NetworkText text("i8", 5);
  const std::string x = text.dequantized("%x", image, 0.03, 0);
  const std::string weights = text.weights(kernel, 4096, -127, 127, 0, {0.004});
  // Rounding cuts off what is negative: the model has no other relu.
  const std::string y =
      text.dequantized(text.conv(x, weights, image, kernel, image, 0), image, 0.05, -128);
  const std::string network = text.function(image, image, y);
  const auto quantised = [&](const HwConfig& hw, bool typical, double* least) {
    auto module = parse(network);
    QuantizeOptions options;
    options.has_typical_samples = typical;
    for (unsigned k = 0; k < 16; ++k) options.samples.push_back({{"x", relatedChannels(k)}});
    const Result<QuantizeReport> report = quantizeGraph(*module, hw, options);
    EXPECT_TRUE(report.ok()) << report.status().message();
    const auto actual = build(*module);
    alignas(64) static float input[1024], result[1024];
    std::ranges::copy(relatedChannels(3).as<float>(), input);
    void* pointers[] = {input, result};
    EXPECT_TRUE(actual->call("main", pointers).ok());
    *least = *std::ranges::min_element(result);
    return *report;
  };
  double least = 0;
  const QuantizeReport anew = quantised(hardwareThatShiftsOnly(), true, &least);
  EXPECT_TRUE(anew.is_quantised_anew);
  EXPECT_FALSE(anew.adopts_by_shifts);
  EXPECT_TRUE(anew.rescaled_weights.empty());
  EXPECT_EQ(least, 0);
  const QuantizeReport adopted = quantised(hardwareThatShiftsOnly(), false, &least);
  EXPECT_FALSE(adopted.is_quantised_anew);
  EXPECT_TRUE(adopted.adopts_by_shifts);
  EXPECT_EQ(least, 0);
  const QuantizeReport exact = quantised(HwConfig::makeDefault(), true, &least);
  EXPECT_FALSE(exact.is_quantised_anew);
  EXPECT_FALSE(exact.adopts_by_shifts);
}

TEST_F(AdoptRulesTest, MeansOfSmallerWindowsAtTheBorders) {
  // Windows of 4, 6 and 9 elements. Sums are exact in float, and no mean is half-way.
  for (const int zero_point : {-128, 0, 77}) {
    NetworkText text("i8", 7);
    const std::string image = "1x4x7x6", means = "1x4x4x3";
    const std::string x = text.dequantized("%x", image, 0.5, zero_point);
    const std::string y = text.fresh();
    text.line(
        "{} = graph.avg_pool {} {{kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = "
        "array<i64: 1, 1, 1, 1>}} : (tensor<{}xf32>) -> tensor<{}xf32>",
        y, x, image, means);
    auto module =
        parse(text.function(image, means, text.dequantized(y, means, 0.3731, zero_point)));
    const auto expected = build(*module);
    quantize(*module, HwConfig::makeDefault());
    int pools_of_integers = 0, pools_of_floats = 0;
    module->walk([&](graph::SumPoolOp) { ++pools_of_integers; });
    module->walk([&](graph::AvgPoolOp) { ++pools_of_floats; });
    EXPECT_EQ(pools_of_integers, 1);
    EXPECT_EQ(pools_of_floats, 0);
    const auto actual = build(*module);
    std::mt19937 random(1);
    std::uniform_int_distribution<int> integer(-128, 127);
    alignas(64) float input[4 * 42], real[4 * 12], integers[4 * 12];
    void* expected_pointers[] = {input, real};
    void* actual_pointers[] = {input, integers};
    for (int run = 0; run < 100; ++run) {
      for (float& v : input) v = 0.5F * static_cast<float>(integer(random) - zero_point);
      ASSERT_TRUE(expected->call("main", expected_pointers).ok());
      ASSERT_TRUE(actual->call("main", actual_pointers).ok());
      for (int i = 0; i < 48; ++i) ASSERT_EQ(real[i], integers[i]) << zero_point << ' ' << i;
    }
  }
}

TEST_F(AdoptRulesTest, MeansWithoutSmallFactorsStayInFloat) {
  // Windows of 16 to 49 elements at stride 1: the least multiple of all is too large.
  NetworkText text("i8", 7);
  const std::string image = "1x4x9x9";
  const std::string x = text.dequantized("%x", image, 0.5, 0);
  const std::string y = text.fresh();
  text.line(
      "{} = graph.avg_pool {} {{kernel = array<i64: 7, 7>, strides = array<i64: 1, 1>, pads = "
      "array<i64: 3, 3, 3, 3>}} : (tensor<{}xf32>) -> tensor<{}xf32>",
      y, x, image, image);
  auto module = parse(text.function(image, image, text.dequantized(y, image, 0.37, 0)));
  quantize(*module, HwConfig::makeDefault());
  int pools_of_floats = 0;
  module->walk([&](graph::AvgPoolOp) { ++pools_of_floats; });
  EXPECT_EQ(pools_of_floats, 1);
}

TEST_F(AdoptRulesTest, HalvesOfAMeanGoToEven) {
  // A scale of one half makes the model's own arithmetic exact.
  for (const int size : {2, 4, 8}) {
    for (const int zero_point : {-128, 0, 77}) {
      NetworkText text("i8", 7);
      const std::string image = fmt::format("1x16x{}x{}", size, size), mean = "1x16x1x1";
      const std::string x = text.dequantized("%x", image, 0.5, zero_point);
      const std::string y = text.fresh();
      text.line(
          "{} = graph.avg_pool {} {{kernel = array<i64: {}, {}>, strides = array<i64: 1, 1>, pads "
          "= array<i64: 0, 0, 0, 0>}} : (tensor<{}xf32>) -> tensor<{}xf32>",
          y, x, size, size, image, mean);
      auto module = parse(text.function(image, mean, text.dequantized(y, mean, 0.5, zero_point)));
      const auto expected = build(*module);
      quantize(*module, HwConfig::makeDefault());
      const auto actual = build(*module);
      std::mt19937 random(1);
      std::uniform_int_distribution<int> integer(-128, 127);
      alignas(64) float input[16 * 64], real[16], integers[16];
      void* expected_pointers[] = {input, real};
      void* actual_pointers[] = {input, integers};
      for (int run = 0; run < 100; ++run) {
        // Few different values, and only the extremes: their means are often half-way.
        for (float& v : input) {
          const int q = run < 2 ? (run == 0 ? -128 : 127) : integer(random) / (run % 8 + 1);
          v = 0.5F * static_cast<float>(q - zero_point);
        }
        ASSERT_TRUE(expected->call("main", expected_pointers).ok());
        ASSERT_TRUE(actual->call("main", actual_pointers).ok());
        for (int i = 0; i < 16; ++i) ASSERT_EQ(real[i], integers[i]) << size << ' ' << zero_point;
      }
    }
  }
}

TEST_F(AdoptRulesTest, IntegerMovesJoin) {
  auto module = parse(R"(
func.func @main(%x: tensor<1x16x4x4xf32> {graph.name = "x"}) -> tensor<16x16xf32> {
  %q = graph.quantize %x {axis = 0 : i64, scales = array<f32: 0.1>, zero_points = array<i64: 128>}
      : (tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xui8>
  %r = graph.reshape %q : (tensor<1x16x4x4xui8>) -> tensor<16x16xui8>
  %d = graph.dequantize %r {axis = 0 : i64, scales = array<f32: 0.1>, zero_points = array<i64: 128>}
      : (tensor<16x16xui8>) -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
})");
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  EXPECT_TRUE(isQuantized(main));
  const GivenQuantization given = adoptQuantization(main);
  EXPECT_EQ(given.activations.size(), 2U);
  for (mlir::Operation& op : main.getBody().front().without_terminator()) {
    EXPECT_TRUE(mlir::isa<graph::ReshapeOp>(op));
  }
}

// The maximum of two sums is rounded: so is what it is taken of, unless something reads it as it
// is.
TEST_F(AdoptRulesTest, RoundingBehindAMoveHoldsInFrontOfIt) {
  auto module = parse(R"(
func.func @main(%x: tensor<1x2x4x4xf32> {graph.name = "x"}, %y: tensor<1x2x2x2xf32> {graph.name = "y"})
    -> (tensor<1x4x2x2xf32>, tensor<1x2x2x2xf32>) {
  %a = graph.unary exp %x : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %b = graph.unary exp %y : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %p = graph.max_pool %a {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  %c = graph.concat %p, %b {axis = 1 : i64}
      : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x4x2x2xf32>
  %q = graph.quantize %c {axis = 0 : i64, scales = array<f32: 0.1>, zero_points = array<i64: 7>}
      : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xi8>
  %d = graph.dequantize %q {axis = 0 : i64, scales = array<f32: 0.1>, zero_points = array<i64: 7>}
      : (tensor<1x4x2x2xi8>) -> tensor<1x4x2x2xf32>
  return %d, %b : tensor<1x4x2x2xf32>, tensor<1x2x2x2xf32>
})");
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  const GivenQuantization given = adoptQuantization(main);
  for (mlir::Operation& op : main.getBody().front().without_terminator()) {
    const bool is_read_as_it_is = !op.getResult(0).hasOneUse();
    EXPECT_EQ(given.find(op.getResult(0)) == nullptr, is_read_as_it_is);
  }
  EXPECT_EQ(given.activations.size(), 3U);
}

TEST_F(AdoptRulesTest, FloatModelsPrescribeNothing) {
  auto module = parse(R"(
func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> tensor<4xf32> {
  %y = graph.unary relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
})");
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  EXPECT_FALSE(isQuantized(main));
  EXPECT_TRUE(adoptQuantization(main).empty());
}

}  // namespace
}  // namespace vta::compiler
