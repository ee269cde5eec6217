// What LLVM made of kernels is kept, and taken for the same kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/temporary_folder.h"
#include "compiler/codegen/llvm/object_cache.h"
#include "tests/host_gpu/gpu_test_support.h"

namespace vta::codegen::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProduct = R"(
  func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %y = graph.matmul %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %y : tensor<64x64xf32> })";

class KernelCacheTest : public ::testing::Test {
 protected:
  GpuProgram programWith(std::vector<std::string> codes = {},
                         GpuPrecision precision = GpuPrecision::kFloat32) const {
    const auto made = compileForGpu(
        kProduct, {.precision = precision, .codes = std::move(codes), .cache_folder = cached()});
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.ok() ? made->program : GpuProgram();
  }
  fs::path cached() const { return folder_.path() / "code"; }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(cached())) found.push_back(entry.path());
    return found;
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("vta-test");
};

/// The PTX of all kernels.
std::vector<std::string> ptxOf(const GpuProgram& program) {
  std::vector<std::string> texts;
  for (const GpuKernel& kernel : program.kernels) {
    for (const GpuCode& code : kernel.codes) {
      if (code.form == GpuCodeForm::kPtx) texts.push_back(code.text());
    }
  }
  return texts;
}

TEST_F(KernelCacheTest, TheSameKernelsAreCompiledOnce) {
  const GpuProgram first = programWith();
  const size_t count = files().size();
  EXPECT_EQ(count, ptxOf(first).size());
  EXPECT_EQ(programWith(), first);
  EXPECT_EQ(files().size(), count);
  const auto uncached = compileForGpu(kProduct);
  ASSERT_TRUE(uncached.ok());
  EXPECT_EQ(uncached->program, first);
}

TEST_F(KernelCacheTest, WhatIsThereIsTaken) {
  programWith();
  const std::string text = "// a text\n.version 6.3\n";
  const auto bytes = std::as_bytes(std::span(text));
  for (const fs::path& file : files()) ObjectCache(cached()).add(file.stem().string(), bytes);
  EXPECT_THAT(ptxOf(programWith()), ::testing::Each(".version 6.3\n"));
}

TEST_F(KernelCacheTest, CodesOfEachMachineAreKeptApart) {
  programWith();
  const size_t count = files().size();
  programWith({"gfx90a"});
  EXPECT_EQ(files().size(), 2 * count);
  programWith({"gfx90a", "gfx1100"});
  EXPECT_EQ(files().size(), 3 * count);
  // In halves there are kernels for tensor cores besides, for newer architectures.
  const GpuProgram halves = programWith({}, GpuPrecision::kFloat16);
  EXPECT_GT(ptxOf(halves).size(), halves.kernels.size());
  EXPECT_EQ(programWith({}, GpuPrecision::kFloat16), halves);
}

}  // namespace
}  // namespace vta::codegen::testing
