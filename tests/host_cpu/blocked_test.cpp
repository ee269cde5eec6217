// Float networks with constant weights run on blocked kernels; the same networks with weights as
// inputs run as plain loops. Both must agree.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "host_cpu/backend/options.h"
#include "tests/host_cpu/host_test_support.h"

namespace vta::codegen::testing {
namespace {

/// Builds the text of a function `f` over an input `%x` and weights, which are either constants or
/// further inputs.
class Network {
 public:
  Network(Tensor x, bool constant_weights) : x_(std::move(x)), constant_(constant_weights) {
    arguments_ = "%x: " + mlirType(x_);
    inputs_.push_back(x_);
  }

  /// The name of a random float tensor.
  std::string weight(const std::vector<int64_t>& shape, double low = -0.3, double high = 0.3) {
    const Tensor tensor = randomTensor(DType::kF32, shape, 1000 + count_, low, high);
    const std::string name = fmt::format("%w{}", count_++);
    if (constant_) {
      body_ += fmt::format("{} = arith.constant {}\n", name, mlirConstant(tensor));
    } else {
      arguments_ += fmt::format(", {}: {}", name, mlirType(tensor));
      inputs_.push_back(tensor);
    }
    return name;
  }

  Network& op(const std::string& line) {
    body_ += line + "\n";
    return *this;
  }

  /// Runs the function, which returns `%y`.
  Result<std::vector<Tensor>> run(const std::string& type, const CodeOptions& options = {}) {
    const std::string text = fmt::format("func.func @f({}) -> {} {{\n{}return %y : {} }}",
                                         arguments_, type, body_, type);
    auto compiled = CompiledText::create(text, options);
    if (!compiled.ok()) return compiled.status();
    return compiled->run("f", inputs_);
  }

