// Networks in int8 with constant weights run on blocked kernels; the same networks with weights as
// inputs run as plain loops. Both must agree bit for bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/host_cpu/host_test_support.h"

namespace vta::codegen::testing {
namespace {

std::string imageType(const std::vector<int64_t>& shape, const std::string& element) {
  std::string text = "tensor<";
  for (const int64_t extent : shape) text += fmt::format("{}x", extent);
  return text + element + ">";
}

/// The text of a function `f` over an int8 input `%x`; weights are constants or further inputs.
class IntegerNetwork {
 public:
  IntegerNetwork(const Tensor& x, bool constant_weights) : constant_(constant_weights) {
    arguments_ = "%x: " + mlirType(x);
    inputs_.push_back(x);
  }

  struct Conv {
    std::string input = "%x";
    std::vector<int64_t> in, out;  // shapes
    int64_t window = 3, stride = 1, pad = 1, dilation = 1, group = 1;
    int64_t pad_value = 0;
  };

  /// 32-bit sums.
  std::string sums(const Conv& c) {
    const std::string weight =
        constant(DType::kI8, {c.out[1], c.in[1] / c.group, c.window, c.window}, -128, 127, true);
    return op(
        fmt::format("graph.conv {}, {} {{strides = array<i64: {}, {}>, pads = array<i64: {}, {}, "
                    "{}, {}>, dilations = array<i64: {}, {}>, group = {} : i64, pad_value = {} : "
                    "i64}}",
                    c.input, weight, c.stride, c.stride, c.pad, c.pad, c.pad, c.pad, c.dilation,
                    c.dilation, c.group, c.pad_value),
        {c.input, weight}, c.out, "i32");
  }

  /// As the quantiser does it with multipliers: bias, multiplication, clip, int8.
  std::string requantised(const std::string& sums, int64_t shift = 16) {
    const std::vector<int64_t>& shape = shapes_.at(sums);
    const int64_t channels = shape[1];
    const std::vector<int64_t> each = shape.size() == 4 ? std::vector<int64_t>{1, channels, 1, 1}
                                                        : std::vector<int64_t>{channels};
    const std::string bias = constant(DType::kI32, each, -40000, 40000);
    const std::string biased = binary("add", sums, bias);
    const std::string factors = constant(DType::kI32, each, 20, 120);
    return narrowed(
        op(fmt::format("graph.qmul {}, {} {{shift = {} : i64}}", biased, factors, shift),
           {biased, factors}, shape, "i32"));
  }

  std::string narrowed(const std::string& wide, int64_t low = -128, int64_t high = 127) {
    const std::vector<int64_t> shape = shapes_.at(wide);
    const std::string clipped =
        op(fmt::format("graph.clip_int {} {{min = {} : i64, max = {} : i64}}", wide, low, high),
           {wide}, shape, "i32");
    return op(fmt::format("graph.cast {}", clipped), {clipped}, shape, "i8");
  }

  std::string widened(const std::string& image) {
    return op(fmt::format("graph.cast {}", image), {image}, shapes_.at(image), "i32");
  }

  std::string binary(const std::string& kind, const std::string& lhs, const std::string& rhs) {
    return op(fmt::format("graph.binary {} {}, {}", kind, lhs, rhs), {lhs, rhs}, shapes_.at(lhs),
              "i32");
  }

  std::string op(const std::string& text, const std::vector<std::string>& operands,
                 const std::vector<int64_t>& shape, const std::string& element) {
    const std::string name = fmt::format("%v{}", count_++);
    std::string types;
    for (const std::string& operand : operands) {
      types += (types.empty() ? "" : ", ") +
               (operand == "%x" ? mlirType(inputs_[0]) : types_.at(operand));
    }
    types_[name] = imageType(shape, element);
    shapes_[name] = shape;
    body_ += fmt::format("{} = {} : ({}) -> {}\n", name, text, types, types_[name]);
    return name;
  }

