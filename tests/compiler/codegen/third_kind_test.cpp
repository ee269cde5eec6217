// A machine of a kind that nothing of the compiler knows (adder_machine.h), from the graph to a
// module that is written and read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
#include "module/module_file.h"
#include "tests/compiler/codegen/adder_machine.h"

namespace vta::codegen {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Contents = SpaceInfo::Contents;

class ThirdKind : public ::testing::Test {
 protected:
  ThirdKind() {
    mlir::DialectRegistry registry;
    compiler::registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
  }

  /// `text` is partitioned, unless `is_partitioned` already, built, written and read back.
  void build(const std::string& text, bool is_partitioned) {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    ASSERT_TRUE(module_);
    if (!is_partitioned) {
      mlir::PassManager manager(&context_);
      manager.addPass(compiler::createOutlineHostPass());
      ASSERT_TRUE(mlir::succeeded(manager.run(*module_)));
    }
    auto built = compiler::buildModule(*module_, "sums.onnx", HwConfig::makeDefault(), {});
    ASSERT_TRUE(built.ok()) << built.status().message();
    auto elf = compiler::writeModule(built->info, built->contents);
    ASSERT_TRUE(elf.ok()) << elf.status().message();
    elf_ = *std::move(elf);
    auto view = viewModule(elf_);
    ASSERT_TRUE(view.ok()) << view.status().message();
    view_ = *std::move(view);
  }

  const ModuleInfo& info() const { return view_.info; }
  const StepInfo& step(size_t index) const { return info().steps.at(index); }
  const ProgramInfo& program(uint32_t entry) const { return info().programs.at(entry); }

  std::string textOf(const ProgramInfo& program, std::string_view target) const {
    const CodeVariant* code = program.variantFor({&target, 1});
    if (code == nullptr) return "no code";
    return {reinterpret_cast<const char*>(view_.programs.data()) + code->offset_bytes,
            static_cast<size_t>(code->size_bytes)};
  }

