// Ops that become one kernel, on every device, beside the CPU: random chains behind random sums.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "tests/host_cpu/host_test_support.h"
#include "tests/host_gpu/gpu_test_support.h"

namespace vta::codegen::testing {
namespace {

/// A convolution of any kind with element-wise ops behind it.
class ChainMaker {
 public:
  explicit ChainMaker(unsigned seed) : random_(seed) {}

  /// Also fills inputs().
  std::string make() {
    is_float_ = pick(0, 1) == 1;
    batch_ = pick(1, 2);
    const int64_t kernel = std::array{1, 1, 3, 3, 5}[pick(0, 4)];
    const int64_t in = std::array{3, 8, 16, 17, 33}[pick(0, 4)];
    const int64_t kind = pick(0, 3);  // every fourth has a window of each channel
    const int64_t group = kind == 0 ? in : 1;
    channels_ = kind == 0 ? in : std::array{1, 8, 9, 16, 70}[pick(0, 4)];
    stride_ = pick(1, 2);
    const int64_t height = pick(1, 9) + kernel, width = std::array{5, 7, 8, 14, 16}[pick(0, 4)];
    pad_ = pick(0, 1) == 1 ? kernel / 2 : 0;
    rows_ = (height + 2 * pad_ - kernel) / stride_ + 1;
    columns_ = (width + 2 * pad_ - kernel) / stride_ + 1;
    const std::string x = input(narrow(), {batch_, in, height, width});
    const std::string w = input(narrow(), {channels_, in / group, kernel, kernel});
    const bool has_bias = pick(0, 2) > 0;
    std::string operands = x + ", " + w, types = typeOf(x) + ", " + typeOf(w);
    if (has_bias) {
      const std::string bias = input(wide(), {channels_});
      operands += ", " + bias;
      types += ", " + typeOf(bias);
    }
    emit(fmt::format("graph.conv {} {{strides = array<i64: {}, {}>, pads = array<i64: {}, {}, {}, "
                     "{}>, dilations = array<i64: 1, 1>, group = {} : i64}} : ({})",
                     operands, stride_, stride_, pad_, pad_, pad_, pad_, group, types),
         wide());
    const int64_t steps = pick(0, 4);
    for (int64_t step = 0; step < steps; ++step) is_float_ ? floatStep() : integerStep();
    if (!is_float_ && pick(0, 3) > 0) toBytes();
    return text();
  }

  const std::vector<Tensor>& inputs() const { return inputs_; }

 private:
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  DType narrow() const { return is_float_ ? DType::kF32 : DType::kI8; }
  DType wide() const { return is_float_ ? DType::kF32 : DType::kI32; }
  std::vector<int64_t> shape() const { return {batch_, channels_, rows_, columns_}; }

  std::string input(DType dtype, const std::vector<int64_t>& shape) {
    const double most = dtype == DType::kF32 ? 2 : dtype == DType::kI8 ? 127 : 60000;
    inputs_.push_back(
        randomTensor(dtype, shape, static_cast<unsigned>(inputs_.size() + 1), -most, most));
    return fmt::format("%arg{}", inputs_.size() - 1);
  }
  std::string typeOf(const std::string& argument) const {
    return mlirType(inputs_[std::stoul(argument.substr(4))]);
  }

  /// The next value is the result of `op`.
  void emit(const std::string& op, DType dtype) {
    const std::string type = mlirType(dtype, shape());
    body_ += fmt::format("  %v{} = {} -> {}\n", ++count_, op, type);
    type_ = type;
  }
  std::string last() const { return fmt::format("%v{}", count_); }

  void binary(const std::string& kind, const std::string& other, const std::string& type) {
    emit(fmt::format("graph.binary {} {}, {} : ({}, {})", kind, last(), other, type_, type),
         wide());
  }

  void floatStep() {
    switch (pick(0, 4)) {
      case 0:
        return emit(fmt::format("graph.unary relu {} : ({})", last(), type_), wide());
      case 1:
        return emit(fmt::format("graph.unary sigmoid {} : ({})", last(), type_), wide());
      case 2:
        return emit(fmt::format("graph.unary hard_swish {} : ({})", last(), type_), wide());
      case 3: {
        const std::string scale = input(wide(), {1, channels_, 1, 1});
        return binary("mul", scale, typeOf(scale));
      }
      default: {
        const std::string residual = input(wide(), shape());
        return binary("add", residual, typeOf(residual));
      }
    }
  }

  void integerStep() {
    switch (pick(0, 3)) {
      case 0: {
        const std::string factor = input(wide(), {1, pick(0, 1) == 1 ? channels_ : 1, 1, 1});
        return emit(fmt::format("graph.qmul {}, {} {{shift = 16 : i64}} : ({}, {})", last(), factor,
                                type_, typeOf(factor)),
                    wide());
      }
      case 1: {
        const std::string residual = input(DType::kI8, shape());
        const std::string from = last(), type = type_;
        emit(fmt::format("graph.cast {} : ({})", residual, typeOf(residual)), wide());
        return emit(fmt::format("graph.binary add {}, {} : ({}, {})", from, last(), type, type_),
                    wide());
      }
      case 2:
        return emit(fmt::format("graph.unary relu {} : ({})", last(), type_), wide());
      default:
        return emit(fmt::format("graph.clip_int {} {{min = -9000 : i64, max = 70 : i64}} : ({})",
                                last(), type_),
                    wide());
    }
  }

  void toBytes() {
    emit(fmt::format("graph.clip_int {} {{min = -128 : i64, max = 127 : i64}} : ({})", last(),
                     type_),
         wide());
    emit(fmt::format("graph.cast {} : ({})", last(), type_), DType::kI8);
  }

