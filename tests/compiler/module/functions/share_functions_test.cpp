#include "compiler/module/functions/share_functions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

constexpr const char* kModule = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = call @first(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = call @same(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = call @other_value(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %d = call @other_attribute(%c) : (tensor<4xf32>) -> tensor<4xf32>
  %e = call @same_again(%d) : (tensor<4xf32>) -> tensor<4xf32>
  return %e : tensor<4xf32>
}
func.func private @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<1.0> : tensor<4xf32> loc("one")
  %y = arith.addf %x, %c : tensor<4xf32> loc("plus")
  return %y : tensor<4xf32>
}
func.func private @same(%value: tensor<4xf32>) -> tensor<4xf32> {
  %one = arith.constant dense<1.0> : tensor<4xf32> loc("1")
  %sum = arith.addf %value, %one : tensor<4xf32> loc("another place")
  return %sum : tensor<4xf32>
}
func.func private @other_value(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<2.0> : tensor<4xf32>
  %y = arith.addf %x, %c : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @other_attribute(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {vta.backend = "other"} {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %y = arith.addf %x, %c : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @same_again(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %y = arith.addf %x, %c : tensor<4xf32>
  return %y : tensor<4xf32>
}
)";

TEST(ShareFunctionsTest, CallsNameTheFirstOfEqualFunctions) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kModule, &context);
  ASSERT_TRUE(module);
  shareFunctions(*module);
  std::vector<std::string> names, callees;
  for (auto function : module->getOps<mlir::func::FuncOp>())
    names.push_back(function.getName().str());
  module->walk([&](mlir::func::CallOp call) { callees.push_back(call.getCallee().str()); });
  EXPECT_EQ(names, (std::vector<std::string>{"main", "first", "other_value", "other_attribute"}));
  EXPECT_EQ(callees, (std::vector<std::string>{"first", "first", "other_value", "other_attribute",
                                               "first"}));
}

}  // namespace
}  // namespace vta::compiler
