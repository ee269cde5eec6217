// What the GPU back end takes, and what its programs are.
#include <gtest/gtest.h>

#include "host_gpu/backend/backend.h"
#include "tests/host_cpu/host_test_support.h"
#include "tests/host_gpu/gpu_test_support.h"

namespace vta::codegen::testing {
namespace {

Status refusal(const std::string& text) { return compileForGpu(text).status(); }

TEST(GpuBackendTest, RefusesWhatItHasNoKernelOf) {
  EXPECT_NE(refusal("func.func @f(%a: tensor<4xf64>) -> tensor<4xf64> {"
                    "%y = graph.unary neg %a : (tensor<4xf64>) -> tensor<4xf64>\n"
                    "return %y : tensor<4xf64> }")
                .message()
                .find("tensor<4xf64>"),
            std::string::npos);
  EXPECT_NE(refusal("func.func @f(%a: tensor<4xf16>) -> tensor<4xf16> {"
                    "%y = graph.unary neg %a : (tensor<4xf16>) -> tensor<4xf16>\n"
                    "return %y : tensor<4xf16> }")
                .message()
                .find("tensor<4xf16>"),
            std::string::npos);
  EXPECT_NE(refusal("func.func @f(%a: tensor<4xi64>) -> tensor<4xi64> {"
                    "%y = graph.binary pow %a, %a : (tensor<4xi64>, tensor<4xi64>) -> "
                    "tensor<4xi64>\nreturn %y : tensor<4xi64> }")
                .message()
                .find("powers of integers of 64 bits"),
            std::string::npos);
  EXPECT_NE(refusal("func.func @f(%a: tensor<9000000xf32>) -> tensor<f32> {"
                    "%y = graph.reduce max %a {axes = array<i64: 0>} : (tensor<9000000xf32>) -> "
                    "tensor<f32>\nreturn %y : tensor<f32> }")
                .message()
                .find("65535"),
            std::string::npos);
  EXPECT_NE(refusal("func.func @f(%a: tensor<4xi1>) -> tensor<4xi64> {"
                    "%y = graph.compact %a : (tensor<4xi1>) -> tensor<4xi64>\n"
                    "return %y : tensor<4xi64> }")
                .message()
                .find("no kernel"),
            std::string::npos);
  EXPECT_NE(refusal("func.func @f(%a: tensor<4xf64>) -> tensor<4xi64> {"
                    "%y = graph.cast %a : (tensor<4xf64>) -> tensor<4xi64>\n"
                    "return %y : tensor<4xi64> }")
                .message()
                .find("8 to 64 bits"),
            std::string::npos);
}

std::string oneOp(const std::string& arguments, const std::string& result, const std::string& op) {
  return "func.func @f(" + arguments + ") -> " + result + " {\n%y = " + op + " -> " + result +
         "\nreturn %y : " + result + " }";
}

TEST(GpuBackendTest, RefusesNestsOfLoopsWithTooManyRounds) {
  const auto pool = [](const std::string& kind, int64_t extent, const std::string& element,
                       const std::string& attributes) {
    const std::string size = std::to_string(extent);
    const std::string type = "tensor<1x2x" + size + "x" + size + "x" + element + ">";
    return oneOp("%a: " + type, "tensor<1x2x4x4x" + element + ">",
                 "graph." + kind + " %a {kernel = array<i64: " + std::to_string(extent - 3) + ", " +
                     std::to_string(extent - 3) +
                     ">, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>" + attributes +
                     "} : (" + type + ")");
  };
  const std::string dilations = ", dilations = array<i64: 1, 1>";
  const auto reduce = [](int64_t rows, int64_t columns) {
    const std::string type =
        "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
    return oneOp("%a: " + type, "tensor<f32>",
                 "graph.reduce mean %a {axes = array<i64: 0, 1>} : (" + type + ")");
  };
  const auto conv = [](int64_t channels) {
    const std::string c = std::to_string(channels);
    return oneOp("%a: tensor<1x" + c + "x4x4xf32>, %b: tensor<8x" + c + "x3x3xf32>",
                 "tensor<1x8x2x2xf32>",
                 "graph.conv %a, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, "
                 "dilations = array<i64: 1, 1>} : (tensor<1x" +
                     c + "x4x4xf32>, tensor<8x" + c + "x3x3xf32>)");
  };
  const auto matmul = [](int64_t depth) {
    const std::string k = std::to_string(depth);
    return oneOp("%a: tensor<8x" + k + "xf32>, %b: tensor<" + k + "x8xf32>", "tensor<8x8xf32>",
                 "graph.matmul %a, %b : (tensor<8x" + k + "xf32>, tensor<" + k + "x8xf32>)");
  };
  for (const std::string& text :
       {pool("avg_pool", 3000, "f32", ""), pool("max_pool", 3000, "f32", dilations),
        pool("max_pool", 3000, "i8", dilations), reduce(9000, 1000), conv(60000), matmul(600000)}) {
    EXPECT_NE(refusal(text).message().find("more than 65535 rounds"), std::string::npos)
        << text << refusal(text).message();
  }
  for (const std::string& text :
       {pool("avg_pool", 300, "f32", ""), pool("max_pool", 300, "f32", dilations),
        pool("max_pool", 300, "i8", dilations), reduce(254, 257), reduce(65535, 1), conv(4000),
        matmul(53000)}) {
    EXPECT_TRUE(refusal(text).ok()) << text << refusal(text).message();
  }
}

TEST(GpuBackendTest, OnlyThoseWhoAskGetIt) {
  EXPECT_TRUE(gpuBackend().isOptional());
  for (const Backend* backend : usedBackends("")) EXPECT_NE(backend->name(), kGpuBackend);
  EXPECT_EQ(usedBackends(kGpuBackend).back(), &gpuBackend());
  // What no other one is better at stays with the CPU, whichever registers first.
  EXPECT_EQ(*defaultBackend(), &cpuBackend());
}

TEST(GpuBackendTest, ChainsAreOneKernelAndEqualKernelsAreOne) {
  const auto chain = compileForGpu(
      "func.func @f(%a: tensor<40xf32>) -> tensor<40xf32> {"
      "%b = graph.unary relu %a : (tensor<40xf32>) -> tensor<40xf32>\n"
      "%y = graph.binary add %b, %a : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>\n"
      "return %y : tensor<40xf32> }");
  ASSERT_TRUE(chain.ok()) << chain.status().message();
  EXPECT_EQ(chain->program.dispatches.size(), 1U);
  EXPECT_EQ(chain->program.argument_bytes, (std::vector<uint64_t>{160, 160}));
  const auto twice = compileForGpu(
      "func.func @f(%a: tensor<8x40xf32>, %b: tensor<8x40xf32>) -> (tensor<8xf32>, tensor<8xf32>) {"
      "%y = graph.reduce max %a {axes = array<i64: 1>} : (tensor<8x40xf32>) -> tensor<8xf32>\n"
      "%z = graph.reduce max %b {axes = array<i64: 1>} : (tensor<8x40xf32>) -> tensor<8xf32>\n"
      "return %y, %z : tensor<8xf32>, tensor<8xf32> }");
  ASSERT_TRUE(twice.ok()) << twice.status().message();
  EXPECT_EQ(twice->program.dispatches.size(), 2U);
  EXPECT_EQ(twice->program.kernels.size(), 1U);
}

TEST(GpuBackendTest, CompilingTwiceGivesTheSameBytes) {
  const std::string text =
      "func.func @f(%a: tensor<40xf32>) -> tensor<40xf32> {"
      "%y = graph.unary gelu %a : (tensor<40xf32>) -> tensor<40xf32>\n"
      "return %y : tensor<40xf32> }";
  const auto first = compileForGpu(text), second = compileForGpu(text);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->program, second->program);
}

}  // namespace
}  // namespace vta::codegen::testing
