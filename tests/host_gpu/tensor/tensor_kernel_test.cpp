// Products on tensor cores: their PTX on this processor, bit for bit what the CPU computes.
#include "host_gpu/tensor/tensor_kernel.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "tests/driver/gpu/ptx/ptx_device.h"
#include "tests/host_cpu/host_test_support.h"
#include "tests/host_gpu/gpu_test_support.h"

namespace vta::codegen::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct TensorCase {
  std::string name;
  std::vector<int64_t> left, right, out;
  std::string attributes{};  // of a convolution; else it is a product of matrices
};

void PrintTo(const TensorCase& test, std::ostream* stream) { *stream << test.name; }

const std::string kPadded =
    "pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64}";
const std::string kPoint =
    "{strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, "
    "group = 1 : i64}";

std::string textOf(const TensorCase& test, DType dtype, DType sum) {
  const std::string left = mlirType(dtype, test.left), right = mlirType(dtype, test.right);
  const std::string out = mlirType(sum, test.out);
  const bool is_conv = !test.attributes.empty();
  const std::string bias = mlirType(sum, {is_conv ? test.right[0] : 1});
  return fmt::format(
      "func.func @f(%a: {}, %b: {}, %c: {}) -> {} {{\n%y = graph.{} %a, %b{} {} : ({}, {}{}) -> "
      "{}\nreturn %y : {}\n}}\n",
      left, right, bias, out, is_conv ? "conv" : "matmul", is_conv ? ", %c" : "", test.attributes,
      left, right, is_conv ? ", " + bias : "", out, out);
}

const GpuCode* codeFor(const GpuKernel& kernel, const std::string& target) {
  for (const GpuCode& code : kernel.codes) {
    if (code.target == target) return &code;
  }
  return nullptr;
}

class TensorKernelTest : public ::testing::TestWithParam<TensorCase> {};
class TensorPartsTest : public ::testing::TestWithParam<TensorCase> {};

void expectSameBytes(const TensorCase& test, const GpuChoice& choice) {
  const bool is_conv = !test.attributes.empty();
  expectWhatTheCpuGives(
      textOf(test, DType::kI8, DType::kI32),
      {randomTensor(DType::kI8, test.left, 1, -128, 127),
       randomTensor(DType::kI8, test.right, 2, -128, 127),
       // Some sums leave the range of 32 bits.
       randomTensor(DType::kI32, {is_conv ? test.right[0] : 1}, 3, -2147483648.0, 2147483647.0)},
      {driver::test::openPtxDevice("sm_80"), driver::test::openPtxDevice("sm_90")}, choice);
}

TEST_P(TensorKernelTest, GivesWhatTheCpuDoes) { expectSameBytes(GetParam(), {}); }

// Where the steps of tensor cores are fewer than the parts, the text for all GPUs runs.
TEST_P(TensorPartsTest, GiveTheSame) {
  for (const int64_t parts : {2, 3}) {
    expectSameBytes(GetParam(), {.schedule = GemmSchedule{.split_grid = parts}});
  }
}

const std::vector<TensorCase> kTensorCases = {
    TensorCase{"of_one_block", {32, 64}, {64, 32}, {32, 32}},
    TensorCase{"of_odd_sizes", {33, 45}, {45, 70}, {33, 70}},
    TensorCase{"of_words", {24, 20}, {20, 24}, {24, 24}},
    TensorCase{"of_double_words", {24, 200}, {200, 31}, {24, 31}},
    TensorCase{"of_many_steps", {17, 528}, {528, 40}, {17, 40}},
    TensorCase{"of_a_batch", {3, 20, 48}, {3, 48, 36}, {3, 20, 36}},
    TensorCase{"of_blocks_of_64", {200, 130}, {130, 600}, {200, 600}},
    TensorCase{"conv",
               {1, 16, 9, 11},
               {24, 16, 3, 3},
               {1, 24, 9, 11},
               "{strides = array<i64: 1, 1>, " + kPadded},
    TensorCase{"conv_of_a_batch",
               {2, 17, 9, 11},
               {40, 17, 3, 3},
               {2, 40, 5, 6},
               "{strides = array<i64: 2, 2>, " + kPadded},
    TensorCase{"conv_of_points", {1, 48, 8, 8}, {33, 48, 1, 1}, {1, 33, 8, 8}, kPoint},
    // Both factors lie along the depth.
    TensorCase{"conv_of_vectors", {20, 160, 1, 1}, {40, 160, 1, 1}, {20, 40, 1, 1}, kPoint}};

