// Data movement, reductions and pooling against plain loops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "tests/host_cpu/host_test_support.h"

namespace vta::codegen::testing {
namespace {

Tensor iota(std::vector<int64_t> shape) {
  Tensor tensor = Tensor::zeros(DType::kI32, std::move(shape));
  std::iota(tensor.as<int32_t>().begin(), tensor.as<int32_t>().end(), 0);
  return tensor;
}

std::vector<int32_t> runOne(const std::string& body, const std::string& result_type,
                            const Tensor& x) {
  auto results =
      compileAndRun(fmt::format("func.func @f(%x: {0}) -> {1} {{ {2}\nreturn %y : {1} }}",
                                mlirType(x), result_type, body),
                    {x});
  EXPECT_TRUE(results.ok()) << results.status().message();
  return results.ok() ? valuesOf<int32_t>((*results)[0]) : std::vector<int32_t>();
}

TEST(MovementTest, ReshapeThroughAnyShapes) {
  const Tensor x = iota({2, 3, 4});
  for (const char* to : {"24", "6x4", "4x6", "1x24x1", "2x3x2x2", "3x8"}) {
    const std::string type = fmt::format("tensor<{}xi32>", to);
    EXPECT_EQ(
        runOne(fmt::format("%y = graph.reshape %x : (tensor<2x3x4xi32>) -> {}", type), type, x),
        valuesOf<int32_t>(x))
        << to;
  }
  EXPECT_EQ(runOne("%y = graph.reshape %x : (tensor<1x1xi32>) -> tensor<i32>", "tensor<i32>",
                   iota({1, 1})),
            (std::vector<int32_t>{0}));
}

TEST(MovementTest, TransposeAndExpand) {
  EXPECT_EQ(runOne("%y = graph.transpose %x {permutation = array<i64: 2, 0, 1>} : "
                   "(tensor<2x1x3xi32>) -> tensor<3x2x1xi32>",
                   "tensor<3x2x1xi32>", iota({2, 1, 3})),
            (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(runOne("%y = graph.expand %x : (tensor<2x1xi32>) -> tensor<2x2x3xi32>",
                   "tensor<2x2x3xi32>", iota({2, 1})),
            (std::vector<int32_t>{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}));
}

TEST(MovementTest, ConcatOfMoreThanOnce) {
  EXPECT_EQ(runOne("%y = graph.concat %x, %x, %x {axis = 1 : i64} : (tensor<2x2xi32>, "
                   "tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x6xi32>",
                   "tensor<2x6xi32>", iota({2, 2})),
            (std::vector<int32_t>{0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3}));
}

TEST(MovementTest, SlicesForwardAndBackward) {
  EXPECT_EQ(runOne("%y = graph.slice %x {starts = array<i64: 0, 1>, steps = array<i64: 1, 2>} : "
                   "(tensor<2x5xi32>) -> tensor<2x2xi32>",
                   "tensor<2x2xi32>", iota({2, 5})),
            (std::vector<int32_t>{1, 3, 6, 8}));
  EXPECT_EQ(runOne("%y = graph.slice %x {starts = array<i64: 1, 4>, steps = array<i64: -1, -2>} : "
                   "(tensor<2x5xi32>) -> tensor<2x3xi32>",
                   "tensor<2x3xi32>", iota({2, 5})),
            (std::vector<int32_t>{9, 7, 5, 4, 2, 0}));
}

TEST(MovementTest, PadModesAndCropping) {
  const auto padded = [](const char* mode, const char* attributes) {
    return runOne(fmt::format("%y = graph.pad {} %x {{low = array<i64: 3>, high = array<i64: 2>{}}}"
                              " : (tensor<3xi32>) -> tensor<8xi32>",
                              mode, attributes),
                  "tensor<8xi32>", iota({3}));
  };
  EXPECT_EQ(padded("constant", ", value = 9.0 : f64"),
            (std::vector<int32_t>{9, 9, 9, 0, 1, 2, 9, 9}));
  EXPECT_EQ(padded("edge", ""), (std::vector<int32_t>{0, 0, 0, 0, 1, 2, 2, 2}));
  EXPECT_EQ(runOne("%y = graph.pad reflect %x {low = array<i64: 2>, high = array<i64: 2>} : "
                   "(tensor<3xi32>) -> tensor<7xi32>",
                   "tensor<7xi32>", iota({3})),
            (std::vector<int32_t>{2, 1, 0, 1, 2, 1, 0}));
  EXPECT_EQ(padded("wrap", ""), (std::vector<int32_t>{0, 1, 2, 0, 1, 2, 0, 1}));
  EXPECT_EQ(runOne("%y = graph.pad constant %x {low = array<i64: -1>, high = array<i64: 1>} : "
                   "(tensor<3xi32>) -> tensor<3xi32>",
                   "tensor<3xi32>", iota({3})),
            (std::vector<int32_t>{1, 2, 0}));
}

/// The indices themselves, once they have been checked.
Status checkIndices(const Tensor& indices, const std::string& extents) {
  const auto results = compileAndRun(fmt::format(R"mlir(func.func @f(%i: {0}) -> {0} {{
        %y = graph.check_indices %i {{extents = array<i64: {1}>, node = "node 'pick' (Gather)"}}
            : ({0}) -> {0}
        return %y : {0} }})mlir",
                                                 mlirType(indices), extents),
                                     {indices});
  if (!results.ok()) return results.status();
  EXPECT_EQ((*results)[0].data, indices.data);
  return {};
}

TEST(MovementTest, IndicesOutsideAreReported) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const auto message = [](const std::vector<int64_t>& indices, const char* extents = "4") {
    const auto count = static_cast<int64_t>(indices.size());
    return checkIndices(tensorOfValues<int64_t>(DType::kI64, {count}, indices), extents).message();
  };
  const auto outside = [](int64_t index) {
    return fmt::format("node 'pick' (Gather): index {} is outside of -4 to 3", index);
  };
  EXPECT_EQ(message({0, 3, -1, -4}), "");
  EXPECT_EQ(message({0, 4, 1}), outside(4));
  EXPECT_EQ(message({0, 1, -5}), outside(-5));
  EXPECT_EQ(message({kLeast, 0}), outside(kLeast));
  EXPECT_EQ(message({kMost}), outside(kMost));
  EXPECT_EQ(message({0}, "0"),
            "node 'pick' (Gather): index 0, but there is nothing to select from");
  EXPECT_EQ(checkIndices(tensorOfValues<int32_t>(DType::kI32, {2}, {-6, 0}), "5").message(),
            "node 'pick' (Gather): index -6 is outside of -5 to 4");
}

