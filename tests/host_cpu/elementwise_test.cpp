// Element-wise ops against the C++ library.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/host_cpu/host_test_support.h"

namespace vta::codegen::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct UnaryCase {
  const char* kind;
  std::function<double(double)> reference;
  double alpha = 0, beta = 0;
  double low = -4, high = 4;
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::log1p(std::exp(x)); }

const std::vector<UnaryCase>& unaryCases() {
  static const std::vector<UnaryCase> cases = {
      {"relu", [](double x) { return std::max(x, 0.0); }},
      {"neg", [](double x) { return -x; }},
      {"abs", [](double x) { return std::abs(x); }},
      {"exp", [](double x) { return std::exp(x); }},
      {"log", [](double x) { return std::log(x); }, 0, 0, 0.01, 50},
      {"sqrt", [](double x) { return std::sqrt(x); }, 0, 0, 0, 50},
      {"reciprocal", [](double x) { return 1 / x; }, 0, 0, 0.1, 9},
      {"sigmoid", sigmoid},
      {"tanh", [](double x) { return std::tanh(x); }},
      {"erf", [](double x) { return std::erf(x); }},
      {"floor", [](double x) { return std::floor(x); }},
      {"ceil", [](double x) { return std::ceil(x); }},
      {"round", [](double x) { return std::nearbyint(x); }},
      {"sign", [](double x) { return x > 0   ? 1.0
                                     : x < 0 ? -1.0
                                             : 0.0; }},
      {"leaky_relu", [](double x) { return x < 0 ? 0.1 * x : x; }, 0.1},
      {"elu", [](double x) { return x < 0 ? 1.5 * std::expm1(x) : x; }, 1.5},
      {"selu", [](double x) { return 1.05 * (x < 0 ? 1.67 * std::expm1(x) : x); }, 1.67, 1.05},
      {"celu", [](double x) { return x < 0 ? 2 * std::expm1(x / 2) : x; }, 2},
      {"hard_sigmoid", [](double x) { return std::clamp(0.2 * x + 0.5, 0.0, 1.0); }, 0.2, 0.5},
      {"hard_swish", [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
      {"softplus", softplus},
      {"softsign", [](double x) { return x / (1 + std::abs(x)); }},
      {"thresholded_relu", [](double x) { return x > 1.25 ? x : 0.0; }, 1.25},
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"tan", [](double x) { return std::tan(x); }, 0, 0, -1.4, 1.4},
      {"asin", [](double x) { return std::asin(x); }, 0, 0, -1, 1},
      {"acos", [](double x) { return std::acos(x); }, 0, 0, -1, 1},
      {"atan", [](double x) { return std::atan(x); }},
      {"sinh", [](double x) { return std::sinh(x); }},
      {"cosh", [](double x) { return std::cosh(x); }},
      {"asinh", [](double x) { return std::asinh(x); }},
      {"acosh", [](double x) { return std::acosh(x); }, 0, 0, 1, 9},
      {"atanh", [](double x) { return std::atanh(x); }, 0, 0, -0.9, 0.9},
      {"gelu", [](double x) { return 0.5 * x * (1 + std::erf(x * M_SQRT1_2)); }},
      {"mish", [](double x) { return x * std::tanh(softplus(x)); }},
  };
  return cases;
}

TEST(UnaryTest, FloatKindsAgreeWithTheLibrary) {
  std::string text;
  for (const UnaryCase& c : unaryCases()) {
    text += fmt::format(
        "func.func @{0}(%x: tensor<3x67xf32>) -> tensor<3x67xf32> {{ %y = graph.unary {0} %x "
        "{{alpha = {1:e} : f64, beta = {2:e} : f64}} : (tensor<3x67xf32>) -> tensor<3x67xf32>\n"
        "return %y : tensor<3x67xf32> }}\n",
        c.kind, c.alpha, c.beta);
  }
  auto module = CompiledText::create(text);
  ASSERT_TRUE(module.ok()) << module.status().message();
  for (const UnaryCase& c : unaryCases()) {
    Tensor x = randomTensor(DType::kF32, {3, 67}, 7, c.low, c.high);
    auto results = module->run(c.kind, {x});
    ASSERT_TRUE(results.ok());
    for (size_t i = 0; i < x.as<float>().size(); ++i) {
      const double expected = c.reference(x.as<float>()[i]);
      // A handful of float operations, each within an ulp or two of a value of this size; around
      // zero of functions like softsign's 1 + |x| the absolute error is that of numbers near one.
      ASSERT_NEAR((*results)[0].as<float>()[i], expected, 1e-6 + 6e-7 * std::abs(expected))
          << c.kind << " of " << x.as<float>()[i];
    }
  }
}

TEST(UnaryTest, SpecialValues) {
  auto module = CompiledText::create(R"(
    func.func @nan(%x: tensor<5xf32>) -> tensor<5xi1> {
      %y = graph.unary is_nan %x : (tensor<5xf32>) -> tensor<5xi1>
      return %y : tensor<5xi1> }
    func.func @inf(%x: tensor<5xf32>) -> tensor<5xi1> {
      %y = graph.unary is_inf %x : (tensor<5xf32>) -> tensor<5xi1>
      return %y : tensor<5xi1> }
    func.func @sigmoid(%x: tensor<5xf32>) -> tensor<5xf32> {
      %y = graph.unary sigmoid %x : (tensor<5xf32>) -> tensor<5xf32>
      return %y : tensor<5xf32> }
    func.func @softplus(%x: tensor<5xf32>) -> tensor<5xf32> {
      %y = graph.unary softplus %x : (tensor<5xf32>) -> tensor<5xf32>
      return %y : tensor<5xf32> })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  Tensor x = tensorOfValues<float>(DType::kF32, {5}, {kNan, kInf, -kInf, 0.0f, 200.0f});
  EXPECT_EQ(valuesOf<uint8_t>((*module->run("nan", {x}))[0]),
            (std::vector<uint8_t>{1, 0, 0, 0, 0}));
  EXPECT_EQ(valuesOf<uint8_t>((*module->run("inf", {x}))[0]),
            (std::vector<uint8_t>{0, 1, 1, 0, 0}));
  const auto sigmoids = valuesOf<float>((*module->run("sigmoid", {x}))[0]);
  EXPECT_TRUE(std::isnan(sigmoids[0]));
  EXPECT_EQ(sigmoids[1], 1.0f);
  EXPECT_EQ(sigmoids[2], 0.0f);
  const auto softplus_values = valuesOf<float>((*module->run("softplus", {x}))[0]);
  EXPECT_EQ(softplus_values[1], kInf);
  EXPECT_EQ(softplus_values[4], 200.0f);
}

TEST(UnaryTest, ExponentialsAreOffByLessThanTheLastBit) {
  auto module = CompiledText::create(R"(
    func.func @exp(%x: tensor<40003xf32>) -> tensor<40003xf32> {
      %y = graph.unary exp %x : (tensor<40003xf32>) -> tensor<40003xf32>
      return %y : tensor<40003xf32> })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  std::vector<float> arguments = {kNan, kInf, -kInf, 0.0f, -0.0f, 88.8f, 1e30f, -1e30f};
  while (arguments.size() < 40003) {  // to below the least number that is not normal
    arguments.push_back(-104.0f + 192.7f * static_cast<float>(arguments.size()) / 40003);
  }
  const Tensor x = tensorOfValues<float>(DType::kF32, {40003}, arguments);
  const auto results = valuesOf<float>((*module->run("exp", {x}))[0]);
  EXPECT_TRUE(std::isnan(results[0]));
  EXPECT_EQ(std::vector<float>(results.begin() + 1, results.begin() + 8),
            (std::vector<float>{kInf, 0, 1, 1, kInf, kInf, 0}));
  for (size_t i = 8; i < results.size(); ++i) {
    const double expected = std::exp(static_cast<double>(arguments[i]));
    const float next = std::nextafter(static_cast<float>(expected), kInf);
    const double last_bit = static_cast<double>(next) - static_cast<float>(expected);
    ASSERT_NEAR(results[i], expected, last_bit) << arguments[i];
  }
}

TEST(UnaryTest, Integers) {
  auto module = CompiledText::create(R"(
    func.func @f(%x: tensor<4xi32>, %b: tensor<2xi1>)
        -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2xi1>) {
      %0 = graph.unary relu %x : (tensor<4xi32>) -> tensor<4xi32>
      %1 = graph.unary neg %x : (tensor<4xi32>) -> tensor<4xi32>
      %2 = graph.unary sign %x : (tensor<4xi32>) -> tensor<4xi32>
      %3 = graph.unary bitwise_not %x : (tensor<4xi32>) -> tensor<4xi32>
      %4 = graph.unary logical_not %b : (tensor<2xi1>) -> tensor<2xi1>
      return %0, %1, %2, %3, %4
        : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2xi1> })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  Tensor x = tensorOfValues<int32_t>(DType::kI32, {4}, {-7, 0, 9, INT32_MIN});
  auto r = module->run("f", {x, tensorOfValues<uint8_t>(DType::kBool, {2}, {0, 1})});
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(valuesOf<int32_t>((*r)[0]), (std::vector<int32_t>{0, 0, 9, 0}));
  EXPECT_EQ(valuesOf<int32_t>((*r)[1]), (std::vector<int32_t>{7, 0, -9, INT32_MIN}));
  EXPECT_EQ(valuesOf<int32_t>((*r)[2]), (std::vector<int32_t>{-1, 0, 1, -1}));
  EXPECT_EQ(valuesOf<int32_t>((*r)[3]), (std::vector<int32_t>{6, -1, -10, INT32_MAX}));
  EXPECT_EQ(valuesOf<uint8_t>((*r)[4]), (std::vector<uint8_t>{1, 0}));
}

