// What outputs were joined from, and errors that count every part alike.
#include "compiler/quantize/common/output_parts.h"

#include <gtest/gtest.h>

#include "compiler/dialects/graph/graph.h"
#include "compiler/registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

class OutputPartsTest : public testing::Test {
 protected:
  OutputPartsTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }

  OutputParts partsOfResult(const std::string& body, const std::string& type) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @main(%a: tensor<1x1x3xf32>, %b: tensor<1x2x3xf32>) -> " + type + " {\n" + body +
            "  return %o : " + type + "\n}",
        &context_);
    EXPECT_TRUE(module);
    auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
    return partsOf(main.getBody().front().getTerminator()->getOperand(0));
  }

  mlir::MLIRContext context_;
};

constexpr const char* kJoin =
    "  %k = graph.concat %a, %b {axis = 1 : i64} : (tensor<1x1x3xf32>, tensor<1x2x3xf32>) -> "
    "tensor<1x3x3xf32>\n";

TEST_F(OutputPartsTest, AreWhatWasJoinedWhereMovesLeaveIt) {
  const OutputParts parts = partsOfResult(
      std::string(kJoin) +
          "  %o = graph.transpose %k {permutation = array<i64: 0, 2, 1>} : (tensor<1x3x3xf32>) -> "
          "tensor<1x3x3xf32>\n",
      "tensor<1x3x3xf32>");
  EXPECT_EQ(parts.count, 2);
  EXPECT_EQ(parts.part_of, (std::vector<int>{0, 1, 1, 0, 1, 1, 0, 1, 1}));
}

TEST_F(OutputPartsTest, ReshapesKeepTheOrder) {
  const OutputParts parts = partsOfResult(
      std::string(kJoin) + "  %o = graph.reshape %k : (tensor<1x3x3xf32>) -> tensor<9xf32>\n",
      "tensor<9xf32>");
  EXPECT_EQ(parts.part_of, (std::vector<int>{0, 0, 0, 1, 1, 1, 1, 1, 1}));
}

TEST_F(OutputPartsTest, OtherOutputsAreOnePart) {
  const OutputParts parts =
      partsOfResult("  %o = graph.unary relu %a : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32>\n",
                    "tensor<1x1x3xf32>");
  EXPECT_EQ(parts.count, 1);
  EXPECT_TRUE(parts.part_of.empty());
}

TEST(NoiseOverSignalTest, CountsEveryPartAlike) {
  const std::vector<float> exact = {100, 100, 0.01F, 0.02F}, lost = {100, 100, 0, 0};
  EXPECT_LT(noiseOverSignal(exact, lost, {}), 1e-6);
  EXPECT_DOUBLE_EQ(noiseOverSignal(exact, lost, {2, {0, 0, 1, 1}}), 0.5);
  EXPECT_EQ(noiseOverSignal(exact, exact, {2, {0, 0, 1, 1}}), 0);
}

}  // namespace
}  // namespace vta::compiler