TEST(MovementTest, IndicesOfSeveralDimensions) {
  const auto message = [](const std::vector<int64_t>& indices) {
    return checkIndices(tensorOfValues<int64_t>(DType::kI64, {2, 2}, indices), "2, 5").message();
  };
  EXPECT_EQ(message({-2, 4, 1, -5}), "");
  EXPECT_EQ(message({2, 4, 0, 0}), "node 'pick' (Gather): index 2 is outside of -2 to 1");
  EXPECT_EQ(message({0, 0, 1, 5}), "node 'pick' (Gather): index 5 is outside of -5 to 4");
}

TEST(MovementTest, IndicesOfALargeTensor) {
  Tensor indices = Tensor::zeros(DType::kI64, {1000, 300});
  EXPECT_TRUE(checkIndices(indices, "1").ok());
  indices.as<int64_t>()[299'999] = 1;
  EXPECT_EQ(checkIndices(indices, "1").message(),
            "node 'pick' (Gather): index 1 is outside of -1 to 0");
}

TEST(MovementTest, IndicesInABranchThatIsNotTaken) {
  const std::string text = R"mlir(
    func.func @f(%c: tensor<i1>, %i: tensor<2xi64>) -> tensor<2xi64> {
      %y = "graph.if"(%c, %i) ({
      ^bb0(%a: tensor<2xi64>):
        %j = graph.check_indices %a {extents = array<i64: 4>, node = "node 'pick' (Gather)"}
            : (tensor<2xi64>) -> tensor<2xi64>
        graph.yield %j : tensor<2xi64>
      }, {
      ^bb0(%a: tensor<2xi64>):
        graph.yield %a : tensor<2xi64>
      }) : (tensor<i1>, tensor<2xi64>) -> tensor<2xi64>
      return %y : tensor<2xi64> })mlir";
  const Tensor indices = tensorOfValues<int64_t>(DType::kI64, {2}, {7, 0});
  Tensor condition = Tensor::zeros(DType::kBool, {});
  EXPECT_TRUE(compileAndRun(text, {condition, indices}).ok());
  condition.data[0] = std::byte{1};
  EXPECT_EQ(compileAndRun(text, {condition, indices}).status().message(),
            "node 'pick' (Gather): index 7 is outside of -4 to 3");
}

