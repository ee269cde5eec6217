#include "host_gpu/amdgpu/emit_amd_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/process/find_program.h"
#include "base/process/run_command.h"
#include "base/temporary_folder.h"
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

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// What a tool of LLVM prints of a code object; empty where it is not installed.
std::string inspected(const GpuCode& code, std::vector<std::string> command) {
  const auto program = findProgram(command.front());
  if (program.empty()) return "";
  const auto folder = TemporaryFolder::create("vta-amd-");
  EXPECT_TRUE(folder.ok());
  const std::filesystem::path file = folder->path() / "code.o";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(code.code.data()),
             static_cast<std::streamsize>(code.code.size()));
  command.front() = program;
  command.push_back(file);
  const auto result = runCommand(command, {.merge_errors = true});
  EXPECT_TRUE(result.ok() && result->end.ok());
  return result.ok() ? result->output : "";
}

class EmitAmdCodeTest : public ::testing::Test {
 protected:
  EmitAmdCodeTest() {
    loadCodegenDialects(context_);
    context_.loadDialect<mlir::gpu::GPUDialect>();
  }

  KernelIr kernel(const std::string& body) {
    KernelIr made;
    made.module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @compute(%x: memref<64xf32>, %y: memref<64xi32>) {\n"
        "%i = gpu.thread_id x\n%t = gpu.thread_id y\n%j = gpu.block_id z\n"
        "%c0 = arith.constant 0 : index\n"
        "%a = memref.load %x[%i] : memref<64xf32>\n%b = memref.load %x[%j] : memref<64xf32>\n"
        "%n = memref.load %y[%t] : memref<64xi32>\n" +
            body + "\nreturn }",
        &context_);
    EXPECT_TRUE(made.module);
    made.workgroup_size = {8, 4, 2};
    return made;
  }

  KernelIr storing(const std::string& ops) {
    return kernel(ops + "\nmemref.store %r, %x[%i] : memref<64xf32>");
  }

  static GpuCode codeFor(const KernelIr& kernel, const std::string& architecture) {
    auto code = emitAmdCode(kernel, architecture);
    EXPECT_TRUE(code.ok()) << code.status().message();
    return code.ok() ? *std::move(code) : GpuCode{};
  }

  /// Its instructions, for gfx90a.
  static std::string instructionsOf(const KernelIr& kernel) {
    return inspected(codeFor(kernel, "gfx90a"), {"llvm-objdump-19", "--disassemble"});
  }

  mlir::MLIRContext context_;
};

constexpr const char* kShared = R"(
    %s = memref.alloc() : memref<32xf32, 3>
    memref.store %a, %s[%i] : memref<32xf32, 3>
    gpu.barrier
    %q = memref.load %s[%j] : memref<32xf32, 3>
    %m = arith.sitofp %n : i32 to f32
    %r = arith.addf %q, %m : f32)";

TEST_F(EmitAmdCodeTest, NotesSayWhatTheRuntimeNeeds) {
  for (const char* architecture : {"gfx906", "gfx90a", "gfx1030", "gfx1100"}) {
    const std::string notes =
        inspected(codeFor(storing(kShared), architecture), {"llvm-readelf-19", "--notes"});
    if (notes.empty()) GTEST_SKIP() << "no llvm-readelf-19";
    EXPECT_THAT(notes, HasSubstr(std::string("amdgcn-amd-amdhsa--") + architecture));
    EXPECT_THAT(notes, ContainsRegex("\\.address_space: +global\n +\\.offset: +0\n +\\.size: +8\n "
                                     "+\\.value_kind: +global_buffer"));
    EXPECT_THAT(notes, ContainsRegex("\\.address_space: +global\n +\\.offset: +8\n"));
    EXPECT_THAT(notes, Not(HasSubstr("hidden_")));
    EXPECT_THAT(notes, Not(HasSubstr("generic")));
    EXPECT_THAT(notes, ContainsRegex("\\.kernarg_segment_size: +16\n"));
    EXPECT_THAT(notes, ContainsRegex("\\.group_segment_fixed_size: +128\n"));
    EXPECT_THAT(notes, ContainsRegex("\\.private_segment_fixed_size: +0\n"));
    EXPECT_THAT(notes, ContainsRegex("\\.max_flat_workgroup_size: +64\n"));
    EXPECT_THAT(notes, ContainsRegex("\\.reqd_workgroup_size:\n +- 8\n +- 4\n +- 2\n"));
    EXPECT_THAT(notes, ContainsRegex("\\.symbol: +compute\\.kd"));
    EXPECT_THAT(notes, ContainsRegex("\\.vgpr_spill_count: +0"));
    EXPECT_THAT(notes, ContainsRegex("\\.sgpr_spill_count: +0"));
    EXPECT_THAT(notes, ContainsRegex("amdhsa\\.version:\n +- 1\n +- 2\n"));
  }
}