 private:
  Tensor x_;
  bool constant_;
  int count_ = 0;
  std::string arguments_, body_;
  std::vector<Tensor> inputs_;
};

using Describe = void (*)(Network&);

/// Sums of at most a few thousand products of numbers of size one.
void expectSame(Describe describe, const Tensor& x, const std::string& type) {
  Network plain(x, false), blocked(x, true), alone(x, true);
  describe(plain);
  describe(blocked);
  describe(alone);
  CodeOptions sequential;
  sequential.parallel = false;
  auto expected = plain.run(type), actual = blocked.run(type), one = alone.run(type, sequential);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  ASSERT_TRUE(actual.ok()) << actual.status().message();
  ASSERT_TRUE(one.ok()) << one.status().message();
  for (size_t i = 0; i < (*expected)[0].as<float>().size(); ++i) {
    const double value = (*expected)[0].as<float>()[i];
    ASSERT_NEAR((*actual)[0].as<float>()[i], value, 2e-5 * std::max(1.0, std::abs(value))) << i;
  }
  EXPECT_EQ((*one)[0].data, (*actual)[0].data) << "threads changed a result";
}

/// Other register counts and vector lengths make other tiles, and without fused multiply-add other
/// roundings.
void expectSameOnOlderCpus(Describe describe, const Tensor& x, const std::string& type) {
#if defined(__x86_64__)
  Network plain(x, false);
  describe(plain);
  auto expected = plain.run(type);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  for (const char* cpu : {"x86-64", "haswell"}) {
    CodeOptions options;
    options.target.cpu = cpu;
    Network blocked(x, true);
    describe(blocked);
    auto actual = blocked.run(type, options);
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    for (size_t i = 0; i < (*expected)[0].as<float>().size(); ++i) {
      ASSERT_NEAR((*actual)[0].as<float>()[i], (*expected)[0].as<float>()[i], 2e-5) << cpu;
    }
  }
#endif
}

TEST(BlockedTest, OlderCpus) {
  expectSameOnOlderCpus(
      [](Network& n) {
        n.op(fmt::format(
            "%y = graph.conv %x, {} {{strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, "
            "dilations = array<i64: 1, 1>}} : (tensor<1x33x9x9xf32>, tensor<64x33x3x3xf32>) -> "
            "tensor<1x64x9x9xf32>",
            n.weight({64, 33, 3, 3})));
      },
      randomTensor(DType::kF32, {1, 33, 9, 9}, 5), "tensor<1x64x9x9xf32>");
}

std::string conv(const std::string& out, const std::string& in, const std::string& weight,
                 const std::string& types, int stride, int pad, int dilation = 1, int group = 1,
                 const std::string& bias = "") {
  return fmt::format(
      "{0} = graph.conv {1}, {2}{3} {{strides = array<i64: {4}, {4}>, pads = array<i64: {5}, {5}, "
      "{5}, {5}>, dilations = array<i64: {6}, {6}>, group = {7} : i64}} : {8}",
      out, in, weight, bias.empty() ? "" : ", " + bias, stride, pad, dilation, group, types);
}

TEST(BlockedTest, ResidualBlockWithOddChannels) {
  expectSame(
      [](Network& n) {
        const std::string w0 = n.weight({19, 3, 5, 5}), b0 = n.weight({19}),
                          w1 = n.weight({19, 19, 3, 3}), w2 = n.weight({19, 19, 3, 3}),
                          b2 = n.weight({19});
        n.op(conv("%0", "%x", w0,
                  "(tensor<2x3x23x17xf32>, tensor<19x3x5x5xf32>, tensor<19xf32>) -> "
                  "tensor<2x19x12x9xf32>",
                  2, 2, 1, 1, b0))
            .op("%1 = graph.unary relu %0 : (tensor<2x19x12x9xf32>) -> tensor<2x19x12x9xf32>")
            .op(conv("%2", "%1", w1,
                     "(tensor<2x19x12x9xf32>, tensor<19x19x3x3xf32>) -> tensor<2x19x12x9xf32>", 1,
                     1))
            .op("%3 = graph.unary leaky_relu %2 {alpha = 0.1 : f64} : (tensor<2x19x12x9xf32>) -> "
                "tensor<2x19x12x9xf32>")
            .op(conv("%4", "%3", w2,
                     "(tensor<2x19x12x9xf32>, tensor<19x19x3x3xf32>, tensor<19xf32>) -> "
                     "tensor<2x19x12x9xf32>",
                     1, 2, 2, 1, b2))
            .op("%5 = graph.binary add %1, %4 : (tensor<2x19x12x9xf32>, tensor<2x19x12x9xf32>) -> "
                "tensor<2x19x12x9xf32>")
            .op("%y = graph.clip %5 {min = -0.5 : f64, max = 0.75 : f64} : "
                "(tensor<2x19x12x9xf32>) -> tensor<2x19x12x9xf32>");
      },
      randomTensor(DType::kF32, {2, 3, 23, 17}, 1), "tensor<2x19x12x9xf32>");
}

TEST(BlockedTest, DepthwiseSeparableWithBatchNorm) {
  expectSame(
      [](Network& n) {
        const std::string dw = n.weight({24, 1, 3, 3}), pw = n.weight({40, 24, 1, 1}),
                          s = n.weight({40}, 0.5, 2), b = n.weight({40}), m = n.weight({40}),
                          v = n.weight({40}, 0.5, 2);
        n.op(conv("%0", "%x", dw,
                  "(tensor<1x24x15x15xf32>, tensor<24x1x3x3xf32>) -> tensor<1x24x8x8xf32>", 2, 1, 1,
                  24))
            .op(conv("%1", "%0", pw,
                     "(tensor<1x24x8x8xf32>, tensor<40x24x1x1xf32>) -> tensor<1x40x8x8xf32>", 1, 0))
            .op(fmt::format("%2 = graph.batch_norm %1, {}, {}, {}, {} {{epsilon = 1.0e-5 : f64}} "
                            ": (tensor<1x40x8x8xf32>, tensor<40xf32>, tensor<40xf32>, "
                            "tensor<40xf32>, tensor<40xf32>) -> tensor<1x40x8x8xf32>",
                            s, b, m, v))
            .op("%3 = graph.unary relu %2 : (tensor<1x40x8x8xf32>) -> tensor<1x40x8x8xf32>")
            .op("%y = graph.avg_pool %3 {kernel = array<i64: 8, 8>, strides = array<i64: 1, 1>, "
                "pads = array<i64: 0, 0, 0, 0>} : (tensor<1x40x8x8xf32>) -> tensor<1x40x1x1xf32>");
      },
      randomTensor(DType::kF32, {1, 24, 15, 15}, 2), "tensor<1x40x1x1xf32>");
}

TEST(BlockedTest, CodeSaysWhichConvolutionsHaveAScheduleThatWasFound) {
  const Tensor weight = randomTensor(DType::kF32, {16, 16, 1, 1}, 4);
  const auto layer = [](const char* to, const char* from) {
    return conv(to, from, "%w",
                "(tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>", 1, 0) +
           fmt::format(" loc(\"{}\")\n", to + 1);
  };
  const std::string text = fmt::format(
      "func.func @f(%x: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {{\n"
      "%w = arith.constant {}\n{}{}{}return %c : tensor<1x16x8x8xf32> }}",
      mlirConstant(weight), layer("%a", "%x"), layer("%b", "%a"), layer("%c", "%b"));
  CpuOptions of_cpu;
  of_cpu.find_schedule =
      [](const blocked::ConvLayer& layer) -> std::optional<blocked::ConvSchedule> {
    if (layer.name == "a") return std::nullopt;
    blocked::ConvSchedule schedule;
    if (layer.name == "b") schedule.rows = 0;  // not legal
    return schedule;
  };
  CodeOptions options;
  setCpuOptions(options, of_cpu);
  const auto code = compileText(text, options);
  ASSERT_TRUE(code.ok()) << code.status().message();
  std::vector<std::string> notes;
  for (const LayerNote& note : code->notes) {
    notes.push_back(note.function + " " + note.layer + ": " + note.text);
  }
  EXPECT_THAT(notes, ::testing::ElementsAre("f a: default schedule", "f b: default schedule",
                                            "f c: tuned schedule"));
}

TEST(BlockedTest, ConcatPoolsAndAValueThatLeavesTwice) {
  expectSame(
      [](Network& n) {
        const std::string w0 = n.weight({32, 20, 1, 1}), w1 = n.weight({5, 20, 3, 3}),
                          w2 = n.weight({7, 37, 3, 3}), c = n.weight({1, 7, 1, 1});
        n.op(conv("%0", "%x", w0,
                  "(tensor<1x20x13x13xf32>, tensor<32x20x1x1xf32>) -> tensor<1x32x13x13xf32>", 1,
                  0))
            .op(conv("%1", "%x", w1,
                     "(tensor<1x20x13x13xf32>, tensor<5x20x3x3xf32>) -> tensor<1x5x13x13xf32>", 1,
                     1))
            .op("%2 = graph.concat %0, %1 {axis = 1 : i64} : (tensor<1x32x13x13xf32>, "
                "tensor<1x5x13x13xf32>) -> tensor<1x37x13x13xf32>")
            .op("%3 = graph.max_pool %2 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, "
                "pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : "
                "(tensor<1x37x13x13xf32>) -> tensor<1x37x7x7xf32>")
            .op(conv("%4", "%3", w2,
                     "(tensor<1x37x7x7xf32>, tensor<7x37x3x3xf32>) -> tensor<1x7x7x7xf32>", 1, 1))
            .op(fmt::format("%5 = graph.binary mul %4, {} : (tensor<1x7x7x7xf32>, "
                            "tensor<1x7x1x1xf32>) -> tensor<1x7x7x7xf32>",
                            c))
            .op("%6 = graph.unary sigmoid %5 : (tensor<1x7x7x7xf32>) -> tensor<1x7x7x7xf32>")
            .op("%y = graph.binary mul %5, %6 : (tensor<1x7x7x7xf32>, tensor<1x7x7x7xf32>) -> "
                "tensor<1x7x7x7xf32>");
      },
      randomTensor(DType::kF32, {1, 20, 13, 13}, 3), "tensor<1x7x7x7xf32>");
}

TEST(BlockedTest, DenseLayersWithOneRowAndMany) {
  for (const char* rows : {"1", "33"}) {
    const Tensor x = randomTensor(DType::kF32, {std::stoll(rows), 75}, 4);
    // The description has no captures: rows go through the type of `x`.
    static std::string m;
    m = rows;
    expectSame(
        [](Network& n) {
          const std::string w0 = n.weight({75, 50}), b0 = n.weight({50}), w1 = n.weight({50, 10});
          n.op(fmt::format("%0 = graph.matmul %x, {1} : (tensor<{0}x75xf32>, tensor<75x50xf32>) -> "
                           "tensor<{0}x50xf32>",
                           m, w0))
              .op(fmt::format("%1 = graph.binary add %0, {1} : (tensor<{0}x50xf32>, "
                              "tensor<50xf32>) -> tensor<{0}x50xf32>",
                              m, b0))
              .op(fmt::format("%2 = graph.unary relu %1 : (tensor<{0}x50xf32>) -> "
                              "tensor<{0}x50xf32>",
                              m))
              .op(fmt::format("%y = graph.matmul %2, {1} : (tensor<{0}x50xf32>, "
                              "tensor<50x10xf32>) -> tensor<{0}x10xf32>",
                              m, w1));
        },
        x, fmt::format("tensor<{}x10xf32>", rows));
  }
}

}  // namespace
}  // namespace vta::codegen::testing