struct BinaryCase {
  const char* kind;
  std::function<int64_t(int64_t, int64_t)> reference;
};

int64_t floorMod(int64_t x, int64_t y) { return y == 0 ? 0 : ((x % y) + y) % y; }

TEST(BinaryTest, IntegersBroadcastAndWrap) {
  const std::vector<BinaryCase> cases = {
      {"add", [](int64_t x, int64_t y) { return x + y; }},
      {"sub", [](int64_t x, int64_t y) { return x - y; }},
      {"mul", [](int64_t x, int64_t y) { return x * y; }},
      {"div", [](int64_t x, int64_t y) { return y == 0 ? x : x / y; }},
      {"min", [](int64_t x, int64_t y) { return std::min(x, y); }},
      {"max", [](int64_t x, int64_t y) { return std::max(x, y); }},
      {"mod", floorMod},
      {"fmod", [](int64_t x, int64_t y) { return y == 0 ? 0 : x % y; }},
      {"bitwise_and", [](int64_t x, int64_t y) { return x & y; }},
      {"bitwise_or", [](int64_t x, int64_t y) { return x | y; }},
      {"bitwise_xor", [](int64_t x, int64_t y) { return x ^ y; }},
  };
  std::string text;
  for (const BinaryCase& c : cases) {
    text += fmt::format(
        "func.func @{0}(%x: tensor<3x1x5xi32>, %y: tensor<4x1xi32>) -> tensor<3x4x5xi32> {{ "
        "%z = graph.binary {0} %x, %y : (tensor<3x1x5xi32>, tensor<4x1xi32>) -> "
        "tensor<3x4x5xi32>\nreturn %z : tensor<3x4x5xi32> }}\n",
        c.kind);
  }
  auto module = CompiledText::create(text);
  ASSERT_TRUE(module.ok()) << module.status().message();
  Tensor x = randomTensor(DType::kI32, {3, 1, 5}, 3, INT32_MIN, INT32_MAX);
  x.as<int32_t>()[0] = INT32_MIN;
  Tensor y = tensorOfValues<int32_t>(DType::kI32, {4, 1}, {7, -3, 0, -1});
  for (const BinaryCase& c : cases) {
    auto results = module->run(c.kind, {x, y});
    ASSERT_TRUE(results.ok());
    for (int64_t i = 0; i < 60; ++i) {
      const int64_t expected =
          c.reference(x.as<int32_t>()[i / 20 * 5 + i % 5], y.as<int32_t>()[i / 5 % 4]);
      ASSERT_EQ((*results)[0].as<int32_t>()[i], static_cast<int32_t>(expected))
          << c.kind << " at " << i;
    }
  }
}