TEST_F(EmitAmdCodeTest, IsALinkedObjectOfItsArchitecture) {
  const GpuCode code = codeFor(storing(kShared), "gfx1100");
  EXPECT_EQ(code.form, GpuCodeForm::kAmdCode);
  EXPECT_EQ(code.target, "gfx1100");
  EXPECT_EQ(code.entry_point, kKernelFunction);
  const std::string header = inspected(code, {"llvm-readelf-19", "--file-header"});
  if (header.empty()) GTEST_SKIP() << "no llvm-readelf-19";
  EXPECT_THAT(header, AllOf(HasSubstr("AMDGPU"), HasSubstr("AMDGPU - HSA"), HasSubstr("DYN"),
                            HasSubstr("gfx1100")));
  const std::string symbols = inspected(code, {"llvm-readelf-19", "--dyn-syms"});
  EXPECT_THAT(symbols, AllOf(ContainsRegex("64 OBJECT +GLOBAL [A-Z]+ +[0-9]+ compute.kd"),
                             ContainsRegex("FUNC +GLOBAL PROTECTED +[0-9]+ compute\n")));
  EXPECT_THAT(symbols, Not(HasSubstr("UND _")));
}

TEST_F(EmitAmdCodeTest, BuffersAreGlobalAndSharedMemoryIsLocal) {
  KernelIr waiting = storing(kShared);
  waiting.workgroup_size = {64, 4, 1};  // what is one wave need not wait
  const std::string text = instructionsOf(waiting);
  if (text.empty()) GTEST_SKIP() << "no llvm-objdump-19";
  EXPECT_THAT(
      text, AllOf(HasSubstr("global_load_dword"), HasSubstr("ds_write_b32"), HasSubstr("s_barrier"),
                  HasSubstr("ds_read_b32"), HasSubstr("global_store_dword")));
  EXPECT_THAT(text, Not(HasSubstr("flat_")));
  EXPECT_THAT(text, Not(HasSubstr("scratch_")));
}

TEST_F(EmitAmdCodeTest, SumsAndProductsAreRoundedOneByOne) {
  const std::string text =
      instructionsOf(storing("%p = arith.mulf %a, %b : f32\n%r = arith.addf %p, %a : f32"));
  if (text.empty()) GTEST_SKIP() << "no llvm-objdump-19";
  EXPECT_THAT(text, AllOf(HasSubstr("v_mul_f32"), HasSubstr("v_add_f32")));
  EXPECT_THAT(text, Not(ContainsRegex("v_(fma|fmac|mad|mac)_f32")));
}

TEST_F(EmitAmdCodeTest, KernelsThatAllowItContractInNestedLoops) {
  KernelIr products = kernel(R"(
    %last = memref.load %y[%j] : memref<64xi32>
    %m = arith.index_cast %last : i32 to index
    %c1 = arith.constant 1 : index
    scf.for %k = %c0 to %m step %c1 {
      scf.for %l = %c0 to %m step %c1 {
        %o = memref.load %x[%c0] : memref<64xf32>
        %p = arith.mulf %a, %o : f32
        %r = arith.addf %p, %b : f32
        memref.store %r, %x[%i] : memref<64xf32>
      }
    })");
  products.keeps_roundings = false;
  const std::string text = instructionsOf(products);
  if (text.empty()) GTEST_SKIP() << "no llvm-objdump-19";
  EXPECT_THAT(text, ContainsRegex("v_(fma|fmac)_f32"));
}

