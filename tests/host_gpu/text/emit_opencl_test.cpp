#include "host_gpu/text/emit_opencl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host_gpu/spirv/emit_spirv.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Parser/Parser.h"

namespace vta::codegen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class EmitTest : public ::testing::Test {
 protected:
  EmitTest() {
    context_.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::gpu::GPUDialect,
                         mlir::math::MathDialect, mlir::memref::MemRefDialect,
                         mlir::scf::SCFDialect, mlir::spirv::SPIRVDialect>();
  }

  KernelIr kernel(const std::string& body) {
    KernelIr made;
    made.module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @compute(%x: memref<8xf32>, %y: memref<8xi32>) {\n" + body + "\nreturn }",
        &context_);
    EXPECT_TRUE(made.module);
    made.workgroup_size = {8, 1, 1};
    return made;
  }

  mlir::MLIRContext context_;
};

TEST_F(EmitTest, OnlyNestedLoopsLeaveRoundingsToTheDevice) {
  const std::string loop = R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %a = memref.load %x[%c0] : memref<8xf32>
    %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %a) -> (f32) {
      %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%q = %p) -> (f32) {
        %sum = arith.addf %q, %a : f32
        scf.yield %sum : f32
      }
      scf.yield %s : f32
    }
    memref.store %r, %x[%c0] : memref<8xf32>)";
  KernelIr made = kernel(loop);
  EXPECT_THAT(*emitOpenCl(made), Not(HasSubstr("FP_CONTRACT ON")));
  made.keeps_roundings = false;
  const std::string text = *emitOpenCl(made);
  EXPECT_LT(text.rfind("for ("), text.find("FP_CONTRACT ON"));
  EXPECT_THAT(text, HasSubstr("FP_CONTRACT OFF"));
}

TEST_F(EmitTest, ValuesThatALoopSwapsAreAssignedAtOnce) {
  const KernelIr swapping = kernel(R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %a = memref.load %x[%c0] : memref<8xf32>
    %b = memref.load %x[%c1] : memref<8xf32>
    %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %a, %q = %b) -> (f32, f32) {
      scf.yield %q, %p : f32, f32
    }
    memref.store %r#0, %x[%c0] : memref<8xf32>)");
  const auto text = emitOpenCl(swapping);
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_THAT(*text, HasSubstr("reqd_work_group_size(8, 1, 1)"));
  EXPECT_THAT(*text, HasSubstr("const float w0 = "));
  EXPECT_THAT(*text, HasSubstr("const float w1 = "));
  EXPECT_THAT(*text, HasSubstr("= w1;"));
}

TEST_F(EmitTest, SumsOfIntegersWrapAndConstantsAreExact) {
  const KernelIr sums = kernel(R"(
    %i = gpu.thread_id x
    %tenth = arith.constant 0.1 : f32
    %a = memref.load %y[%i] : memref<8xi32>
    %s = arith.addi %a, %a : i32
    memref.store %s, %y[%i] : memref<8xi32>
    memref.store %tenth, %x[%i] : memref<8xf32>)");
  const auto text = emitOpenCl(sums);
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_THAT(*text, HasSubstr("(int)get_local_id(0)"));
  EXPECT_THAT(*text, HasSubstr("(int)((uint)"));
  EXPECT_THAT(*text, HasSubstr("as_float(0x3dcccccdu)"));
}

TEST_F(EmitTest, WhatHasNoFormIsNamed) {
  const std::string body = R"(
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%c0] : memref<8xf32>
    %b = math.cbrt %a : f32
    memref.store %b, %x[%c0] : memref<8xf32>)";
  EXPECT_THAT(emitOpenCl(kernel(body)).status().message(), HasSubstr("math.cbrt"));
  KernelIr again = kernel(body);
  EXPECT_THAT(emitSpirv(again).status().message(), HasSubstr("math.cbrt"));
}

}  // namespace
}  // namespace vta::codegen