TEST(MovementTest, GatherCountsFromTheEndAndStaysInside) {
  auto results = compileAndRun(
      R"(func.func @f(%x: tensor<2x3xi32>, %i: tensor<2x2xi64>) -> tensor<2x2x2xi32> {
        %y = graph.gather %x, %i {axis = 1 : i64}
          : (tensor<2x3xi32>, tensor<2x2xi64>) -> tensor<2x2x2xi32>
        return %y : tensor<2x2x2xi32> })",
      {iota({2, 3}), tensorOfValues<int64_t>(DType::kI64, {2, 2}, {0, -1, 1, 1000000})});
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ(valuesOf<int32_t>((*results)[0]), (std::vector<int32_t>{0, 2, 1, 2, 3, 5, 4, 5}));
}

TEST(MovementTest, ScatterReplacesOrCombinesRowsInOrder) {
  const auto scattered = [](const char* attributes) {
    auto results = compileAndRun(
        fmt::format(R"(func.func @f(%x: tensor<3x2xi32>, %i: tensor<4xi64>, %u: tensor<4x2xi32>)
            -> tensor<3x2xi32> {{
          %y = graph.scatter %x, %i, %u {}
            : (tensor<3x2xi32>, tensor<4xi64>, tensor<4x2xi32>) -> tensor<3x2xi32>
          return %y : tensor<3x2xi32> }})",
                    attributes),
        // From the end, twice the same row, and clamped to the last one.
        {iota({3, 2}), tensorOfValues<int64_t>(DType::kI64, {4}, {-3, 1, 1, 1000000}),
         tensorOfValues<int32_t>(DType::kI32, {4, 2}, {10, 20, 30, 40, 50, 60, 70, 80})});
    EXPECT_TRUE(results.ok()) << results.status().message();
    return results.ok() ? valuesOf<int32_t>((*results)[0]) : std::vector<int32_t>();
  };
  EXPECT_EQ(scattered(""), (std::vector<int32_t>{10, 20, 50, 60, 70, 80}));
  EXPECT_EQ(scattered("{combine = 0 : i32}"), (std::vector<int32_t>{10, 21, 82, 103, 74, 85}));
}

TEST(MovementTest, ResultsWithoutElements) {
  auto results = compileAndRun(
      R"(func.func @f(%x: tensor<2x3xi32>) -> (tensor<2x0xi32>, tensor<2x3xi32>) {
        %y = graph.slice %x {starts = array<i64: 0, 3>, steps = array<i64: 1, 1>}
          : (tensor<2x3xi32>) -> tensor<2x0xi32>
        %z = graph.binary add %x, %x : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
        return %y, %z : tensor<2x0xi32>, tensor<2x3xi32> })",
      {iota({2, 3})});
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ(valuesOf<int32_t>((*results)[1]), (std::vector<int32_t>{0, 2, 4, 6, 8, 10}));
}

