// Buffers that are larger than what a device binds at once, beside the CPU: integers bit for bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host_gpu/backend/backend.h"
#include "tests/host_cpu/host_test_support.h"
#include "tests/host_gpu/gpu_test_support.h"
#include "tests/host_gpu/webgpu/webgpu_device.h"

namespace vta::codegen::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct RangeCase {
  std::string name;
  int64_t range_bytes = 0;
  std::vector<Tensor> inputs;
  std::string text;
};

Tensor floats(const std::vector<int64_t>& shape, unsigned seed) {
  return randomTensor(DType::kF32, shape, seed, -2, 2);
}
Tensor bytes(const std::vector<int64_t>& shape, unsigned seed) {
  return randomTensor(DType::kI8, shape, seed, -128, 127);
}
Tensor words(const std::vector<int64_t>& shape, unsigned seed, double low, double high) {
  return randomTensor(DType::kI32, shape, seed, low, high);
}

const char* const kResidualProduct =
    "func.func @f(%x: tensor<40x96xf32>, %w: tensor<96x72xf32>, %b: tensor<72xf32>, "
    "%r: tensor<40x72xf32>) -> tensor<40x72xf32> {\n"
    "%p = graph.matmul %x, %w : (tensor<40x96xf32>, tensor<96x72xf32>) -> tensor<40x72xf32>\n"
    "%s = graph.binary add %p, %b : (tensor<40x72xf32>, tensor<72xf32>) -> tensor<40x72xf32>\n"
    "%t = graph.binary add %s, %r : (tensor<40x72xf32>, tensor<40x72xf32>) -> tensor<40x72xf32>\n"
    "%y = graph.unary relu %t : (tensor<40x72xf32>) -> tensor<40x72xf32>\n"
    "return %y : tensor<40x72xf32> }";

std::vector<Tensor> residualInputs() {
  return {floats({40, 96}, 1), floats({96, 72}, 2), floats({72}, 3), floats({40, 72}, 4)};
}

/// Bytes in, bytes out, with a factor for each channel.
const char* const kQuantisedConv =
    "func.func @f(%x: tensor<1x24x15x15xi8>, %w: tensor<20x24x3x3xi8>, %b: tensor<20xi32>, "
    "%m: tensor<20x1x1xi32>) -> tensor<1x20x15x15xi8> {\n"
    "%c = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, "
    "dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x24x15x15xi8>, "
    "tensor<20x24x3x3xi8>, tensor<20xi32>) -> tensor<1x20x15x15xi32>\n"
    "%q = graph.qmul %c, %m {shift = 31 : i64} : (tensor<1x20x15x15xi32>, tensor<20x1x1xi32>) -> "
    "tensor<1x20x15x15xi32>\n"
    "%l = graph.clip_int %q {min = -128 : i64, max = 127 : i64} : (tensor<1x20x15x15xi32>) -> "
    "tensor<1x20x15x15xi32>\n"
    "%y = graph.cast %l : (tensor<1x20x15x15xi32>) -> tensor<1x20x15x15xi8>\n"
    "return %y : tensor<1x20x15x15xi8> }";

/// An embedding, of which rows lie in several ranges, and what is computed of its rows.
const char* const kEmbedding =
    "func.func @f(%t: tensor<99x50xf32>, %i: tensor<17xi32>, %w: tensor<99x50xf32>) -> "
    "(tensor<17x50xf32>, tensor<17x99xf32>) {\n"
    "%e = graph.gather %t, %i {axis = 0 : i64} : (tensor<99x50xf32>, tensor<17xi32>) -> "
    "tensor<17x50xf32>\n"
    "%h = graph.unary tanh %e : (tensor<17x50xf32>) -> tensor<17x50xf32>\n"
    "%v = graph.transpose %w {permutation = array<i64: 1, 0>} : (tensor<99x50xf32>) -> "
    "tensor<50x99xf32>\n"
    "%l = graph.matmul %h, %v : (tensor<17x50xf32>, tensor<50x99xf32>) -> tensor<17x99xf32>\n"
    "%y = graph.softmax %l {axis = 1 : i64} : (tensor<17x99xf32>) -> tensor<17x99xf32>\n"
    "return %h, %y : tensor<17x50xf32>, tensor<17x99xf32> }";