INSTANTIATE_TEST_SUITE_P(All, TensorKernelTest, ::testing::ValuesIn(kTensorCases),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(All, TensorPartsTest, ::testing::ValuesIn(kTensorCases),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Large, TensorKernelTest,
                         ::testing::Values(TensorCase{
                             "of_large_blocks", {520, 70}, {70, 1030}, {520, 1030}}),
                         [](const auto& info) { return info.param.name; });

GpuProgram programOf(const TensorCase& test, DType dtype, DType sum) {
  const auto made = compileForGpu(textOf(test, dtype, sum));
  EXPECT_TRUE(made.ok()) << made.status().message();
  return made.ok() ? made->program : GpuProgram();
}

TEST(TensorKernel, StandsInFrontOfTheTextForAllGpus) {
  const GpuProgram program = programOf(
      {"", {20, 160, 1, 1}, {40, 160, 1, 1}, {20, 40, 1, 1}, kPoint}, DType::kI8, DType::kI32);
  ASSERT_EQ(program.kernels.size(), 1U);
  const GpuKernel& kernel = program.kernels.front();
  ASSERT_GE(kernel.codes.size(), 2U);
  EXPECT_EQ(kernel.codes.back().target, "sm_75");
  EXPECT_FALSE(kernel.codes.back().launch);
  const GpuCode& group = kernel.codes[kernel.codes.size() - 3];
  EXPECT_EQ(group.target, kGroupArchitecture);
  ASSERT_TRUE(group.launch);
  EXPECT_EQ(group.launch->workgroup_size[0] % 128, 0U);
  EXPECT_THAT(group.text(), HasSubstr(".version 8.0\n.target sm_90a"));
  EXPECT_THAT(group.text(), HasSubstr("wgmma.mma_async.sync.aligned.m64n"));
  EXPECT_THAT(group.text(), HasSubstr("fence.proxy.async.shared::cta"));
  EXPECT_THAT(group.text(), Not(HasSubstr("satfinite")));
  EXPECT_THAT(group.text(), Not(HasSubstr(".local")));
  const GpuCode& tensor = kernel.codes[kernel.codes.size() - 2];
  EXPECT_EQ(tensor.target, kTensorArchitecture);
  ASSERT_TRUE(tensor.launch);
  EXPECT_EQ(tensor.launch->workgroup_size[0] % 32, 0U);
  const std::string text = tensor.text();
  EXPECT_THAT(text, HasSubstr(".version 7.0\n.target sm_80"));
  EXPECT_THAT(text, HasSubstr("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"));
  EXPECT_THAT(text, HasSubstr("ldmatrix.sync.aligned.m8n8.x4.shared.b16"));
  EXPECT_THAT(text, HasSubstr("cp.async.cg.shared.global"));
  EXPECT_THAT(text, Not(HasSubstr("satfinite")));
  EXPECT_THAT(text, Not(HasSubstr(".local")));
}

// Four warps read rows of depth alone. Half floats that lie along columns are turned by each warp.
TEST(TensorKernel, FourWarpsMultiplyWhatLiesAlongTheDepth) {
  const auto has_group = [](const TensorCase& test) {
    const auto made = compileForGpu(textOf(test, DType::kF32, DType::kF32),
                                    {.precision = GpuPrecision::kFloat16});
    EXPECT_TRUE(made.ok()) << made.status().message();
    if (!made.ok()) return false;
    return std::ranges::any_of(made->program.kernels, [](const GpuKernel& kernel) {
      return codeFor(kernel, kGroupArchitecture) != nullptr;
    });
  };
  EXPECT_TRUE(has_group({"",
                         {1, 16, 9, 11},
                         {24, 16, 3, 3},
                         {1, 24, 9, 11},
                         "{strides = array<i64: 1, 1>, " + kPadded}));
  EXPECT_FALSE(has_group({"", {24, 400}, {400, 40}, {24, 40}}));
}

TEST(TensorKernel, SharesTheDepthAsTheOtherTextDoes) {
  const TensorCase test{"", {24, 400}, {400, 40}, {24, 40}};
  for (const DType dtype : {DType::kI8, DType::kF32}) {
    const GpuChoice choice{
        .precision = dtype == DType::kI8 ? GpuPrecision::kFloat32 : GpuPrecision::kFloat16,
        .schedule = GemmSchedule{.split_grid = 3}};
    const std::string text = textOf(test, dtype, dtype == DType::kI8 ? DType::kI32 : dtype);
    const auto made = compileForGpu(text, choice);
    ASSERT_TRUE(made.ok()) << made.status().message();
    const GpuProgram& program = made->program;
    const size_t product = program.dispatches.size() - 2;  // halves are made in front of it
    const GpuCode* tensor =
        codeFor(program.kernels[program.dispatches[product].kernel], kTensorArchitecture);
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(tensor->launch->workgroups[2], 3U);
    EXPECT_EQ(program.dispatches[product].workgroups[2], 3U);
    EXPECT_GE(program.scratch_bytes, 3U * 24 * 40 * 4);
    expectWhatTheCpuGives(
        text,
        {randomTensor(dtype, test.left, 1, -2, 2), randomTensor(dtype, test.right, 2, -2, 2),
         randomTensor(dtype == DType::kI8 ? DType::kI32 : dtype, {1}, 3, 0, 0)},
        {driver::test::openPtxDevice("sm_80")}, choice);
  }
}

TEST(TensorKernel, FloatsHaveNone) {
  const GpuProgram program =
      programOf({"", {32, 64}, {64, 32}, {32, 32}}, DType::kF32, DType::kF32);
  for (const GpuKernel& kernel : program.kernels) {
    EXPECT_EQ(codeFor(kernel, kTensorArchitecture), nullptr);
    EXPECT_EQ(codeFor(kernel, kGroupArchitecture), nullptr);
  }
}

}  // namespace
}  // namespace vta::codegen::testing
