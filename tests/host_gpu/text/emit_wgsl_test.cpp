#include "host_gpu/text/emit_wgsl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/codegen/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

namespace vta::codegen {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class EmitWgslTest : public ::testing::Test {
 protected:
  EmitWgslTest() {
    loadCodegenDialects(context_);
    context_.loadDialect<mlir::gpu::GPUDialect>();
  }

  Result<std::string> emitted(const std::string& body) {
    KernelIr made;
    made.module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @compute(%x: memref<8xf32>, %y: memref<8xi32>, %z: memref<8xi32>) {\n"
        "%i = gpu.thread_id x\n%j = gpu.block_id z\n"
        "%a = memref.load %x[%i] : memref<8xf32>\n%n = memref.load %y[%i] : memref<8xi32>\n" +
            body + "\nreturn }",
        &context_);
    EXPECT_TRUE(made.module);
    made.workgroup_size = {8, 2, 1};
    return emitWgsl(made);
  }

  std::string textOf(const std::string& body) {
    const auto text = emitted(body);
    EXPECT_TRUE(text.ok()) << text.status().message();
    return text.ok() ? *text : "";
  }

  mlir::MLIRContext context_;
};

TEST_F(EmitWgslTest, BuffersAreBindingsAndTheEntrySaysItsWorkgroup) {
  const std::string text = textOf("memref.store %a, %x[%j] : memref<8xf32>");
  EXPECT_THAT(text, HasSubstr("@group(0) @binding(0) var<storage, read_write> v1: array<f32>;"));
  EXPECT_THAT(text, HasSubstr("@group(0) @binding(1) var<storage, read_write> v2: array<i32>;"));
  EXPECT_THAT(text, HasSubstr("@compute @workgroup_size(8, 2, 1)\nfn compute("));
  EXPECT_THAT(text, HasSubstr("i32(local_id.x)"));
  EXPECT_THAT(text, HasSubstr("i32(group_id.z)"));
}

TEST_F(EmitWgslTest, BuffersWhosePartsAreWrittenAreAtomic) {
  const std::string text = textOf(R"(
    %q = memref.load %z[%i] : memref<8xi32>
    memref.store %n, %z[%i] : memref<8xi32>
    %o = memref.atomic_rmw ori %n, %z[%i] : (i32, memref<8xi32>) -> i32
    %p = memref.atomic_rmw andi %q, %z[%i] : (i32, memref<8xi32>) -> i32)");
  EXPECT_THAT(text, HasSubstr("@binding(2) var<storage, read_write> v3: array<atomic<i32>>;"));
  EXPECT_THAT(text, HasSubstr("@binding(1) var<storage, read_write> v2: array<i32>;"));
  EXPECT_THAT(text, ContainsRegex("let v[0-9]+: i32 = atomicLoad\\(&v3\\[v[0-9]+\\]\\);"));
  EXPECT_THAT(text, ContainsRegex("atomicStore\\(&v3\\[v[0-9]+\\], v[0-9]+\\);"));
  EXPECT_THAT(text, ContainsRegex("atomicOr\\(&v3\\[v[0-9]+\\], v[0-9]+\\);"));
  EXPECT_THAT(text, ContainsRegex("atomicAnd\\(&v3\\[v[0-9]+\\], v[0-9]+\\);"));
}

TEST_F(EmitWgslTest, ConstantsAreExactAndSpecialOnesAreNoConstantExpressions) {
  const std::string text = textOf(R"(
    %tenth = arith.constant 0.1 : f32
    %large = arith.constant 0x7F800000 : f32
    %least = arith.constant -2147483648 : i32
    %m = arith.subi %n, %least : i32
    memref.store %m, %y[%i] : memref<8xi32>
    memref.store %tenth, %x[%i] : memref<8xf32>
    memref.store %large, %x[%j] : memref<8xf32>)");
  EXPECT_THAT(text, HasSubstr("bitcast<f32>(0x3dcccccdu)"));
  EXPECT_THAT(text, HasSubstr("var<private> bits_0x7f800000u: u32 = 0x7f800000u;"));
  EXPECT_THAT(text, HasSubstr("bitcast<f32>(bits_0x7f800000u)"));
  EXPECT_THAT(text, HasSubstr(": i32 = -2147483648;"));
}

TEST_F(EmitWgslTest, WorkgroupsShareMemoryAndWait) {
  const std::string text = textOf(R"(
    %s = memref.alloc() : memref<32xf32, 3>
    memref.store %a, %s[%i] : memref<32xf32, 3>
    gpu.barrier
    %r = memref.load %s[%j] : memref<32xf32, 3>
    memref.store %r, %x[%i] : memref<8xf32>)");
  EXPECT_THAT(text, ContainsRegex("\nvar<workgroup> v[0-9]+: array<f32, 32>;"));
  EXPECT_THAT(text, HasSubstr("  workgroupBarrier();"));
}

TEST_F(EmitWgslTest, HighWordsAreComputedWhereTheyAreNeeded) {
  EXPECT_THAT(textOf("memref.store %n, %y[%j] : memref<8xi32>"), Not(HasSubstr("high_of_")));
  const std::string text = textOf(R"(
    %low, %high = arith.mulsi_extended %n, %n : i32
    memref.store %high, %y[%i] : memref<8xi32>)");
  EXPECT_THAT(text, AllOf(HasSubstr("fn high_of_signed("), HasSubstr("= high_of_signed(v")));
}

TEST_F(EmitWgslTest, LoopsAndBranchesHaveVariables) {
  const std::string text = textOf(R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%p = %n) -> (i32) {
      %is = arith.cmpi ult, %p, %n : i32
      %q = scf.if %is -> (i32) {
        scf.yield %n : i32
      } else {
        scf.yield %p : i32
      }
      scf.yield %q : i32
    }
    memref.store %r, %y[%i] : memref<8xi32>)");
  EXPECT_THAT(text, ContainsRegex("for \\(var v[0-9]+: i32 = v[0-9]+; v[0-9]+ < v[0-9]+; "
                                  "v[0-9]+ \\+= v[0-9]+\\) \\{"));
  EXPECT_THAT(text, ContainsRegex("var v[0-9]+: i32;\n"));
  EXPECT_THAT(text, HasSubstr("} else {"));
  EXPECT_THAT(text, ContainsRegex("u32\\(v[0-9]+\\) < u32\\(v[0-9]+\\)"));
}

