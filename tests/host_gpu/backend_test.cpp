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
  EXPECT_NE(refusal("func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {"
                    "%y = graph.binary mod %a, %a : (tensor<4xf32>, tensor<4xf32>) -> "
                    "tensor<4xf32>\nreturn %y : tensor<4xf32> }")
                .message()
                .find("remainders"),
            std::string::npos);
  EXPECT_NE(refusal("func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {"
                    "%y = graph.binary pow %a, %a : (tensor<4xi32>, tensor<4xi32>) -> "
                    "tensor<4xi32>\nreturn %y : tensor<4xi32> }")
                .message()
                .find("powers"),
            std::string::npos);
  EXPECT_NE(refusal("func.func @f(%a: tensor<70000xf32>) -> tensor<f32> {"
                    "%y = graph.reduce max %a {axes = array<i64: 0>} : (tensor<70000xf32>) -> "
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
      "func.func @f(%a: tensor<8x40xf32>) -> (tensor<8xf32>, tensor<8xf32>) {"
      "%b = graph.unary neg %a : (tensor<8x40xf32>) -> tensor<8x40xf32>\n"
      "%y = graph.reduce max %a {axes = array<i64: 1>} : (tensor<8x40xf32>) -> tensor<8xf32>\n"
      "%z = graph.reduce max %b {axes = array<i64: 1>} : (tensor<8x40xf32>) -> tensor<8xf32>\n"
      "return %y, %z : tensor<8xf32>, tensor<8xf32> }");
  ASSERT_TRUE(twice.ok()) << twice.status().message();
  EXPECT_LT(twice->program.kernels.size(), twice->program.dispatches.size());
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