/// Parts of one buffer, which begin and end inside of ranges.
const char* const kConcat =
    "func.func @f(%a: tensor<3x131xi8>, %b: tensor<7x131xi8>, %c: tensor<5x131xi8>) -> "
    "tensor<15x131xi8> {\n"
    "%n = graph.unary neg %a : (tensor<3x131xi8>) -> tensor<3x131xi8>\n"
    "%y = graph.concat %n, %b, %c {axis = 0 : i64} : (tensor<3x131xi8>, tensor<7x131xi8>, "
    "tensor<5x131xi8>) -> tensor<15x131xi8>\n"
    "return %y : tensor<15x131xi8> }";

std::vector<RangeCase> rangeCases() {
  std::vector<RangeCase> cases;
  for (const int64_t range_bytes : {3072, 4096, 8192}) {
    const std::string suffix = "_" + std::to_string(range_bytes);
    const int64_t half_bytes = range_bytes / 2;
    cases.push_back({"product" + suffix, range_bytes, residualInputs(), kResidualProduct});
    cases.push_back({"quantised_conv_" + std::to_string(half_bytes),
                     half_bytes,
                     {bytes({1, 24, 15, 15}, 1), bytes({20, 24, 3, 3}, 2),
                      words({20}, 3, -9000, 9000), words({20, 1, 1}, 4, 1e5, 9e6)},
                     kQuantisedConv});
    cases.push_back({"embedding" + suffix,
                     range_bytes,
                     {floats({99, 50}, 1), words({17}, 2, 0, 98), floats({99, 50}, 3)},
                     kEmbedding});
  }
  cases.push_back(
      {"concat", 512, {bytes({3, 131}, 1), bytes({7, 131}, 2), bytes({5, 131}, 3)}, kConcat});
  return cases;
}

void PrintTo(const RangeCase& test, std::ostream* stream) { *stream << test.name; }

/// What dispatches bind at once, at most.
uint64_t largestRange(const GpuProgram& program) {
  uint64_t largest_bytes = 0;
  for (const GpuDispatch& dispatch : program.dispatches) {
    for (const GpuBinding& binding : dispatch.bindings) {
      largest_bytes = std::max(largest_bytes, binding.size_bytes);
    }
  }
  return largest_bytes;
}

class RangesTest : public ::testing::TestWithParam<RangeCase> {
 protected:
  void expectSameOn(const Gpus& gpus, GpuChoice choice = {}) {
    choice.range_bytes = GetParam().range_bytes;
    expectWhatTheCpuGives(GetParam().text, GetParam().inputs, gpus, choice);
  }
};

TEST_P(RangesTest, AreAsLargeAsTheDeviceBinds) {
  const auto whole = compileForGpu(GetParam().text);
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  EXPECT_GT(largestRange(whole->program), static_cast<uint64_t>(GetParam().range_bytes));
  const auto made = compileForGpu(GetParam().text, {.range_bytes = GetParam().range_bytes});
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(largestRange(made->program), static_cast<uint64_t>(GetParam().range_bytes));
}

TEST_P(RangesTest, GiveWhatTheCpuDoesInVulkan) { expectSameOn(vulkanGpus()); }
TEST_P(RangesTest, GiveWhatTheCpuDoesInPtx) { expectSameOn(ptxGpus()); }
TEST_P(RangesTest, GiveWhatTheCpuDoesInHalves) {
  expectSameOn(vulkanGpus(), {.precision = GpuPrecision::kFloat16});
}

TEST_P(RangesTest, GiveWhatTheCpuDoesInOpenCl) { expectSameOn(openClGpus()); }

TEST_P(RangesTest, GiveWhatTheCpuDoesInWebGpu) {
  if (const std::string missing = missingWebGpu(); !missing.empty()) GTEST_SKIP() << missing;
  if (GetParam().range_bytes < 8192) GTEST_SKIP() << "WebGPU binds eight ranges";
  expectSameOn(webGpus(), {.codes = {"wgsl"}});
}

INSTANTIATE_TEST_SUITE_P(All, RangesTest, ::testing::ValuesIn(rangeCases()),
                         [](const auto& info) { return info.param.name; });