TEST_F(EmitWgslTest, ExponentialsAreArithmetic) {
  const std::string text =
      textOf("%r = math.exp %a : f32\nmemref.store %r, %x[%i] : memref<8xf32>");
  EXPECT_THAT(text, Not(HasSubstr("exp(")));
}

TEST_F(EmitWgslTest, NumbersThatTheLanguageCannotSayAreBits) {
  const std::string text =
      textOf("%r = arith.constant 0x7FC00000 : f32\nmemref.store %r, %x[%i] : memref<8xf32>");
  EXPECT_THAT(text, HasSubstr("var<private> bits_0x7fc00000u"));
}

TEST_F(EmitWgslTest, WhatHasNoFormIsNamed) {
  EXPECT_THAT(emitted("%r = math.rsqrt %a : f32\nmemref.store %r, %x[%i] : memref<8xf32>")
                  .status()
                  .message(),
              HasSubstr("there is no WGSL for math.rsqrt"));
  EXPECT_THAT(emitted("%w = arith.trunci %n : i32 to i16\n%q = arith.sitofp %w : i16 to f32\n"
                      "memref.store %q, %x[%i] : memref<8xf32>")
                  .status()
                  .message(),
              HasSubstr("there is no WGSL for a value of another type"));
}

}  // namespace
}  // namespace vta::codegen
