// Placement among several back ends: from what they say to runs of operations.
#include "compiler/placement/backends.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "compiler/dialects/graph/graph.h"
#include "compiler/registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

namespace vta::placement {
namespace {

using codegen::Backend;
using codegen::TransferCost;
using ::testing::ElementsAre;

/// Costs by kinds of graph.binary; what is not there it cannot run.
class FakeBackend : public Backend {
 public:
  FakeBackend(std::string name, std::map<graph::BinaryKind, int64_t> costs,
              std::vector<codegen::Transfer> transfers = {})
      : name_(std::move(name)), costs_(std::move(costs)), transfers_(std::move(transfers)) {}

  std::string_view name() const override { return name_; }
  ExecutorInfo executor() const override { return {.kind = "fake", .name = name_}; }
  Status canRun(mlir::Operation* op) const override {
    auto binary = mlir::dyn_cast<graph::BinaryOp>(op);
    return binary && costs_.contains(binary.getKind()) ? Status() : unsupported("not of its kind");
  }
  int64_t cost(mlir::Operation* op) const override {
    return costs_.at(mlir::cast<graph::BinaryOp>(op).getKind());
  }
  int64_t costPerStep() const override { return 1; }
  std::vector<codegen::Transfer> transfers() const override { return transfers_; }
  Result<codegen::CompiledCode> compile(mlir::ModuleOp,
                                        const codegen::CodeOptions&) const override {
    return codegen::CompiledCode();
  }

 private:
  std::string name_;
  std::map<graph::BinaryKind, int64_t> costs_;
  std::vector<codegen::Transfer> transfers_;
};

class BackendsTest : public ::testing::Test {
 protected:
  BackendsTest() {
    mlir::DialectRegistry registry;
    compiler::registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
  }

  /// "host: sub mul | gpu: add", of the function of these lines.
  std::string runs(const std::vector<const Backend*>& backends, const std::string& lines,
                   const std::string& results, const WantedBackend& wanted = {},
                   const BackendRates& rates = {}) {
    std::string text;
    for (char c : lines) text += c == ';' ? std::string(kTypes) + "\n" : std::string(1, c);
    std::string types = "tensor<16xi8>";
    for (const char c : results) types += c == ',' ? ", tensor<16xi8>" : "";
    module_ = mlir::parseSourceString<mlir::ModuleOp>(
        fmt::format("func.func @main(%x: tensor<16xi8>) -> ({}) {{\n"
                    "%k = arith.constant dense<1> : tensor<16xi8>\n{} return {} : {} }}",
                    types, text, results, types),
        &context_);
    EXPECT_TRUE(module_);
    if (!module_) return "no IR";
    std::vector<mlir::Operation*> ops;
    for (auto op : module_->lookupSymbol<mlir::func::FuncOp>("main").getOps<graph::BinaryOp>()) {
      ops.push_back(op);
    }
    std::string out;
    why_.clear();
    BackendAssigner assigner(backends, wanted, rates);
    for (const BackendRun& run : assigner.assign(ops)) {
      why_.push_back(assigner.explain(run));
      out += fmt::format("{}{}:", out.empty() ? "" : " | ", run.backend->name());
      for (mlir::Operation* op : run.ops) {
        const auto kind = mlir::cast<graph::BinaryOp>(op).getKind();
        out += fmt::format(" {}", std::string(stringifyBinaryKind(kind)));
      }
    }
    return out;
  }