  std::string text() const {
    std::string arguments;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      arguments += fmt::format("{}%arg{}: {}", i > 0 ? ", " : "", i, mlirType(inputs_[i]));
    }
    return fmt::format("func.func @f({}) -> {} {{\n{}  return {} : {}\n}}\n", arguments, type_,
                       body_, last(), type_);
  }

  std::mt19937 random_;
  bool is_float_ = false;
  int64_t batch_ = 1, channels_ = 1, rows_ = 1, columns_ = 1, stride_ = 1, pad_ = 0;
  std::vector<Tensor> inputs_;
  std::string body_, type_;
  int count_ = 0;
};

void expectSameChain(unsigned seed, const Gpus& gpus) {
  ChainMaker maker(seed);
  const std::string text = maker.make();
  SCOPED_TRACE(text);
  expectWhatTheCpuGives(text, maker.inputs(), gpus);
}

class ChainTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(ChainTest, GivesWhatTheCpuDoes) { expectSameChain(GetParam(), vulkanGpus()); }

INSTANTIATE_TEST_SUITE_P(All, ChainTest, ::testing::Range(0U, 60U));

class OpenClChainTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(OpenClChainTest, GivesWhatTheCpuDoes) { expectSameChain(GetParam(), openClGpus()); }

INSTANTIATE_TEST_SUITE_P(Some, OpenClChainTest, ::testing::Range(0U, 8U));

class PtxChainTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(PtxChainTest, GivesWhatTheCpuDoes) { expectSameChain(GetParam(), ptxGpus()); }

INSTANTIATE_TEST_SUITE_P(All, PtxChainTest, ::testing::Range(0U, 60U));

size_t dispatchesOf(const std::string& text) {
  const auto made = compileForGpu(text);
  EXPECT_TRUE(made.ok()) << made.status().message();
  return made.ok() ? made->program.dispatches.size() : 0;
}

std::string convolution(const std::string& attributes, const std::string& weight,
                        const std::string& rest) {
  return "func.func @f(%x: tensor<1x16x8x8xi8>, %w: " + weight +
         ", %b: tensor<16xi32>, %r: tensor<1x16x8x8xi8>, %m: tensor<1x16x1x1xi32>) -> "
         "tensor<1x16x8x8xi8> {\n%c = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = "
         "array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>" +
         attributes + "} : (tensor<1x16x8x8xi8>, " + weight +
         ", tensor<16xi32>) -> tensor<1x16x8x8xi32>\n" + rest + "}\n";
}

const std::string kRequantised =
    "%q = graph.qmul %c, %m {shift = 16 : i64} : (tensor<1x16x8x8xi32>, tensor<1x16x1x1xi32>) -> "
    "tensor<1x16x8x8xi32>\n%s = graph.cast %r : (tensor<1x16x8x8xi8>) -> tensor<1x16x8x8xi32>\n%a "
    "= "
    "graph.binary add %q, %s : (tensor<1x16x8x8xi32>, tensor<1x16x8x8xi32>) -> "
    "tensor<1x16x8x8xi32>\n%y = graph.cast %a : (tensor<1x16x8x8xi32>) -> tensor<1x16x8x8xi8>\n"
    "return %y : tensor<1x16x8x8xi8>\n";

TEST(FusionTest, ASumAndWhatIsBehindItAreOneKernelWithoutScratchMemory) {
  for (const std::string& text :
       {convolution(", group = 1 : i64", "tensor<16x16x1x1xi8>", kRequantised),
        convolution(", group = 16 : i64", "tensor<16x1x1x1xi8>", kRequantised)}) {
    const auto made = compileForGpu(text);
    ASSERT_TRUE(made.ok()) << made.status().message();
    EXPECT_EQ(made->program.dispatches.size(), 1U) << text;
    EXPECT_EQ(made->program.scratch_bytes, 0U) << text;
  }
}

TEST(FusionTest, WhatReadsOtherElementsIsAKernelOfItsOwn) {
  const std::string type = "tensor<1x4x8x8xf32>";
  const auto text = [&](const std::string& second) {
    return "func.func @f(%x: " + type + ") -> " + type + " {\n%a = graph.unary relu %x : (" + type +
           ") -> " + type + "\n%b = graph.transpose %a {permutation = array<i64: 0, 1, 3, 2>} : (" +
           type + ") -> " + type + "\n%y = " + second + " -> " + type + "\nreturn %y : " + type +
           "\n}\n";
  };
  // The transposed tensor is added to the one that it is made of.
  const std::string sum = "graph.binary add %a, %b : (" + type + ", " + type + ")";
  EXPECT_EQ(dispatchesOf(text(sum)), 2U);
}

TEST(FusionTest, AnIntermediateResultThatOthersReadIsWrittenToo) {
  const std::string type = "tensor<1x8x8x8xf32>";
  const std::string text =
      "func.func @f(%x: " + type + ", %w: tensor<8x8x1x1xf32>) -> (" + type + ", " + type +
      ") {\n%c = graph.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, "
      "dilations = array<i64: 1, 1>, group = 1 : i64} : (" +
      type + ", tensor<8x8x1x1xf32>) -> " + type + "\n%y = graph.unary relu %c : (" + type +
      ") -> " + type + "\nreturn %c, %y : " + type + ", " + type + "\n}\n";
  EXPECT_EQ(dispatchesOf(text), 1U);
  expectWhatTheCpuGives(
      text,
      {randomTensor(DType::kF32, {1, 8, 8, 8}, 1), randomTensor(DType::kF32, {8, 8, 1, 1}, 2)},
      vulkanGpus());
}

}  // namespace
}  // namespace vta::codegen::testing