  /// Random numbers. Weights are the function's inputs where constants are not wanted.
  std::string constant(DType dtype, const std::vector<int64_t>& shape, double low, double high,
                       bool is_weight = false) {
    const Tensor tensor =
        randomTensor(dtype, shape, 1000 + static_cast<unsigned>(count_), low, high);
    const std::string name = fmt::format("%v{}", count_++);
    types_[name] = mlirType(tensor);
    shapes_[name] = shape;
    if (constant_ || !is_weight) {
      body_ += fmt::format("{} = arith.constant {}\n", name, mlirConstant(tensor));
    } else {
      arguments_ += fmt::format(", {}: {}", name, mlirType(tensor));
      inputs_.push_back(tensor);
    }
    return name;
  }

  Result<std::vector<Tensor>> run(const std::string& result, const CodeOptions& options = {}) {
    const std::string text =
        fmt::format("func.func @f({}) -> {} {{\n{}return {} : {} }}", arguments_, types_.at(result),
                    body_, result, types_.at(result));
    return compileAndRun(text, inputs_, options);
  }

 private:
  bool constant_;
  int count_ = 0;
  std::string arguments_, body_;
  std::vector<Tensor> inputs_;
  std::map<std::string, std::string> types_;
  std::map<std::string, std::vector<int64_t>> shapes_;
};

using DescribeIntegers = std::function<std::string(IntegerNetwork&)>;

/// CPUs with instructions for four products, for two, and for narrow vectors of two.
std::vector<std::string> cpusToTry() {
#if defined(__x86_64__)
  return {"", "haswell", "x86-64"};
#else
  return {""};
#endif
}

void expectSameBits(const DescribeIntegers& describe, const std::vector<int64_t>& shape) {
  const Tensor x = randomTensor(DType::kI8, shape, 7, -128, 127);
  IntegerNetwork plain(x, false);
  const auto expected = plain.run(describe(plain));
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  for (const std::string& cpu : cpusToTry()) {
    for (const bool is_parallel : {true, false}) {
      if (!cpu.empty() && is_parallel) continue;
      CodeOptions options;
      options.target.cpu = cpu;
      options.parallel = is_parallel;
      IntegerNetwork blocked(x, true);
      const auto actual = blocked.run(describe(blocked), options);
      ASSERT_TRUE(actual.ok()) << actual.status().message();
      EXPECT_EQ((*actual)[0].data, (*expected)[0].data) << cpu << " parallel " << is_parallel;
    }
  }
}

TEST(BlockedIntegers, ConvolutionsWithOddChannelsAndPadding) {
  expectSameBits(
      [](IntegerNetwork& n) {
        const std::string a = n.requantised(n.sums({.in = {2, 3, 23, 17},
                                                    .out = {2, 19, 12, 9},
                                                    .window = 5,
                                                    .stride = 2,
                                                    .pad = 2,
                                                    .pad_value = -7}));
        const std::string b = n.requantised(
            n.sums({.input = a, .in = {2, 19, 12, 9}, .out = {2, 37, 12, 9}, .pad_value = 127}),
            18);
        return n.requantised(n.sums({.input = b,
                                     .in = {2, 37, 12, 9},
                                     .out = {2, 20, 12, 9},
                                     .pad = 2,
                                     .dilation = 2,
                                     .pad_value = -128}),
                             19);
      },
      {2, 3, 23, 17});
}

TEST(BlockedIntegers, DepthwiseWindowsOfAllKinds) {
  for (const auto& [window, stride, dilation] :
       {std::tuple(3, 1, 1), std::tuple(3, 2, 1), std::tuple(5, 1, 1), std::tuple(3, 1, 2),
        std::tuple(1, 2, 1), std::tuple(7, 2, 1)}) {
    const int64_t pad = window / 2 * dilation, extent = (15 - 1) / stride + 1;
    expectSameBits(
        [&](IntegerNetwork& n) {
          return n.requantised(n.sums({.in = {1, 40, 15, 15},
                                       .out = {1, 40, extent, extent},
                                       .window = window,
                                       .stride = stride,
                                       .pad = pad,
                                       .dilation = dilation,
                                       .group = 40,
                                       .pad_value = 3}),
                               13);
        },
        {1, 40, 15, 15});
  }
}

TEST(BlockedIntegers, ResidualsPoolsAndConcatenations) {
  expectSameBits(
      [](IntegerNetwork& n) {
        const std::vector<int64_t> shape = {1, 32, 14, 14};
        const std::string a = n.requantised(n.sums({.in = shape, .out = shape}), 17);
        const std::string sums = n.sums({.input = a, .in = shape, .out = shape, .pad_value = 5});
        const std::string scaled =
            n.binary("mul", n.widened(a), n.constant(DType::kI32, {1, 32, 1, 1}, 200, 300));
        const std::string b = n.requantised(n.binary("add", sums, scaled), 17);
        const std::string pooled =
            n.op(fmt::format("graph.max_pool {} {{kernel = array<i64: 3, 3>, strides = array<i64: "
                             "2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}}",
                             b),
                 {b}, {1, 32, 7, 7}, "i8");
        const std::string left = n.requantised(n.sums({.input = pooled,
                                                       .in = {1, 32, 7, 7},
                                                       .out = {1, 16, 7, 7},
                                                       .window = 1,
                                                       .pad = 0}),
                                               15);
        const std::string right =
            n.requantised(n.sums({.input = pooled, .in = {1, 32, 7, 7}, .out = {1, 24, 7, 7}}), 18);
        const std::string joined =
            n.op(fmt::format("graph.concat {}, {} {{axis = 1 : i64}}", left, right), {left, right},
                 {1, 40, 7, 7}, "i8");
        const std::string doubled = n.binary("add", n.widened(joined), n.widened(joined));
        const std::string bounded =
            n.binary("max", doubled, n.constant(DType::kI32, {1}, -60, -60));
        return n.narrowed(bounded, -50, 90);
      },
      {1, 32, 14, 14});
}

TEST(BlockedIntegers, ShiftsToBothSides) {
  expectSameBits(
      [](IntegerNetwork& n) {
        const std::string sums =
            n.sums({.in = {1, 16, 8, 8}, .out = {1, 17, 8, 8}, .window = 1, .pad = 0});
        const std::string amounts = n.constant(DType::kI32, {1, 17, 1, 1}, 2, 12);
        const std::string right = n.op(fmt::format("graph.shr {}, {}", sums, amounts),
                                       {sums, amounts}, {1, 17, 8, 8}, "i32");
        const std::string back = n.constant(DType::kI32, {1, 17, 1, 1}, -32, 1);
        const std::string left =
            n.op(fmt::format("graph.shr {}, {}", right, back), {right, back}, {1, 17, 8, 8}, "i32");
        return n.narrowed(n.binary("sub", left, right));
      },
      {1, 16, 8, 8});
}

TEST(BlockedIntegers, ProductsThatLeave32BitsAreSaturated) {
  for (const int64_t shift : {0, 1, 40, 62}) {
    expectSameBits(
        [&](IntegerNetwork& n) {
          const std::string sums = n.sums({.in = {1, 16, 6, 6}, .out = {1, 16, 6, 6}});
          const std::string factors = n.constant(DType::kI32, {1, 16, 1, 1}, -2e9, 2e9);
          const std::string scaled =
              n.op(fmt::format("graph.qmul {}, {} {{shift = {} : i64}}", sums, factors, shift),
                   {sums, factors}, {1, 16, 6, 6}, "i32");
          const std::string amount = n.constant(DType::kI32, {1}, 24, 24);
          return n.narrowed(n.op(fmt::format("graph.shr {}, {}", scaled, amount), {scaled, amount},
                                 {1, 16, 6, 6}, "i32"));
        },
        {1, 16, 6, 6});
  }
}

TEST(BlockedIntegers, HalvesGoAwayFromZero) {
  // Factors that give many halves, and large ones that give none within the clip.
  for (const auto& [low, high, shift] :
       {std::tuple(-3, 3, 4), std::tuple(-12, 12, 6), std::tuple(900, 1100, 16),
        std::tuple(3 << 13, 3 << 13, 24), std::tuple(-(5 << 12), -(5 << 12), 23),
        std::tuple(1 << 20, (1 << 20) + 2, 32), std::tuple(1 << 28, 1 << 28, 40)}) {
    for (const int64_t least : {-128, -9}) {
      expectSameBits(
          [&](IntegerNetwork& n) {
            const std::vector<int64_t> shape = {1, 24, 6, 6};
            const std::string sums =
                n.sums({.in = {1, 4, 6, 6}, .out = shape, .window = 1, .pad = 0});
            const std::string even = n.binary("mul", sums, n.constant(DType::kI32, {1}, 2, 2));
            const std::string factors = n.constant(DType::kI32, {1, 24, 1, 1}, low, high);
            const std::string scaled =
                n.op(fmt::format("graph.qmul {}, {} {{shift = {} : i64}}", even, factors, shift),
                     {even, factors}, shape, "i32");
            const std::string offset = n.constant(DType::kI32, {1}, -4, 4);
            return n.narrowed(n.binary("add", scaled, offset), least);
          },
          {1, 4, 6, 6});
    }
  }
}

TEST(BlockedIntegers, FactorsAboveAQuarter) {
  // Some channels have them; in the last row products of sums with a bias saturate.
  for (const auto& [low, high, shift, bias] :
       {std::tuple(1, 3000, 12, 1000), std::tuple(-90, 90, 0, 9),
        std::tuple(1 << 20, 1 << 28, 20, 2), std::tuple(1, 1 << 30, 8, 1 << 30)}) {
    expectSameBits(
        [&](IntegerNetwork& n) {
          const std::vector<int64_t> shape = {1, 24, 6, 6}, each = {1, 24, 1, 1};
          const std::string sums =
              n.sums({.in = {1, 4, 6, 6}, .out = shape, .window = 1, .pad = 0});
          const std::string biased =
              n.binary("add", sums, n.constant(DType::kI32, each, -bias, bias));
          const std::string factors = n.constant(DType::kI32, each, low, high);
          return n.narrowed(
              n.op(fmt::format("graph.qmul {}, {} {{shift = {} : i64}}", biased, factors, shift),
                   {biased, factors}, shape, "i32"));
        },
        {1, 4, 6, 6});
  }
}

TEST(BlockedIntegers, DenseLayers) {
  for (const int64_t rows : {1, 5}) {
    expectSameBits(
        [&](IntegerNetwork& n) {
          const std::string first = n.constant(DType::kI8, {37, 50}, -128, 127, true);
          const std::string sums =
              n.op(fmt::format("graph.matmul %x, {}", first), {"%x", first}, {rows, 50}, "i32");
          const std::string hidden = n.requantised(sums);
          const std::string second = n.constant(DType::kI8, {50, 10}, -128, 127, true);
          return n.requantised(n.op(fmt::format("graph.matmul {}, {}", hidden, second),
                                    {hidden, second}, {rows, 10}, "i32"));
        },
        {rows, 37});
  }
}

TEST(BlockedIntegers, WhatKernelsDoNotTakeStaysPlain) {
  // Two paddings of one image, a group that is neither, sums that two ops read.
  expectSameBits(
      [](IntegerNetwork& n) {
        const std::vector<int64_t> shape = {1, 32, 9, 9};
        const std::string a =
            n.requantised(n.sums({.in = shape, .out = shape, .pad_value = 1}), 17);
        const std::string b =
            n.requantised(n.sums({.in = shape, .out = shape, .pad_value = 2}), 17);
        const std::string c = n.requantised(
            n.sums({.input = a, .in = shape, .out = shape, .group = 4, .pad_value = 1}), 15);
        const std::string shared = n.sums({.input = b, .in = shape, .out = shape});
        const std::string d = n.requantised(shared, 17), e = n.requantised(shared, 18);
        const std::string sum = n.binary("add", n.widened(d), n.widened(e));
        return n.narrowed(n.binary("add", sum, n.widened(c)));
      },
      {1, 32, 9, 9});
}

}  // namespace
}  // namespace vta::codegen::testing