  static constexpr const char* kTypes = " : (tensor<16xi8>, tensor<16xi8>) -> tensor<16xi8>";
  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::vector<std::string> why_;  // of the last runs
};

using Kind = graph::BinaryKind;
constexpr const char* kIsland =
    "%a = graph.binary sub %x, %k;%b = graph.binary add %a, %k;%c = graph.binary mul %b, %k;";

TEST_F(BackendsTest, TransfersDecideWhatAnotherMemoryIsWorth) {
  const FakeBackend host("host", {{Kind::sub, 10}, {Kind::add, 100}, {Kind::mul, 10}});
  const FakeBackend near("gpu", {{Kind::add, 10}},
                         {{"host", "gpu", {20, 0.5}}, {"gpu", "host", {20, 0.5}}});
  EXPECT_EQ(runs({&host, &near}, kIsland, "%c"), "host: sub | gpu: add | host: mul");
  const FakeBackend far("gpu", {{Kind::add, 10}},
                        {{"host", "gpu", {20, 2}}, {"gpu", "host", {20, 2}}});  // 2 x 52
  EXPECT_EQ(runs({&host, &far}, kIsland, "%c"), "host: sub add mul");
  const FakeBackend unknown("gpu", {{Kind::add, 10}});
  EXPECT_EQ(runs({&host, &unknown}, kIsland, "%c"), "host: sub add mul");
}

TEST_F(BackendsTest, ConstantsAreNotMoved) {
  const FakeBackend host("host", {{Kind::sub, 100}});
  const FakeBackend gpu("gpu", {{Kind::sub, 10}},
                        {{"host", "gpu", {30, 0}}, {"gpu", "host", {30, 0}}});
  // The input and the result: 60 of 90 that it is quicker.
  EXPECT_EQ(runs({&host, &gpu}, "%a = graph.binary sub %x, %k;", "%a"), "gpu: sub");
}

TEST_F(BackendsTest, IndependentOperationsShareARun) {
  const FakeBackend host("host", {{Kind::sub, 10}, {Kind::mul, 10}});
  const FakeBackend gpu("gpu", {{Kind::add, 10}}, {{"host", "gpu", {}}, {"gpu", "host", {}}});
  EXPECT_EQ(runs({&host, &gpu},
                 "%a = graph.binary add %x, %k;%b = graph.binary sub %x, %k;"
                 "%c = graph.binary add %a, %x;%d = graph.binary mul %b, %x;",
                 "%c, %d"),
            "gpu: add add | host: sub mul");
}

TEST_F(BackendsTest, ThreeMachinesShareANetwork) {
  const FakeBackend host("host", {{Kind::sub, 500}, {Kind::add, 500}, {Kind::mul, 5}});
  const FakeBackend gpu(
      "gpu", {{Kind::sub, 20}, {Kind::add, 300}},
      {{"host", "gpu", {50, 0}}, {"gpu", "host", {50, 0}}, {"gpu", "npu", {1, 0}}});
  const FakeBackend npu("npu", {{Kind::add, 20}},
                        {{"host", "npu", {50, 0}}, {"npu", "host", {50, 0}}});
  EXPECT_EQ(runs({&host, &gpu, &npu}, kIsland, "%c"), "gpu: sub | npu: add | host: mul");
}

TEST_F(BackendsTest, WithoutAWayTensorsGoThroughTheFirstMemory) {
  const FakeBackend host("host", {});
  const FakeBackend gpu("gpu", {}, {{"host", "gpu", {1, 0.5}}, {"gpu", "host", {2, 0.25}}});
  const FakeBackend npu("npu", {}, {{"host", "npu", {10, 4}}, {"npu", "gpu", {7, 1}}});
  const std::vector<const Backend*> backends = {&host, &gpu, &npu};
  const BackendAssigner assigner(backends);
  EXPECT_EQ(assigner.transferBetween("gpu", "npu").of(16), 2 + 4 + 10 + 64);
  EXPECT_EQ(assigner.transferBetween("npu", "gpu").of(16), 7 + 16);
  EXPECT_EQ(assigner.transferBetween("npu", "host").of(16), codegen::kUnknownTransfer.of(16));
  EXPECT_EQ(assigner.transferBetween("gpu", "gpu").of(16), 0);
}

TEST_F(BackendsTest, WhatNobodyCanRunIsTheFirstOnes) {
  const FakeBackend host("host", {}), gpu("gpu", {{Kind::add, 1}});
  EXPECT_EQ(runs({&host, &gpu}, "%a = graph.binary max %x, %k;", "%a"), "host: max");
}

TEST_F(BackendsTest, WhatIsWantedRunsThereWhateverItTakes) {
  const FakeBackend host("host", {{Kind::sub, 10}, {Kind::add, 10}, {Kind::mul, 10}});
  const FakeBackend gpu("gpu", {{Kind::add, 1000}});
  const auto of = [](Kind kind) {
    return [kind](mlir::Operation* op) -> std::string_view {
      return mlir::cast<graph::BinaryOp>(op).getKind() == kind ? "gpu" : "";
    };
  };
  EXPECT_EQ(runs({&host, &gpu}, kIsland, "%c", of(Kind::add)), "host: sub | gpu: add | host: mul");
  EXPECT_EQ(why_[1], "");
  // What it cannot run goes elsewhere.
  EXPECT_EQ(runs({&host, &gpu}, kIsland, "%c", of(Kind::mul)), "host: sub add mul");
  EXPECT_EQ(why_[0], "not on the gpu: not of its kind");
}

TEST_F(BackendsTest, SaysWhatOperationsTake) {
  const FakeBackend host("host", {{Kind::add, 4'000'000}});
  const FakeBackend gpu("gpu", {{Kind::add, 1'000'000}}, {{"host", "gpu", {}}});
  EXPECT_EQ(runs({&host, &gpu}, "%a = graph.binary add %x, %k;", "%a"), "gpu: add");
  EXPECT_EQ(why_[0], "estimates: 0.100 ms on the host, 0.025 ms on the gpu");
  EXPECT_EQ(runs({&host}, "%a = graph.binary add %x, %k;", "%a"), "host: add");
  EXPECT_EQ(why_[0], "");
}

TEST_F(BackendsTest, WhatIsKnownOfAMachineCountsInPlaceOfItsEstimates) {
  const FakeBackend host("host", {{Kind::add, 1000}});  // 25 ns
  const FakeBackend gpu("gpu", {{Kind::add, 1'000'000}});
  const std::string add = "%a = graph.binary add %x, %k;";
  MachineRates fast = {.macs_per_second = 1e12, .bytes_per_second = 48e9};  // 48 bytes: 1 ns
  EXPECT_EQ(runs({&host, &gpu}, add, "%a", {}, {{"gpu", fast}}), "gpu: add");
  fast.bytes_per_second = 1e9;  // 48 ns
  EXPECT_EQ(runs({&host, &gpu}, add, "%a", {}, {{"gpu", fast}}), "host: add");
  fast = {.macs_per_second = 1e12, .bytes_per_second = 48e9, .seconds_per_run = 1e-6};
  EXPECT_EQ(runs({&host, &gpu}, add, "%a", {}, {{"gpu", fast}}), "host: add");
  fast = {.macs_per_second = 1e12,
          .bytes_per_second = 48e9,
          .seconds_per_transfer = 1e-9,
          .transfer_bytes_per_second = 1e9};  // 17 ns there, 17 ns back
  EXPECT_EQ(runs({&host, &gpu}, add, "%a", {}, {{"gpu", fast}}), "host: add");
}

}  // namespace
}  // namespace vta::placement