TEST(RangesTest, EverySizeOfARangeGivesTheSame) {
  const Gpus& gpus = vulkanGpus();
  if (gpus.empty()) GTEST_SKIP() << "no GPU";
  // Also those that divide no row.
  for (const int64_t range_bytes : {2560, 3584, 7168, 11264, 25088}) {
    SCOPED_TRACE(range_bytes);
    expectWhatTheCpuGives(kResidualProduct, residualInputs(), {gpus.front()},
                          {.range_bytes = range_bytes});
  }
}

/// The sums of a split depth lie in scratch memory of several ranges, too.
TEST(RangesTest, PartsOfTheDepthAreSplit) {
  GemmSchedule schedule = {16, 16, 8, 2, 2};
  schedule.split_grid = 3;
  const GpuChoice choice = {.schedule = schedule, .range_bytes = 40960};
  expectWhatTheCpuGives(
      "func.func @f(%x: tensor<48x900xf32>, %w: tensor<900x64xf32>) -> tensor<48x64xf32> {\n"
      "%y = graph.matmul %x, %w : (tensor<48x900xf32>, tensor<900x64xf32>) -> tensor<48x64xf32>\n"
      "return %y : tensor<48x64xf32> }",
      {floats({48, 900}, 1), floats({900, 64}, 2)}, vulkanGpus(), choice);
}

TEST(RangesTest, WhatADeviceBindsIsTheSameCode) {
  const auto plain = compileForGpu(kResidualProduct),
             limited = compileForGpu(kResidualProduct, {.range_bytes = 27648});
  ASSERT_TRUE(plain.ok() && limited.ok());
  EXPECT_EQ(plain->program, limited->program);
}

TEST(RangesTest, ADeviceTakesTheFormThatItBinds) {
  const Gpus& gpus = vulkanGpus();
  if (gpus.empty()) GTEST_SKIP() << "no GPU";
  const auto whole = compileForGpu(kResidualProduct);
  ASSERT_TRUE(whole.ok());
  const LowerRange lowered(*gpus.front(), 4096);
  const auto refused = runOnGpu(*gpus.front(), *whole, residualInputs());
  EXPECT_THAT(refused.status().message(), HasSubstr("bytes at once; the GPU"));
}

std::string copyOf(const std::string& type) {
  return "func.func @f(%a: " + type + ") -> " + type + " {\n%y = graph.unary neg %a : (" + type +
         ") -> " + type + "\nreturn %y : " + type + " }";
}

TEST(RangesTest, WhatTakesTooManyStaysOnTheCpu) {
  // Four ranges of 128 MiB in, and four out.
  EXPECT_TRUE(checkForGpu(copyOf("tensor<134217728xf32>")).ok());
  EXPECT_THAT(checkForGpu(copyOf("tensor<134217729xf32>")).message(),
              AllOf(HasSubstr("it uses 10 ranges of 128 MiB at once"),
                    HasSubstr("not all GPUs bind more than 8")));
  // A concatenation copies one operand after the other.
  const auto concat = [](const std::string& operand, const std::string& result) {
    return "func.func @f(%a: " + operand + ", %b: " + operand + ", %c: " + operand + ") -> " +
           result + " {\n%y = graph.concat %a, %b, %c {axis = 0 : i64} : (" + operand + ", " +
           operand + ", " + operand + ") -> " + result + "\nreturn %y : " + result + " }";
  };
  EXPECT_TRUE(checkForGpu(concat("tensor<100000000xf32>", "tensor<300000000xf32>")).ok());
  EXPECT_THAT(checkForGpu(concat("tensor<134217728xf32>", "tensor<402653184xf32>")).message(),
              HasSubstr("it uses 9 ranges"));
}

TEST(RangesTest, LargeBuffersAreSplitForEveryDevice) {
  const auto made = compileForGpu(copyOf("tensor<50000000xf32>"), {.range_bytes = 1 << 27});
  ASSERT_TRUE(made.ok()) << made.status().message();
  ASSERT_EQ(made->program.dispatches.size(), 1U);
  const std::vector<GpuBinding>& bindings = made->program.dispatches.front().bindings;
  ASSERT_EQ(bindings.size(), 4U);
  EXPECT_EQ(bindings[1], (GpuBinding{GpuBinding::Source::kArgument, 0, 1U << 27, 65782272}));
  EXPECT_EQ(bindings[2], (GpuBinding{GpuBinding::Source::kArgument, 1, 0, 1U << 27}));
}

}  // namespace
}  // namespace vta::codegen::testing