TEST(BinaryTest, ComparisonsOfSignedUnsignedAndFloat) {
  auto module = CompiledText::create(R"(
    func.func @s(%x: tensor<3xi8>, %y: tensor<3xi8>) -> tensor<3xi1> {
      %z = graph.binary less %x, %y : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
      return %z : tensor<3xi1> }
    func.func @u(%x: tensor<3xui8>, %y: tensor<3xui8>) -> tensor<3xi1> {
      %z = graph.binary less %x, %y : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
      return %z : tensor<3xi1> }
    func.func @g(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xi1> {
      %z = graph.binary greater_equal %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      return %z : tensor<3xi1> })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  Tensor x = tensorOfValues<uint8_t>(DType::kU8, {3}, {200, 5, 7});
  Tensor y = tensorOfValues<uint8_t>(DType::kU8, {3}, {3, 6, 7});
  EXPECT_EQ(valuesOf<uint8_t>((*module->run("u", {x, y}))[0]), (std::vector<uint8_t>{0, 1, 0}));
  EXPECT_EQ(valuesOf<uint8_t>((*module->run("s", {x, y}))[0]), (std::vector<uint8_t>{1, 1, 0}));
  Tensor a = tensorOfValues<float>(DType::kF32, {3}, {1, kNan, 2});
  Tensor b = tensorOfValues<float>(DType::kF32, {3}, {1, 0, 3});
  EXPECT_EQ(valuesOf<uint8_t>((*module->run("g", {a, b}))[0]), (std::vector<uint8_t>{1, 0, 0}));
}

TEST(BinaryTest, FloatKinds) {
  auto module = CompiledText::create(R"(
    func.func @pow(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %z = graph.binary pow %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %z : tensor<4xf32> }
    func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = arith.constant dense<2.0> : tensor<f32>
      %z = graph.binary pow %x, %y : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      return %z : tensor<4xf32> }
    func.func @prelu(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %z = graph.binary prelu %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %z : tensor<4xf32> }
    func.func @max(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %z = graph.binary max %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %z : tensor<4xf32> })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  Tensor x = tensorOfValues<float>(DType::kF32, {4}, {2, 3, -1.5, 0.5});
  Tensor y = tensorOfValues<float>(DType::kF32, {4}, {3, -1, 2, kNan});
  const auto pow = valuesOf<float>((*module->run("pow", {x, y}))[0]);
  EXPECT_FLOAT_EQ(pow[0], 8);
  EXPECT_FLOAT_EQ(pow[1], 1.0f / 3);
  EXPECT_FLOAT_EQ(pow[2], 2.25);
  EXPECT_EQ(valuesOf<float>((*module->run("square", {x}))[0]),
            (std::vector<float>{4, 9, 2.25, 0.25}));
  EXPECT_EQ(valuesOf<float>((*module->run("prelu", {x, y}))[0]),
            (std::vector<float>{2, 3, -3, 0.5}));
  EXPECT_TRUE(std::isnan(valuesOf<float>((*module->run("max", {x, y}))[0])[3]));
}

