// Which linalg ops are sums of products in blocks, and where their sums begin.
#include "host_gpu/kernels/contraction.h"

#include <gtest/gtest.h>

#include <string>

#include "host_gpu/kernels/gemm/product.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace vta::codegen {
namespace {

class ContractionTest : public ::testing::Test {
 protected:
  ContractionTest() {
    context_.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                         mlir::linalg::LinalgDialect, mlir::memref::MemRefDialect>();
  }

  /// The linalg ops of a function with these arguments and this body.
  std::vector<mlir::linalg::LinalgOp> parse(const std::string& arguments, const std::string& body) {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(" + arguments + ") {\n" + body + "\nreturn }", &context_);
    std::vector<mlir::linalg::LinalgOp> ops;
    if (module_) module_->walk([&](mlir::linalg::LinalgOp op) { ops.push_back(op); });
    return ops;
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

TEST_F(ContractionTest, AConvolutionIsAProductOfFiltersAndPixels) {
  const auto ops =
      parse("%x: memref<2x5x9x9xi8>, %w: memref<8x5x3x3xi8>, %y: memref<2x8x4x4xi32>",
            "linalg.conv_2d_nchw_fchw {strides = dense<2> : vector<2xi64>, dilations = dense<1> : "
            "vector<2xi64>} ins(%x, %w : memref<2x5x9x9xi8>, memref<8x5x3x3xi8>) outs(%y : "
            "memref<2x8x4x4xi32>)");
  ASSERT_EQ(ops.size(), 1U);
  const auto found = matchContraction(ops[0]);
  ASSERT_TRUE(found);
  const GemmSpec spec = gemmSpecOf(*found);
  EXPECT_EQ(spec.batch, 1);
  EXPECT_EQ(spec.rows, 8);
  EXPECT_EQ(spec.columns, 2 * 4 * 4);
  EXPECT_EQ(spec.depth, 5 * 3 * 3);
  EXPECT_NE(found->left.extension, nullptr);
  // n, f, y, x, c, ky, kx
  EXPECT_EQ(found->right.coefficients, (mlir::SmallVector<int64_t>{405, 0, 18, 2, 81, 9, 1}));
}

TEST_F(ContractionTest, GroupsAreABatch) {
  const auto ops =
      parse("%x: memref<1x2x8x9x9xf32>, %w: memref<2x8x8x3x3xf32>, %y: memref<1x2x8x7x7xf32>",
            "linalg.conv_2d_ngchw_gfchw ins(%x, %w : memref<1x2x8x9x9xf32>, memref<2x8x8x3x3xf32>) "
            "outs(%y : memref<1x2x8x7x7xf32>)");
  ASSERT_EQ(ops.size(), 1U);
  const auto found = matchContraction(ops[0]);
  ASSERT_TRUE(found);
  EXPECT_EQ(gemmSpecOf(*found).batch, 2);
  EXPECT_TRUE(matchBlocks(ops[0]));
}

TEST_F(ContractionTest, SumsBeginAtZeroOrAtABias) {
  const std::string buffers =
      "%a: memref<9x8xf32>, %b: memref<8x9xf32>, %y: memref<9x9xf32>, %bias: memref<9xf32>";
  const std::string product =
      "linalg.matmul ins(%a, %b : memref<9x8xf32>, memref<8x9xf32>) outs(%y : memref<9x9xf32>)\n";
  const auto fill = [&](const std::string& value) {
    return "%c = arith.constant " + value +
           " : f32\nlinalg.fill ins(%c : f32) outs(%y : memref<9x9xf32>)\n";
  };
  auto ops = parse(buffers, fill("0.0") + product);
  ASSERT_EQ(ops.size(), 2U);
  auto begin = initialSums(ops[0], ops[1]);
  ASSERT_TRUE(begin);
  EXPECT_FALSE(*begin);
  ops = parse(buffers, fill("1.0") + product);
  EXPECT_FALSE(initialSums(ops[0], ops[1]));
  ops = parse(buffers,
              "linalg.generic {indexing_maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> "
              "(m, n)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%bias : memref<9xf32>) "
              "outs(%y : memref<9x9xf32>) {\n^bb0(%v: f32, %o: f32):\nlinalg.yield %v : f32\n}\n" +
                  product);
  ASSERT_EQ(ops.size(), 2U);
  begin = initialSums(ops[0], ops[1]);
  ASSERT_TRUE(begin && *begin);
  EXPECT_EQ((*begin)->coefficients, (mlir::SmallVector<int64_t>{0, 1, 0}));
}

TEST_F(ContractionTest, OtherSumsAreNone) {
  const auto ops = parse(
      "%a: memref<9x8xf32>, %y: memref<9xf32>",
      "linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], "
      "iterator_types = [\"parallel\", \"reduction\"]} ins(%a : memref<9x8xf32>) outs(%y : "
      "memref<9xf32>) {\n^bb0(%v: f32, %o: f32):\n%s = arith.addf %v, %o : f32\nlinalg.yield %s : "
      "f32\n}");
  ASSERT_EQ(ops.size(), 1U);
  EXPECT_FALSE(matchContraction(ops[0]));
}

}  // namespace
}  // namespace vta::codegen
