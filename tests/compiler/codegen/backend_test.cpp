// The door to back ends: the registry, and a network of which another one than the CPU runs a part.
#include "compiler/codegen/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "compiler/codegen/executable.h"
#include "compiler/module/module_builder.h"
#include "compiler/placement/backends.h"
#include "compiler/registration.h"
#include "compiler/vta/passes.h"
#include "driver/runtime/session.h"
#include "host_cpu/backend/backend.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "tests/compiler/codegen/adder_backend.h"

namespace vta::codegen {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(BackendRegistry, KnowsWhatIsRegistered) {
  EXPECT_THAT(registeredBackends(), ElementsAre(&cpuBackend()));
  EXPECT_EQ(findBackend("cpu"), &cpuBackend());
  EXPECT_EQ(findBackend("adder"), nullptr);
  {
    const testing::AdderBackend adder;
    EXPECT_THAT(registeredBackends(), ElementsAre(&cpuBackend(), &adder));
    EXPECT_EQ(findBackend("adder"), &adder);
    const auto first = defaultBackend();
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(*first, &cpuBackend());
  }
  EXPECT_EQ(findBackend("adder"), nullptr);
}

TEST(BackendRegistry, WithoutBackEndsThereIsNoDefault) {
  unregisterBackend(cpuBackend());
  EXPECT_THAT(defaultBackend().status().message(), HasSubstr("no back end"));
  registerBackend(cpuBackend());
  EXPECT_TRUE(defaultBackend().ok());
}

/// @main computes ((x - y) + x + y) * y: only the sums are for the adder.
std::string network(const std::string& type) {
  const std::string types = " : (" + type + ", " + type + ") -> " + type + "\n";
  return "func.func @main(%x: " + type + " {graph.name = \"x\"}, %y: " + type +
         " {graph.name = \"y\"}) -> (" + type + " {graph.name = \"z\"}) {\n" +
         "  %a = graph.binary sub %x, %y" + types +  //
         "  %b = graph.binary add %a, %x" + types +  //
         "  %c = graph.binary add %b, %y" + types +  //
         "  %d = graph.binary mul %c, %y" + types +  //
         "  return %d : " + type + "\n}\n";
}

class SecondBackend : public ::testing::Test {
 protected:
  SecondBackend() {
    mlir::DialectRegistry registry;
    compiler::registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
  }

  /// Host functions with the names of their back ends; "" for the first one.
  Result<std::map<std::string, std::string>> outline(const std::string& type) {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(network(type), &context_);
    if (!module_) return invalidArgument("the test's IR does not parse");
    mlir::PassManager manager(&context_);
    manager.addPass(compiler::createOutlineHostPass());
    if (mlir::failed(manager.run(*module_))) return internalError("outlining failed");
    std::map<std::string, std::string> backends;
    for (auto function : module_->getOps<mlir::func::FuncOp>()) {
      if (function.getName() == "main") continue;
      auto name = function->getAttrOfType<mlir::StringAttr>(placement::kBackendAttr);
      backends[function.getName().str()] = name ? name.str() : "";
    }
    return backends;
  }

  Result<compiler::BuiltModule> build() {
    return compiler::buildModule(*module_, "sums.onnx", HwConfig::makeDefault(), {});
  }

  static Result<TensorMap> run(const compiler::BuiltModule& built, const TensorMap& inputs) {
    VTA_ASSIGN_OR_RETURN(const auto elf, compiler::writeModule(built.info, built.contents));
    VTA_ASSIGN_OR_RETURN(const auto loaded, driver::LoadedModule::fromMemory(elf));
    VTA_ASSIGN_OR_RETURN(const auto session, driver::Session::create(loaded, nullptr, {}));
    VTA_ASSIGN_OR_RETURN(const auto result, session->run(inputs));
    return result.outputs;
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

constexpr const char* kLarge = "tensor<1x16x160x160xf32>";

TEST_F(SecondBackend, RunsItsPartOfANetwork) {
  TensorMap inputs;
  for (const char* name : {"x", "y"}) {
    Tensor& tensor = inputs[name] = Tensor::zeros(DType::kF32, {1, 16, 160, 160});
    for (size_t i = 0; i < tensor.as<float>().size(); ++i) {
      tensor.as<float>()[i] = static_cast<float>(i % 1009) * (name[0] == 'x' ? 0.37F : -0.11F);
    }
  }
  const auto alone = outline(kLarge);
  ASSERT_TRUE(alone.ok()) << alone.status().message();
  EXPECT_THAT(*alone, ElementsAre(std::pair("host_0", "")));
  const auto by_cpu = build();
  ASSERT_TRUE(by_cpu.ok()) << by_cpu.status().message();
  const auto expected = run(*by_cpu, inputs);
  ASSERT_TRUE(expected.ok()) << expected.status().message();

  const testing::AdderBackend adder;
  const auto shared = outline(kLarge);
  ASSERT_TRUE(shared.ok()) << shared.status().message();
  EXPECT_THAT(*shared, ElementsAre(std::pair("host_0", ""), std::pair("host_1", "adder"),
                                   std::pair("host_2", "")));
  const auto by_both = build();
  ASSERT_TRUE(by_both.ok()) << by_both.status().message();
  EXPECT_EQ(adder.functionsCompiled(), 1);
  EXPECT_GE(by_both->contents.host_objects.size(), 2U);
  const auto actual = run(*by_both, inputs);
  ASSERT_TRUE(actual.ok()) << actual.status().message();
  EXPECT_EQ(actual->at("z").data, expected->at("z").data);
}

TEST_F(SecondBackend, GetsNothingThatGainsTooLittle) {
  const testing::AdderBackend adder;
  const auto shared = outline("tensor<1x16x8x8xf32>");
  ASSERT_TRUE(shared.ok()) << shared.status().message();
  EXPECT_THAT(*shared, ElementsAre(std::pair("host_0", "")));
}

TEST_F(SecondBackend, SaysWhatItCannotRun) {
  const testing::AdderBackend adder;
  module_ = mlir::parseSourceString<mlir::ModuleOp>(network("tensor<4xi32>"), &context_);
  ASSERT_TRUE(module_);
  auto main = module_->lookupSymbol<mlir::func::FuncOp>("main");
  std::vector<std::string> reasons;
  for (mlir::Operation& op : main.getBody().front().without_terminator()) {
    reasons.push_back(adder.canRun(&op).message());
    EXPECT_TRUE(cpuBackend().canRun(&op).ok());
  }
  EXPECT_THAT(reasons,
              ElementsAre("it is no sum", "it is no float", "it is no float", "it is no sum"));
}

TEST_F(SecondBackend, OneThatIsGoneIsAnError) {
  {
    const testing::AdderBackend adder;
    ASSERT_TRUE(outline(kLarge).ok());
  }
  EXPECT_EQ(build().status().message(), "no back end 'adder'");
}

}  // namespace
}  // namespace vta::codegen
