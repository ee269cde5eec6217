#include "host_gpu/nvptx/emit_ptx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler/codegen/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "tests/host_gpu/gpu_test_support.h"

namespace vta::codegen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class EmitPtxTest : public ::testing::Test {
 protected:
  EmitPtxTest() {
    loadCodegenDialects(context_);
    context_.loadDialect<mlir::gpu::GPUDialect>();
  }

  KernelIr kernel(const std::string& body) {
    KernelIr made;
    made.module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @compute(%x: memref<64xf32>, %y: memref<64xi32>) {\n"
        "%i = gpu.thread_id x\n%j = gpu.block_id y\n%c0 = arith.constant 0 : index\n"
        "%a = memref.load %x[%i] : memref<64xf32>\n%b = memref.load %x[%j] : memref<64xf32>\n"
        "%n = memref.load %y[%i] : memref<64xi32>\n" +
            body + "\nreturn }",
        &context_);
    EXPECT_TRUE(made.module);
    made.workgroup_size = {8, 4, 1};
    return made;
  }

  /// What is stored, in float.
  KernelIr storing(const std::string& ops) {
    return kernel(ops + "\nmemref.store %r, %x[%i] : memref<64xf32>");
  }

  static std::string textFor(const KernelIr& kernel) {
    const auto code = emitPtx(kernel);
    EXPECT_TRUE(code.ok()) << code.status().message();
    return code.ok() ? code->text() : "";
  }

  mlir::MLIRContext context_;
};

constexpr const char* kSumOfProduct = "%p = arith.mulf %a, %b : f32\n%r = arith.addf %p, %a : f32";