  /// The executors of the steps, by name.
  std::vector<std::string> executors() const {
    std::vector<std::string> names;
    for (const StepInfo& step : info().steps) names.push_back(info().executorOf(step).name);
    return names;
  }
  const std::string& memoryOf(uint32_t tensor) const {
    return info().spaceOf(info().tensors.at(tensor)).name;
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::vector<std::byte> elf_;
  ModuleView view_;
};

constexpr const char* kNetwork = R"(
func.func @main(%x: tensor<1x16x160x160xf32> {graph.name = "x"},
                %y: tensor<1x16x160x160xf32> {graph.name = "y"})
    -> (tensor<1x16x160x160xf32> {graph.name = "z"}) {
  %t = arith.constant dense<2.5> : tensor<1x16x160x160xf32>
  %a = graph.binary mul %x, %y : (tensor<1x16x160x160xf32>, tensor<1x16x160x160xf32>) -> tensor<1x16x160x160xf32>
  %b = graph.binary add %a, %x : (tensor<1x16x160x160xf32>, tensor<1x16x160x160xf32>) -> tensor<1x16x160x160xf32>
  %c = graph.binary add %b, %t : (tensor<1x16x160x160xf32>, tensor<1x16x160x160xf32>) -> tensor<1x16x160x160xf32>
  %d = graph.binary mul %c, %y : (tensor<1x16x160x160xf32>, tensor<1x16x160x160xf32>) -> tensor<1x16x160x160xf32>
  return %d : tensor<1x16x160x160xf32>
})";

TEST_F(ThirdKind, RunsItsPartOfANetworkInItsOwnMemory) {
  const testing::AdderMachine machine("adder0");
  build(kNetwork, false);
  if (HasFatalFailure()) return;
  EXPECT_THAT(executors(), ElementsAre("cpu", "adder0", "cpu"));
  const uint32_t adder = step(1).executor;
  const ExecutorInfo& executor = info().executors[adder];
  EXPECT_EQ(executor.kind, "adder");
  EXPECT_EQ(executor.features, std::vector<std::string>{"sums"});
  EXPECT_THAT(info().hostFeatures(), ::testing::Not(::testing::Contains("sums")));
  EXPECT_EQ(info().spaces[*info().findSpace(adder, Contents::kActivations)].alignment_bytes, 256u);

  const ProgramInfo& sums = program(step(1).entry);
  EXPECT_EQ(textOf(sums, ""), "add 0 1\nadd 3 2\n");
  EXPECT_EQ(textOf(sums, "wide"), "wideadd 0 1\nadd 3 2\n");
  EXPECT_EQ(textOf(sums, "other"), "add 0 1\nadd 3 2\n");
  ASSERT_EQ(sums.buffers.size(), 4u);  // two inputs, the constant, the result
  std::vector<std::string> memories;
  for (const int32_t tensor : sums.buffers) memories.push_back(memoryOf(uint32_t(tensor)));
  EXPECT_THAT(memories, ElementsAre("adder0", "adder0", "adder0_constant", "adder0"));

  // The CPU has the same function, with constants of its own, to compare with.
  ASSERT_GE(step(1).reference, 0);
  EXPECT_EQ(step(1).arguments.front(), uint32_t(sums.buffers[0]));
  EXPECT_EQ(step(1).arguments.back(), uint32_t(sums.buffers[3]));
  EXPECT_EQ(info().layers[step(1).layer].where, "adder0");
  ASSERT_EQ(info().layers[step(1).layer].convolutions.size(), 1u);
  EXPECT_EQ(info().layers[step(1).layer].convolutions[0].name, "sums");

  // A runtime without it says so.
  const auto loaded = driver::LoadedModule::fromMemory(elf_);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  const auto session = driver::Session::create(*loaded, nullptr, {});
  EXPECT_THAT(session.status().message(), HasSubstr("of kind 'adder'"));
}

/// Two machines of the kind; what the one makes is read by the other.
constexpr const char* kPartitioned = R"(
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {vta.backend = "adder0"} {
  %0 = graph.binary add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @g(%a: tensor<4xf32>) -> tensor<4xf32> attributes {vta.backend = "adder1"} {
  %0 = graph.binary add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @h(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.binary mul %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "z"}, tensor<4xf32> {graph.name = "w"}) {
  %k = arith.constant dense<2.5> : tensor<4xf32>
  %0 = call @f(%x, %k) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f(%0, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = call @g(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @g(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %6 = call @g(%k) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = call @h(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = call @h(%2) : (tensor<4xf32>) -> tensor<4xf32>
  return %5, %3 : tensor<4xf32>, tensor<4xf32>
})";

TEST_F(ThirdKind, NeighboursAreLinkedAndReadWhatOthersMake) {
  const testing::AdderMachine first("adder0"), second("adder1");
  build(kPartitioned, true);
  if (HasFatalFailure()) return;
  EXPECT_THAT(executors(),
              ElementsAre("adder0", "adder0", "adder1", "adder1", "adder1", "cpu", "cpu"));
  // A value lies where it is made; who needs it elsewhere gets it from there.
  EXPECT_EQ(step(2).arguments[0], step(1).arguments.back());
  EXPECT_EQ(memoryOf(step(2).arguments[0]), "adder0");
  EXPECT_EQ(memoryOf(step(2).arguments.back()), "adder1");
  // Constants are there twice, but once in the file.
  EXPECT_EQ(memoryOf(step(0).arguments[1]), "adder0_constant");
  EXPECT_EQ(memoryOf(step(4).arguments[0]), "adder1_constant");
  EXPECT_EQ(info().tensors[step(0).arguments[1]].offset_bytes,
            info().tensors[step(4).arguments[0]].offset_bytes);
  EXPECT_EQ(memoryOf(info().inputs[0].tensor), "adder0");

  const ActionInfo& launch = info().actions.front();
  EXPECT_EQ(launch.step_count, 2u);
  EXPECT_EQ(textOf(program(launch.entry), "wide"), "wideadd 0 1\nwideadd 0 1\n");
  EXPECT_EQ(program(launch.entry).buffers.size(), 6u);
  std::vector<std::string> background;
  for (const ActionInfo& action : info().actions) {
    const std::string& name = info().executors[action.executor].name;
    if (action.in_background) background.push_back(name);
  }
  // The second needs what the first one makes; the product of the input needs nothing of the
  // second's, which ends its first launch where the other product can go on.
  EXPECT_THAT(background, ElementsAre("adder1", "adder1"));
}

TEST_F(ThirdKind, WhatItMakesNoCodeForIsAnError) {
  class Lazy : public testing::AdderMachine {
   public:
    Lazy() : AdderMachine("lazy") {}
    Result<CompiledCode> compile(mlir::ModuleOp, const CodeOptions&) const override {
      return CompiledCode();
    }
  };
  const Lazy machine;
  std::string text = R"(
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> attributes {vta.backend = "lazy"} {
  return %a : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";
  module_ = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
  ASSERT_TRUE(module_);
  const auto built = compiler::buildModule(*module_, "lazy.onnx", HwConfig::makeDefault(), {});
  EXPECT_EQ(built.status().message(), "back end 'lazy' made no code of 'f'");
}

}  // namespace
}  // namespace vta::codegen