TEST(MovementTest, InputsConstantsAndRepeatedValuesAsResults) {
  auto results = compileAndRun(
      R"(func.func @f(%x: tensor<3xi32>)
            -> (tensor<3xi32>, tensor<3xi32>, tensor<2xi32>, tensor<3xi32>, tensor<3xi32>) {
        %c = arith.constant dense<[5, 6]> : tensor<2xi32>
        %s = graph.binary add %x, %x : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
        return %x, %x, %c, %s, %s
          : tensor<3xi32>, tensor<3xi32>, tensor<2xi32>, tensor<3xi32>, tensor<3xi32> })",
      {iota({3})});
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ(valuesOf<int32_t>((*results)[0]), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(valuesOf<int32_t>((*results)[1]), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(valuesOf<int32_t>((*results)[2]), (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(valuesOf<int32_t>((*results)[3]), (std::vector<int32_t>{0, 2, 4}));
  EXPECT_EQ(valuesOf<int32_t>((*results)[4]), (std::vector<int32_t>{0, 2, 4}));
}

struct ReduceCase {
  const char* kind;
  std::function<double(const std::vector<double>&)> reference;
};

double sum(const std::vector<double>& v, const std::function<double(double)>& f) {
  double total = 0;
  for (double x : v) total += f(x);
  return total;
}

TEST(ReduceTest, FloatKindsOverEveryAxis) {
  const std::vector<ReduceCase> cases = {
      {"sum", [](const auto& v) { return sum(v, [](double x) { return x; }); }},
      {"mean", [](const auto& v) { return sum(v, [](double x) { return x; }) / v.size(); }},
      {"max", [](const auto& v) { return *std::max_element(v.begin(), v.end()); }},
      {"min", [](const auto& v) { return *std::min_element(v.begin(), v.end()); }},
      {"prod",
       [](const auto& v) {
         double p = 1;
         for (double x : v) p *= x;
         return p;
       }},
      {"l1", [](const auto& v) { return sum(v, [](double x) { return std::abs(x); }); }},
      {"l2", [](const auto& v) { return std::sqrt(sum(v, [](double x) { return x * x; })); }},
      {"sum_square", [](const auto& v) { return sum(v, [](double x) { return x * x; }); }},
      {"log_sum", [](const auto& v) { return std::log(sum(v, [](double x) { return x; })); }},
      {"log_sum_exp",
       [](const auto& v) { return std::log(sum(v, [](double x) { return std::exp(x); })); }},
  };
  const std::vector<std::pair<std::string, std::string>> results = {
      {"0", "1x5x7"}, {"1", "3x7"}, {"2", "3x5x1"}, {"0, 2", "5"}, {"0, 1, 2", ""}};
  std::string text;
  for (const ReduceCase& c : cases) {
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string type =
          fmt::format("tensor<{}{}f32>", results[i].second, results[i].second.empty() ? "" : "x");
      text += fmt::format(
          "func.func @{0}{1}(%x: tensor<3x5x7xf32>) -> {2} {{ %y = graph.reduce {0} %x {{axes = "
          "array<i64: {3}>}} : (tensor<3x5x7xf32>) -> {2}\nreturn %y : {2} }}\n",
          c.kind, i, type, results[i].first);
    }
  }
  auto module = CompiledText::create(text);
  ASSERT_TRUE(module.ok()) << module.status().message();
  const Tensor x = randomTensor(DType::kF32, {3, 5, 7}, 1, 0.5, 1.5);
  const std::vector<std::vector<bool>> reduced = {{true, false, false},
                                                  {false, true, false},
                                                  {false, false, true},
                                                  {true, false, true},
                                                  {true, true, true}};
  for (const ReduceCase& c : cases) {
    for (size_t i = 0; i < results.size(); ++i) {
      std::map<std::vector<int64_t>, std::vector<double>> groups;
      for (int64_t e = 0; e < 105; ++e) {
        const int64_t position[] = {e / 35, e / 7 % 5, e % 7};
        std::vector<int64_t> key;
        for (int d = 0; d < 3; ++d) {
          if (!reduced[i][d]) key.push_back(position[d]);
        }
        groups[key].push_back(x.as<float>()[e]);
      }
      auto actual = module->run(fmt::format("{}{}", c.kind, i), {x});
      ASSERT_TRUE(actual.ok());
      size_t k = 0;
      for (const auto& [key, values] : groups) {
        const double expected = c.reference(values);
        ASSERT_NEAR((*actual)[0].as<float>()[k++], expected, 2e-5 * std::max(1.0, expected))
            << c.kind << " " << results[i].first;
      }
    }
  }
}

TEST(ReduceTest, IntegersAndErrors) {
  EXPECT_EQ(runOne("%y = graph.reduce max %x {axes = array<i64: 0>} : (tensor<2x3xi32>) -> "
                   "tensor<3xi32>",
                   "tensor<3xi32>", iota({2, 3})),
            (std::vector<int32_t>{3, 4, 5}));
  EXPECT_EQ(runOne("%y = graph.reduce mean %x {axes = array<i64: 1>} : (tensor<2x3xi32>) -> "
                   "tensor<2xi32>",
                   "tensor<2xi32>", iota({2, 3})),
            (std::vector<int32_t>{1, 4}));
  auto compiled = compileText(
      "func.func @f(%x: tensor<2xi32>) -> tensor<i32> { %y = graph.reduce l2 %x {axes = "
      "array<i64: 0>} : (tensor<2xi32>) -> tensor<i32>\nreturn %y : tensor<i32> }");
  ASSERT_FALSE(compiled.ok());
  EXPECT_NE(compiled.status().message().find("'l2' is defined for floating point only"),
            std::string::npos);
}

TEST(SoftmaxTest, StableOnLargeNumbersAndOnMaskedRows) {
  auto module = CompiledText::create(R"(
    func.func @f(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
      %a = graph.softmax %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %b = graph.softmax %x {axis = 1 : i64, log = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %c = graph.softmax %x {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
      return %a, %b, %c : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32> })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x = tensorOfValues<float>(DType::kF32, {2, 3}, {1000, 1001, 999, -inf, 2, 1});
  auto results = module->run("f", {x});
  ASSERT_TRUE(results.ok());
  const double e = std::exp(1.0), total = 1 + e + 1 / e;
  const std::vector<double> expected = {1 / total, e / total,   1 / (e * total),
                                        0,         e / (1 + e), 1 / (1 + e)};
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR((*results)[0].as<float>()[i], expected[i], 1e-6);
    if (expected[i] > 0) {
      EXPECT_NEAR((*results)[1].as<float>()[i], std::log(expected[i]), 2e-6);
    }
  }
  EXPECT_EQ((*results)[2].as<float>()[0], 1.0f);
  EXPECT_EQ((*results)[2].as<float>()[3], 0.0f);
}

TEST(BatchNormTest, AndLrnFollowTheirFormulas) {
  auto module = CompiledText::create(R"(
    func.func @bn(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>,
        %v: tensor<3xf32>) -> tensor<2x3x4xf32> {
      %y = graph.batch_norm %x, %s, %b, %m, %v {epsilon = 1.0e-3 : f64} : (tensor<2x3x4xf32>,
        tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
      return %y : tensor<2x3x4xf32> }
    func.func @lrn(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
      %y = graph.lrn %x {size = 2 : i64, alpha = 0.5 : f64, beta = 0.75 : f64, bias = 1.5 : f64}
        : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
      return %y : tensor<2x3x4xf32> })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const Tensor x = randomTensor(DType::kF32, {2, 3, 4}, 1);
  const Tensor s = randomTensor(DType::kF32, {3}, 2), b = randomTensor(DType::kF32, {3}, 3),
               m = randomTensor(DType::kF32, {3}, 4), v = randomTensor(DType::kF32, {3}, 5, 0.1, 2);
  auto bn = module->run("bn", {x, s, b, m, v});
  auto lrn = module->run("lrn", {x});
  ASSERT_TRUE(bn.ok() && lrn.ok());
  const auto in = x.as<float>();
  for (int i = 0; i < 24; ++i) {
    const int c = i / 4 % 3;
    const double normal = (in[i] - m.as<float>()[c]) / std::sqrt(v.as<float>()[c] + 1e-3);
    EXPECT_NEAR((*bn)[0].as<float>()[i], normal * s.as<float>()[c] + b.as<float>()[c], 2e-6);
    // A window of two starts at the channel itself.
    double squares = in[i] * in[i];
    if (c < 2) squares += in[i + 4] * in[i + 4];
    EXPECT_NEAR((*lrn)[0].as<float>()[i], in[i] / std::pow(1.5 + 0.25 * squares, 0.75), 1e-6);
  }
}

struct PoolCase {
  const char* attributes;
  int64_t kernel, stride, top, left, dilation;
  std::string out;
};

TEST(PoolTest, MaximumOfEveryType) {
  for (const DType dtype : {DType::kF32, DType::kI8, DType::kU8}) {
    for (const PoolCase& c :
         {PoolCase{"", 3, 2, 1, 1, 1, "4x4"}, PoolCase{"", 2, 1, 0, 0, 2, "5x5"}}) {
      const Tensor x = randomTensor(dtype, {1, 2, 7, 7}, 3, dtype == DType::kU8 ? 0 : -100,
                                    -1 + (dtype == DType::kU8) * 200);
      const std::string element = mlirType(dtype, {});
      const std::string out = fmt::format("tensor<1x2x{}x{}", c.out, element.substr(7));
      const int64_t pad = c.top;
      auto results = compileAndRun(
          fmt::format("func.func @f(%x: {0}) -> {1} {{ %y = graph.max_pool %x {{kernel = "
                      "array<i64: {2}, {2}>, strides = array<i64: {3}, {3}>, pads = array<i64: "
                      "{4}, {4}, {4}, {4}>, dilations = array<i64: {5}, {5}>}} : ({0}) -> {1}\n"
                      "return %y : {1} }}",
                      mlirType(x), out, c.kernel, c.stride, pad, c.dilation),
          {x});
      ASSERT_TRUE(results.ok()) << results.status().message();
      const auto value = [&](const Tensor& t, int64_t i) -> double {
        if (dtype == DType::kF32) return t.as<float>()[i];
        return dtype == DType::kI8 ? t.as<int8_t>()[i] : t.as<uint8_t>()[i];
      };
      const int64_t extent = (*results)[0].shape[2];
      for (int64_t i = 0; i < 2 * extent * extent; ++i) {
        double expected = -1e30;
        for (int64_t k = 0; k < c.kernel * c.kernel; ++k) {
          const int64_t y = i / extent % extent * c.stride - pad + k / c.kernel * c.dilation;
          const int64_t xx = i % extent * c.stride - pad + k % c.kernel * c.dilation;
          if (y < 0 || y >= 7 || xx < 0 || xx >= 7) continue;
          expected = std::max(expected, value(x, i / extent / extent * 49 + y * 7 + xx));
        }
        ASSERT_EQ(value((*results)[0], i), expected);
      }
    }
  }
}

TEST(PoolTest, AverageCountsWhatItShould) {
  const auto run = [](const char* attributes) {
    auto results = compileAndRun(
        fmt::format("func.func @f(%x: tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32> {{ %y = "
                    "graph.avg_pool %x {{kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, "
                    "pads = array<i64: 1, 1, 1, 1>{}}} : (tensor<1x1x3x3xf32>) -> "
                    "tensor<1x1x2x2xf32>\nreturn %y : tensor<1x1x2x2xf32> }}",
                    attributes),
        {tensorOfValues<float>(DType::kF32, {1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})});
    EXPECT_TRUE(results.ok()) << results.status().message();
    return valuesOf<float>((*results)[0]);
  };
  EXPECT_EQ(run(""), (std::vector<float>{3, 4, 6, 7}));
  EXPECT_EQ(run(", count_include_pad = true"),
            (std::vector<float>{12.0f / 9, 16.0f / 9, 24.0f / 9, 28.0f / 9}));
  EXPECT_EQ(run(", count_include_pad = true, ceil_extra = array<i64: 1, 1>"),
            (std::vector<float>{12.0f / 9, 16.0f / 6, 24.0f / 6, 28.0f / 4}));
}

TEST(PoolTest, IntegerSumsReadThePadValue) {
  auto results = compileAndRun(
      R"(func.func @f(%x: tensor<1x1x2x2xi8>) -> tensor<1x1x2x2xi32> {
        %y = graph.sum_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>,
          pads = array<i64: 0, 0, 1, 1>, pad_value = -9 : i64}
          : (tensor<1x1x2x2xi8>) -> tensor<1x1x2x2xi32>
        return %y : tensor<1x1x2x2xi32> })",
      {tensorOfValues<int8_t>(DType::kI8, {1, 1, 2, 2}, {100, 101, 102, 103})});
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ(valuesOf<int32_t>((*results)[0]), (std::vector<int32_t>{406, 186, 187, 76}));
}

// All start from one zero, and each has a result buffer of its own.
TEST(ReductionTest, SumsThatStartAlike) {
  const auto sums = compileAndRun(R"(
    func.func @f(%a: tensor<6xi32>, %b: tensor<4xi32>, %c: tensor<3xi32>, %d: tensor<2xi32>)
        -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
      %0 = graph.reduce sum %a {axes = array<i64: 0>} : (tensor<6xi32>) -> tensor<i32>
      %1 = graph.reduce sum %b {axes = array<i64: 0>} : (tensor<4xi32>) -> tensor<i32>
      %2 = graph.reduce sum %c {axes = array<i64: 0>} : (tensor<3xi32>) -> tensor<i32>
      %3 = graph.reduce sum %d {axes = array<i64: 0>} : (tensor<2xi32>) -> tensor<i32>
      return %0, %1, %2, %3 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    })",
                                  {iota({6}), iota({4}), iota({3}), iota({2})});
  ASSERT_TRUE(sums.ok()) << sums.status().message();
  for (const auto& [i, expected] : {std::pair{0, 15}, {1, 6}, {2, 3}, {3, 1}}) {
    EXPECT_EQ(valuesOf<int32_t>((*sums)[i]), (std::vector<int32_t>{expected})) << i;
  }
}

}  // namespace
}  // namespace vta::codegen::testing