TEST_F(EmitAmdCodeTest, FunctionsAreInstructionsAndArithmetic) {
  for (const char* op : {"math.floor", "math.ceil", "math.roundeven", "math.trunc", "math.absf",
                         "math.sqrt", "math.exp", "math.log", "math.tanh", "math.erf"}) {
    // A call of a function of a library is an error.
    EXPECT_FALSE(codeFor(storing(std::string("%r = ") + op + " %a : f32"), "gfx90a").code.empty())
        << op;
  }
}

TEST_F(EmitAmdCodeTest, PartsOfWordsAreWrittenByAtomicOperations) {
  const std::string text = instructionsOf(
      kernel("%o = memref.atomic_rmw ori %n, %y[%c0] : (i32, memref<64xi32>) -> i32\n"
             "%p = memref.atomic_rmw andi %n, %y[%c0] : (i32, memref<64xi32>) -> i32"));
  if (text.empty()) GTEST_SKIP() << "no llvm-objdump-19";
  EXPECT_THAT(text, AllOf(HasSubstr("global_atomic_or"), HasSubstr("global_atomic_and")));
  EXPECT_THAT(text, Not(HasSubstr("buffer_wbl2")));  // nobody but the GPU looks meanwhile
}

TEST_F(EmitAmdCodeTest, WhatHasNoFormIsNamed) {
  EXPECT_THAT(emitAmdCode(storing("%r = math.rsqrt %a : f32"), "gfx90a").status().message(),
              HasSubstr("AMD: GPUs have no instructions for math.rsqrt"));
}

TEST_F(EmitAmdCodeTest, UnknownArchitecturesAreNamed) {
  EXPECT_TRUE(checkAmdArchitecture("gfx1030").ok());
  for (const char* name : {"gfx9999", "gfx9-generic", "sm_80", ""}) {
    EXPECT_EQ(checkAmdArchitecture(name).code(), StatusCode::kInvalidArgument) << name;
  }
  EXPECT_THAT(emitAmdCode(storing(kShared), "gfx9").status().message(),
              AllOf(HasSubstr("'gfx9'"), HasSubstr("gfx90a")));
}

TEST(GpuCodesTest, ThoseThatAreAskedForStandBehindTheOthers) {
  constexpr const char* kRelu =
      "func.func @f(%a: tensor<40xf32>) -> tensor<40xf32> {"
      "%y = graph.unary relu %a : (tensor<40xf32>) -> tensor<40xf32>\n"
      "return %y : tensor<40xf32> }";
  const auto made = testing::compileForGpu(kRelu, {.codes = {"gfx1100", "wgsl", "gfx90a"}});
  ASSERT_TRUE(made.ok()) << made.status().message();
  std::vector<std::pair<GpuCodeForm, std::string>> codes;
  for (const GpuCode& code : made->program.kernels.front().codes) {
    codes.emplace_back(code.form, code.target);
  }
  using enum GpuCodeForm;
  EXPECT_THAT(codes,
              ::testing::ElementsAre(std::pair(kSpirv, ""), std::pair(kOpenClC, ""),
                                     std::pair(kPtx, "sm_75"), std::pair(kAmdCode, "gfx1100"),
                                     std::pair(kWgsl, ""), std::pair(kAmdCode, "gfx90a")));
  EXPECT_THAT(testing::compileForGpu(kRelu, {.codes = {"wgls"}}).status().message(),
              AllOf(HasSubstr("'wgls'"), HasSubstr("wgsl"), HasSubstr("gfx90a")));
}

}  // namespace
}  // namespace vta::codegen