TEST(ElementwiseTest, WhereClipAndShifts) {
  auto module = CompiledText::create(R"(
    func.func @where(%c: tensor<3x1xi1>, %x: tensor<2xf32>, %y: tensor<1xf32>) -> tensor<3x2xf32> {
      %z = graph.where %c, %x, %y
        : (tensor<3x1xi1>, tensor<2xf32>, tensor<1xf32>) -> tensor<3x2xf32>
      return %z : tensor<3x2xf32> }
    func.func @clip(%x: tensor<4xf32>) -> tensor<4xf32> {
      %z = graph.clip %x {min = -1.0 : f64, max = 0x7FF0000000000000 : f64}
        : (tensor<4xf32>) -> tensor<4xf32>
      return %z : tensor<4xf32> }
    func.func @shift(%x: tensor<3xui8>, %y: tensor<3xui8>) -> tensor<3xui8> {
      %z = graph.binary shift_left %x, %y : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
      return %z : tensor<3xui8> })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  auto where = module->run("where", {tensorOfValues<uint8_t>(DType::kBool, {3, 1}, {1, 0, 1}),
                                     tensorOfValues<float>(DType::kF32, {2}, {1, 2}),
                                     tensorOfValues<float>(DType::kF32, {1}, {9})});
  EXPECT_EQ(valuesOf<float>((*where)[0]), (std::vector<float>{1, 2, 9, 9, 1, 2}));
  auto clip = module->run("clip", {tensorOfValues<float>(DType::kF32, {4}, {-5, -1, 0, 1e30f})});
  EXPECT_EQ(valuesOf<float>((*clip)[0]), (std::vector<float>{-1, -1, 0, 1e30f}));
  auto shift = module->run("shift", {tensorOfValues<uint8_t>(DType::kU8, {3}, {3, 255, 1}),
                                     tensorOfValues<uint8_t>(DType::kU8, {3}, {2, 1, 8})});
  EXPECT_EQ(valuesOf<uint8_t>((*shift)[0]), (std::vector<uint8_t>{12, 254, 0}));
}