TEST_F(EmitPtxTest, SumsAndProductsAreRoundedOneByOne) {
  const std::string text = textFor(storing(kSumOfProduct));
  EXPECT_THAT(text, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(text, HasSubstr("add.rn.f32"));
  EXPECT_THAT(text, Not(HasSubstr("fma")));
}

TEST_F(EmitPtxTest, KernelsThatAllowItContractThemInNestedLoops) {
  // A loop that is run as often as a number in memory says stays a loop.
  const auto in_loops = [&](int loops) {
    std::string ops =
        "%last = memref.load %y[%j] : memref<64xi32>\n%m = arith.index_cast %last : i32 to index\n"
        "%c1 = arith.constant 1 : index\n";
    for (int i = 0; i < loops; ++i)
      ops += "scf.for %l" + std::to_string(i) + " = %c0 to %m step %c1 {\n";
    ops +=
        "%o = memref.load %x[%c0] : memref<64xf32>\n%p = arith.mulf %a, %o : f32\n"
        "%r = arith.addf %p, %b : f32\nmemref.store %r, %x[%i] : memref<64xf32>\n";
    KernelIr products = kernel(ops + std::string(loops, '}'));
    products.keeps_roundings = false;
    return textFor(products);
  };
  EXPECT_THAT(in_loops(2), HasSubstr("fma.rn.f32"));
  // Elsewhere exponentials and quantisation are made of sums and products.
  EXPECT_THAT(in_loops(1), Not(HasSubstr("fma")));
  EXPECT_THAT(in_loops(0), Not(HasSubstr("fma")));
}

TEST_F(EmitPtxTest, DivisionsAndRootsAreTheNearestFloats) {
  const std::string text =
      textFor(storing("%d = arith.divf %a, %b : f32\n%r = math.sqrt %d : f32"));
  EXPECT_THAT(text, HasSubstr("div.rn.f32"));
  EXPECT_THAT(text, HasSubstr("sqrt.rn.f32"));
  EXPECT_THAT(text, Not(HasSubstr("approx")));
  EXPECT_THAT(text, Not(HasSubstr("ftz")));  // small numbers stay as they are
}

TEST_F(EmitPtxTest, FunctionsAreInstructionsAndArithmetic) {
  for (const char* op : {"math.floor", "math.ceil", "math.roundeven", "math.trunc", "math.absf",
                         "math.exp", "math.log", "math.tanh", "math.erf"}) {
    const std::string text = textFor(storing(std::string("%r = ") + op + " %a : f32"));
    EXPECT_THAT(text, HasSubstr(".entry compute")) << op;
    EXPECT_THAT(text, Not(HasSubstr("call"))) << op;
    EXPECT_THAT(text, Not(HasSubstr(".extern"))) << op;
  }
}

TEST_F(EmitPtxTest, EntriesSayTheirWorkgroupAndLaunch) {
  const std::string text = textFor(storing(kSumOfProduct));
  EXPECT_THAT(text, HasSubstr(".visible .entry compute"));
  EXPECT_THAT(text, HasSubstr(".reqntid 8, 4, 1"));
  EXPECT_THAT(text, HasSubstr("%tid.x"));
  EXPECT_THAT(text, HasSubstr("%ctaid.y"));
  EXPECT_THAT(text, HasSubstr("ld.global.f32"));
  EXPECT_THAT(text, HasSubstr(".version 6.3\n.target sm_75"));
  EXPECT_THAT(text, Not(HasSubstr("//")));
}

TEST_F(EmitPtxTest, WorkgroupsShareMemoryAndWait) {
  const std::string text = textFor(storing(R"(
    %s = memref.alloc() : memref<32xf32, 3>
    memref.store %a, %s[%i] : memref<32xf32, 3>
    gpu.barrier
    %r = memref.load %s[%j] : memref<32xf32, 3>)"));
  EXPECT_THAT(text, HasSubstr(".shared .align 16 .b8"));
  EXPECT_THAT(text, HasSubstr("[128]"));
  EXPECT_THAT(text, HasSubstr("bar.sync"));
  EXPECT_THAT(text, HasSubstr("st.shared.f32"));
  EXPECT_THAT(text, HasSubstr("ld.shared.f32"));
}

TEST_F(EmitPtxTest, PartsOfWordsAreWrittenByAtomicOperations) {
  const std::string text =
      textFor(kernel("%o = memref.atomic_rmw ori %n, %y[%c0] : (i32, memref<64xi32>) -> i32\n"
                     "%p = memref.atomic_rmw andi %n, %y[%c0] : (i32, memref<64xi32>) -> i32"));
  EXPECT_THAT(text, HasSubstr("atom.global.or.b32"));
  EXPECT_THAT(text, HasSubstr("atom.global.and.b32"));
}

TEST_F(EmitPtxTest, CodesSayWhatTheyAre) {
  const auto code = emitPtx(storing(kSumOfProduct));
  ASSERT_TRUE(code.ok()) << code.status().message();
  EXPECT_EQ(code->target, "sm_75");
  EXPECT_EQ(code->form, GpuCodeForm::kPtx);
  EXPECT_EQ(code->entry_point, kKernelFunction);
}

TEST_F(EmitPtxTest, WhatHasNoFormIsNamed) {
  EXPECT_THAT(emitPtx(storing("%r = math.rsqrt %a : f32")).status().message(),
              HasSubstr("no instructions for math.rsqrt"));
}

TEST_F(EmitPtxTest, NoInstallationOfCudaIsAsked) {
  const std::string ops = "%e = math.exp %a : f32\n%r = math.floor %e : f32";
  const std::string text = textFor(storing(ops));
  const char* old = std::getenv("CUDA_HOME");
  const std::string kept = old == nullptr ? "" : old;
  for (const char* folder : {"/usr/local/cuda", "/nonexistent"}) {
    ::setenv("CUDA_HOME", folder, 1);
    ::setenv("CUDA_PATH", folder, 1);
    EXPECT_EQ(textFor(storing(ops)), text) << folder;
  }
  ::unsetenv("CUDA_PATH");
  if (old == nullptr) {
    ::unsetenv("CUDA_HOME");
  } else {
    ::setenv("CUDA_HOME", kept.c_str(), 1);
  }
}

TEST_F(EmitPtxTest, ProgramsHaveItBesideTheOtherForms) {
  const auto made = testing::compileForGpu(
      "func.func @f(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>) -> tensor<8x16xf32> {"
      "%y = graph.matmul %a, %b : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>\n"
      "return %y : tensor<8x16xf32> }");
  ASSERT_TRUE(made.ok()) << made.status().message();
  for (const GpuKernel& kernel : made->program.kernels) {
    std::vector<GpuCodeForm> forms;
    for (const GpuCode& code : kernel.codes) forms.push_back(code.form);
    EXPECT_THAT(forms, ::testing::IsSupersetOf(
                           {GpuCodeForm::kPtx, GpuCodeForm::kSpirv, GpuCodeForm::kOpenClC}));
  }
  EXPECT_THAT(made->program.kernels.front().codes.back().text(), HasSubstr("fma.rn.f32"));
}

}  // namespace
}  // namespace vta::codegen
