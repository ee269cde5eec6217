#include "compiler/module/ir_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"

namespace vta::compiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class IrTensors : public ::testing::Test {
 protected:
  Result<Tensor> read(const char* text) {
    return readConstant(mlir::parseAttribute(text, &context_));
  }
  Status describeError(const char* text) {
    return describeType(mlir::parseType(text, &context_)).status();
  }
  mlir::MLIRContext context_;
};

TEST_F(IrTensors, ReadsDenseAndSplatConstants) {
  const auto dense = read("dense<[[1, -2], [3, 70000]]> : tensor<2x2xi32>");
  ASSERT_TRUE(dense.ok()) << dense.status().message();
  EXPECT_THAT(dense->shape, ElementsAre(2, 2));
  EXPECT_THAT(dense->as<int32_t>(), ElementsAre(1, -2, 3, 70000));
  const auto splat = read("dense<1.5> : tensor<3xf32>");
  ASSERT_TRUE(splat.ok());
  EXPECT_THAT(splat->as<float>(), ElementsAre(1.5f, 1.5f, 1.5f));
  const auto scalar = read("dense<-7> : tensor<i64>");
  ASSERT_TRUE(scalar.ok());
  EXPECT_THAT(scalar->as<int64_t>(), ElementsAre(-7));
}

TEST_F(IrTensors, BooleansTakeAByteEach) {
  const auto bits = read("dense<[true, false, true]> : tensor<3xi1>");
  ASSERT_TRUE(bits.ok());
  EXPECT_EQ(bits->dtype, DType::kBool);
  EXPECT_THAT(bits->as<uint8_t>(), ElementsAre(1, 0, 1));
  const auto all = read("dense<true> : tensor<2xi1>");
  ASSERT_TRUE(all.ok());
  EXPECT_THAT(all->as<uint8_t>(), ElementsAre(1, 1));
}

TEST_F(IrTensors, ReadsResources) {
  const auto resource = read(R"(dense_resource<none> : tensor<2xf32>)");
  EXPECT_THAT(resource.status().message(), HasSubstr("without dense elements"));
}

TEST_F(IrTensors, RefusesOtherTypes) {
  EXPECT_THAT(describeError("tensor<?xf32>").message(), HasSubstr("static tensor type"));
  EXPECT_THAT(describeError("i32").message(), HasSubstr("static tensor type"));
  EXPECT_THAT(describeError("tensor<2xf80>").message(), HasSubstr("f80"));
  EXPECT_THAT(read("42 : i32").status().message(), HasSubstr("not a tensor"));
}

}  // namespace
}  // namespace vta::compiler