TEST(CastTest, KeepsLowBitsExtendsBySignednessTruncatesFloats) {
  auto module = CompiledText::create(R"(
    func.func @narrow(%x: tensor<3xi32>) -> tensor<3xi8> {
      %z = graph.cast %x : (tensor<3xi32>) -> tensor<3xi8>
      return %z : tensor<3xi8> }
    func.func @unsigned(%x: tensor<3xui8>) -> (tensor<3xi32>, tensor<3xf32>) {
      %z = graph.cast %x : (tensor<3xui8>) -> tensor<3xi32>
      %f = graph.cast %x : (tensor<3xui8>) -> tensor<3xf32>
      return %z, %f : tensor<3xi32>, tensor<3xf32> }
    func.func @real(%x: tensor<3xf32>) -> (tensor<3xi32>, tensor<3xi1>) {
      %z = graph.cast %x : (tensor<3xf32>) -> tensor<3xi32>
      %b = graph.cast %x : (tensor<3xf32>) -> tensor<3xi1>
      return %z, %b : tensor<3xi32>, tensor<3xi1> }
    func.func @bool(%x: tensor<3xi1>) -> tensor<3xi64> {
      %z = graph.cast %x : (tensor<3xi1>) -> tensor<3xi64>
      return %z : tensor<3xi64> })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  auto narrow =
      module->run("narrow", {tensorOfValues<int32_t>(DType::kI32, {3}, {0x1280, -1, 0x17f})});
  EXPECT_EQ(valuesOf<int8_t>((*narrow)[0]), (std::vector<int8_t>{-128, -1, 127}));
  auto wide = module->run("unsigned", {tensorOfValues<uint8_t>(DType::kU8, {3}, {0, 128, 255})});
  EXPECT_EQ(valuesOf<int32_t>((*wide)[0]), (std::vector<int32_t>{0, 128, 255}));
  EXPECT_EQ(valuesOf<float>((*wide)[1]), (std::vector<float>{0, 128, 255}));
  auto real = module->run("real", {tensorOfValues<float>(DType::kF32, {3}, {-2.7f, 0, 2.7f})});
  EXPECT_EQ(valuesOf<int32_t>((*real)[0]), (std::vector<int32_t>{-2, 0, 2}));
  EXPECT_EQ(valuesOf<uint8_t>((*real)[1]), (std::vector<uint8_t>{1, 0, 1}));
  auto booleans = module->run("bool", {tensorOfValues<uint8_t>(DType::kBool, {3}, {1, 0, 1})});
  EXPECT_EQ(valuesOf<int64_t>((*booleans)[0]), (std::vector<int64_t>{1, 0, 1}));
}

TEST(ElementwiseTest, UndefinedCombinationIsAnError) {
  auto compiled = compileText(
      "func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> { %y = graph.unary tanh %x : "
      "(tensor<2xi32>) -> tensor<2xi32> loc(\"node7\")\nreturn %y : tensor<2xi32> }");
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(compiled.status().message().find("'node7': "), std::string::npos)
      << compiled.status().message();
  EXPECT_NE(compiled.status().message().find("'tanh' is not defined for element type 'i32'"),
            std::string::npos)
      << compiled.status().message();
}

}  // namespace
}  // namespace vta::codegen::testing
