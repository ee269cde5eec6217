#include "compiler/quantize/emit/narrow_tables.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "compiler/dialects/graph/evaluate.h"
#include "compiler/dialects/graph/graph.h"
#include "compiler/dialects/graph/graph_builder.h"
#include "compiler/registration.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

class NarrowTablesTest : public testing::Test {
 protected:
  NarrowTablesTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }

  /// Rows 2 and 0 of a table with three rows of four elements.
  mlir::func::FuncOp mainWith(const std::string& table) {
    const std::string text = fmt::format(R"(
      func.func @main() -> tensor<1x2x4xf32> {{
        %t = arith.constant dense<{}> : tensor<3x4xf32>
        %i = arith.constant dense<[[2, 0]]> : tensor<1x2xi64>
        %o = graph.gather %t, %i {{axis = 0 : i64}}
            : (tensor<3x4xf32>, tensor<1x2xi64>) -> tensor<1x2x4xf32> loc("words")
        return %o : tensor<1x2x4xf32>
      }})",
                                         table);
    module_ = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    EXPECT_TRUE(module_);
    return module_->lookupSymbol<mlir::func::FuncOp>("main");
  }

  /// The elements that @main returns.
  std::vector<float> result() {
    auto main = module_->lookupSymbol<mlir::func::FuncOp>("main");
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*module_)));
    std::map<mlir::Operation*, mlir::DenseElementsAttr> known;
    mlir::DenseElementsAttr last;
    for (mlir::Operation& op : main.getBody().front().without_terminator()) {
      llvm::SmallVector<mlir::DenseElementsAttr> operands;
      for (mlir::Value operand : op.getOperands()) {
        operands.push_back(known.at(operand.getDefiningOp()));
      }
      last = op.getNumOperands() == 0 ? graph::constantOf(op.getResult(0))
                                      : graph::evaluate(&op, operands);
      known[&op] = last;
    }
    const auto values = last.getValues<float>();
    return {values.begin(), values.end()};
  }

  int64_t countConstants(bool of_floats) {
    int64_t elements = 0;
    module_->walk([&](mlir::Operation* op) {
      auto type = op->getNumOperands() == 0 && op->getNumResults() == 1
                      ? mlir::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType())
                      : mlir::RankedTensorType();
      if (!type || type.getElementType().isInteger(64)) return;
      if (type.getElementType().isF32() == of_floats) elements += type.getNumElements();
    });
    return elements;
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

constexpr const char* kTable =
    "[[1.0, -0.5, 0.25, 0.1], [0.0, 0.0, 0.0, 0.0], [-254.0, 127.0, 3.0, -0.9]]";

TEST_F(NarrowTablesTest, RowsAreNearWhatTheyWere) {
  mlir::func::FuncOp main = mainWith(kTable);
  EXPECT_EQ(narrowTables(main, {}, 48), 1);
  const std::vector<float> expected = {-254, 127, 3, -0.9F, 1, -0.5F, 0.25F, 0.1F};
  const std::vector<float> found = result();
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const float step = (i < 4 ? 254.0F : 1.0F) / 127;
    EXPECT_LE(std::abs(found[i] - expected[i]), step * 0.5001F) << i;
  }
  EXPECT_EQ(found[0], -254) << "the largest element of a row is exact";
  EXPECT_EQ(countConstants(true), 3) << "a factor for each row";
  EXPECT_EQ(countConstants(false), 12);
}

TEST_F(NarrowTablesTest, OthersStay) {
  EXPECT_EQ(narrowTables(mainWith(kTable), {}, 49), 0) << "a small one";
  EXPECT_EQ(narrowTables(mainWith(kTable), {"words"}, 1), 0) << "kept in float";
  EXPECT_EQ(narrowTables(mainWith("0x7FC00000"), {}, 1), 0) << "NaN";
  EXPECT_EQ(countConstants(true), 12);
}

TEST_F(NarrowTablesTest, NumbersAtTheEndsOfFloats) {
  // The factor of the last row is no normal number.
  mlir::func::FuncOp main = mainWith(
      "[[3.0e38, -3.0e38, 1.0e38, 0.0], [0.0, 0.0, 0.0, 0.0], [1.0e-44, 3.0e-45, 0.0, -1.0e-44]]");
  EXPECT_EQ(narrowTables(main, {}, 1), 1);
  for (const float value : result()) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace vta::compiler
