// Floats that lie in a GPU's memory in 16 bits, on every device, beside the CPU's.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/host_cpu/host_test_support.h"
#include "tests/host_gpu/gpu_test_support.h"

namespace vta::codegen::testing {
namespace {

using ::testing::HasSubstr;

struct HalfCase {
  std::string name;
  std::vector<std::vector<int64_t>> inputs;
  std::string body;  // of %a, %b, ... to %y; {0} is the type of %a
  std::vector<int64_t> result;
};

void PrintTo(const HalfCase& test, std::ostream* stream) { *stream << test.name; }

std::string textOf(const HalfCase& test) {
  std::string arguments;
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    arguments += fmt::format("{}%{}: {}", i > 0 ? ", " : "", static_cast<char>('a' + i),
                             mlirType(DType::kF32, test.inputs[i]));
  }
  const std::string result = mlirType(DType::kF32, test.result);
  return fmt::format("func.func @f({}) -> {} {{\n{}\nreturn %y : {}\n}}\n", arguments, result,
                     test.body, result);
}

void expectSameHalves(const HalfCase& test, const Gpus& gpus) {
  std::vector<Tensor> inputs;
  for (const std::vector<int64_t>& shape : test.inputs) {
    inputs.push_back(
        randomTensor(DType::kF32, shape, static_cast<unsigned>(inputs.size() + 1), -2, 2));
  }
  expectWhatTheCpuGives(textOf(test), inputs, gpus, {.precision = GpuPrecision::kFloat16});
}

const std::string kWindow =
    "{strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, "
    "group = 1 : i64}";
const std::string kImages = "tensor<1x16x9x8xf32>", kFilters = "tensor<24x16x3x3xf32>",
                  kMaps = "tensor<1x24x9x8xf32>", kSquare = "tensor<24x24x3x3xf32>";

const std::vector<HalfCase> kCases = {
    {"matmul",
     {{33, 45}, {45, 70}},
     "%y = graph.matmul %a, %b : (tensor<33x45xf32>, tensor<45x70xf32>) -> tensor<33x70xf32>",
     {33, 70}},
    {"matmul_of_whole_chunks",
     {{64, 128}, {128, 48}},
     "%y = graph.matmul %a, %b : (tensor<64x128xf32>, tensor<128x48xf32>) -> tensor<64x48xf32>",
     {64, 48}},
    {"matmul_of_a_batch",
     {{2, 17, 40}, {2, 40, 24}},
     "%y = graph.matmul %a, %b : (tensor<2x17x40xf32>, tensor<2x40x24xf32>) -> tensor<2x17x24xf32>",
     {2, 17, 24}},
    {"two_convs",
     {{1, 16, 9, 8}, {24, 16, 3, 3}, {24}, {24, 24, 3, 3}},
     "%u = graph.conv %a, %b, %c " + kWindow + " : (" + kImages + ", " + kFilters +
         ", tensor<24xf32>) -> " + kMaps + "\n%r = graph.unary relu %u : (" + kMaps + ") -> " +
         kMaps + "\n%v = graph.conv %r, %d " + kWindow + " : (" + kMaps + ", " + kSquare + ") -> " +
         kMaps + "\n%y = graph.binary add %v, %r : (" + kMaps + ", " + kMaps + ") -> " + kMaps,
     {1, 24, 9, 8}},
    {"convs_without_steps_between",
     {{1, 16, 9, 8}, {24, 16, 3, 3}, {24, 24, 3, 3}},
     "%u = graph.conv %a, %b " + kWindow + " : (" + kImages + ", " + kFilters + ") -> " + kMaps +
         "\n%y = graph.conv %u, %c " + kWindow + " : (" + kMaps + ", " + kSquare + ") -> " + kMaps,
     {1, 24, 9, 8}},
    {"moves_and_functions",
     {{3, 5, 7}},
     "%s = graph.unary sigmoid %a : (tensor<3x5x7xf32>) -> tensor<3x5x7xf32>\n"
     "%t = graph.transpose %s {permutation = array<i64: 2, 0, 1>} : (tensor<3x5x7xf32>) -> "
     "tensor<7x3x5xf32>\n%u = graph.unary relu %t : (tensor<7x3x5xf32>) -> tensor<7x3x5xf32>\n"
     "%v = graph.concat %t, %u {axis = 1 : i64} : (tensor<7x3x5xf32>, tensor<7x3x5xf32>) -> "
     "tensor<7x6x5xf32>\n%y = graph.softmax %v {axis = 1 : i64} : (tensor<7x6x5xf32>) -> "
     "tensor<7x6x5xf32>",
     {7, 6, 5}},
};

class HalvesTest : public ::testing::TestWithParam<HalfCase> {};
TEST_P(HalvesTest, AreWithinTheirDigitsOnVulkan) { expectSameHalves(GetParam(), vulkanGpus()); }
TEST_P(HalvesTest, AreWithinTheirDigitsInOpenCl) { expectSameHalves(GetParam(), openClGpus()); }
TEST_P(HalvesTest, AreWithinTheirDigitsInPtx) { expectSameHalves(GetParam(), ptxGpus()); }

INSTANTIATE_TEST_SUITE_P(All, HalvesTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(Halves, ConstantsAreStoredAsHalves) {
  const auto made = compileForGpu(
      "func.func @f(%a: tensor<16x8xf32>) -> tensor<16x8xf32> {\n"
      "%w = arith.constant dense<0.333333343> : tensor<8x8xf32>\n"
      "%m = graph.matmul %a, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>\n"
      "%b = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>\n"
      "%y = graph.binary add %m, %b : (tensor<16x8xf32>, tensor<8xf32>) -> tensor<16x8xf32>\n"
      "return %y : tensor<16x8xf32> }",
      {.precision = GpuPrecision::kFloat16});
  ASSERT_TRUE(made.ok()) << made.status().message();
  ASSERT_EQ(made->constants.size(), 2U);
  std::vector<DType> types;
  for (const Tensor& constant : made->constants) types.push_back(constant.dtype);
  // What is added element by element keeps its digits.
  EXPECT_THAT(types, ::testing::UnorderedElementsAre(DType::kF16, DType::kF32));
}

TEST(Halves, TensorCoresMultiplyThem) {
  const auto made = compileForGpu(textOf(kCases[1]), {.precision = GpuPrecision::kFloat16});
  ASSERT_TRUE(made.ok()) << made.status().message();
  std::string text;
  for (const GpuKernel& kernel : made->program.kernels) {
    for (const GpuCode& code : kernel.codes) {
      if (code.target == "sm_80") text += code.text();
    }
  }
  EXPECT_THAT(text, HasSubstr("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"));
}

}  // namespace
}  // namespace vta::codegen::testing
