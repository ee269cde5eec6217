// Activations between two quantised layers: no floats, and the integers that the definition gives.
#include "compiler/quantize/emit/functions/tables.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/dialects/graph/constant_tensor.h"
#include "compiler/quantize/quantize.h"
#include "compiler/registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

constexpr const char* kTableImage = "tensor<1x4x6x6xf32>";

std::string weights(const std::string& name, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1, 1);
  std::string text = "  %" + name + " = arith.constant dense<[";
  for (int o = 0; o < 4; ++o) {
    text += o > 0 ? ", [" : "[";
    for (int i = 0; i < 4; ++i) {
      text += (i > 0 ? ", [[" : "[[") + std::to_string(value(random)) + "]]";
    }
    text += "]";
  }
  return text + "]> : tensor<4x4x1x1xf32>\n";
}

std::string conv(const std::string& result, const std::string& input, const std::string& weight) {
  return "  %" + result + " = graph.conv %" + input + ", %" + weight +
         " {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, "
         "1>}"
         " : (" +
         kTableImage + ", tensor<4x4x1x1xf32>) -> " + kTableImage + "\n";
}

/// conv, `body` from %c to %y, conv.
std::string network(const std::string& body) {
  return std::string("func.func @main(%x: ") + kTableImage + " {graph.name = \"x\"}) -> " +
         kTableImage + " {\n" + weights("w1", 1) + weights("w2", 2) + conv("c", "x", "w1") + body +
         conv("o", "y", "w2") + "  return %o : " + kTableImage + "\n}\n";
}

std::string unary(const std::string& text, const std::string& from, const std::string& to) {
  return "  %" + to + " = graph.unary " + text.substr(0, text.find(' ')) + " %" + from +
         (text.find(' ') == std::string::npos ? "" : text.substr(text.find(' '))) + " : (" +
         kTableImage + ") -> " + kTableImage + "\n";
}

std::string multiply(const std::string& a, const std::string& b, const std::string& to) {
  return "  %" + to + " = graph.binary mul %" + a + ", %" + b + " : (" + kTableImage + ", " +
         kTableImage + ") -> " + kTableImage + "\n";
}

struct Activation {
  const char* name;
  std::string body;
  double (*function)(double);
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<Activation> activations() {
  return {
      {"sigmoid", unary("sigmoid", "c", "y"), sigmoid},
      {"silu", unary("sigmoid", "c", "s") + multiply("c", "s", "y"),
       [](double x) { return x * sigmoid(x); }},
      {"mish", unary("softplus", "c", "p") + unary("tanh", "p", "t") + multiply("c", "t", "y"),
       [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {"leaky", unary("leaky_relu {alpha = 0.1 : f64}", "c", "y"),
       [](double x) { return x < 0 ? 0.1 * x : x; }},
      {"hard_swish", unary("hard_swish", "c", "y"),
       [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
      {"elu", unary("elu {alpha = 1.0 : f64}", "c", "y"),
       [](double x) { return x < 0 ? std::expm1(x) : x; }},
      {"gelu", unary("gelu", "c", "y"),
       [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
  };
}

class TablesTest : public testing::TestWithParam<Activation> {
 protected:
  TablesTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }

  mlir::OwningOpRef<mlir::ModuleOp> quantized(const std::string& text, const HwConfig& hw,
                                              CurvePlace curves = CurvePlace::kAuto) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    if (!module) return module;
    Tensor sample = Tensor::zeros(DType::kF32, {1, 4, 6, 6});
    std::mt19937 random(3);
    std::normal_distribution<float> value(0, 3);
    for (float& element : sample.as<float>()) element = value(random);
    QuantizeOptions options;
    options.samples = {{{"x", sample}}};
    options.curves = curves;
    const Result<QuantizeReport> report = quantizeGraph(*module, hw, options);
    EXPECT_TRUE(report.ok()) << report.status().message();
    EXPECT_TRUE(mlir::succeeded(module->verify()));
    return module;
  }

  static void expectNoFloats(mlir::ModuleOp module) {
    module.walk([](mlir::Operation* op) {
      if (mlir::isa<graph::QuantizeOp, graph::DequantizeOp>(op)) return;
      for (mlir::Value result : op->getResults()) {
        EXPECT_FALSE(mlir::getElementTypeOrSelf(result.getType()).isF32())
            << op->getName().getStringRef().str();
      }
    });
  }

  mlir::MLIRContext context_;
};

HwConfig withoutQmul() {
  HwParams params = HwConfig::makeDefault().params();
  params.ext_qmul = params.ext_clip = params.ext_pad_min = params.ext_requant = false;
  return *HwConfig::create(params);
}

double scaleOf(mlir::Operation* op) {
  return op->getAttrOfType<mlir::FloatAttr>("graph.scale").getValueAsDouble();
}
int64_t zeroOf(mlir::Operation* op) {
  return op->getAttrOfType<mlir::IntegerAttr>("graph.zero_point").getInt();
}

TEST_P(TablesTest, IsOneTableWithTheDefinitionsEntries) {
  auto module = quantized(network(GetParam().body), withoutQmul());
  ASSERT_TRUE(module);
  expectNoFloats(*module);
  int tables = 0;
  module->walk([&](graph::TableOp table) {
    ++tables;
    mlir::DenseElementsAttr entries;
    ASSERT_TRUE(mlir::matchPattern(table.getTable(), mlir::m_Constant(&entries)));
    const std::vector<int64_t> values = graph::ConstantTensor(entries).asIntegers();
    ASSERT_EQ(values.size(), 256U);
    mlir::Operation* source = table.getInput().getDefiningOp();
    for (int64_t q = -128; q < 128; ++q) {
      const double x = static_cast<double>(q - zeroOf(source)) * scaleOf(source);
      const double y = GetParam().function(x) / scaleOf(table) + static_cast<double>(zeroOf(table));
      const double expected = std::clamp(std::nearbyint(y), -128.0, 127.0);
      // f32 rounds once in a while to the other side of a half.
      const double slack = std::abs(y - std::floor(y) - 0.5) < 1e-4 ? 1 : 0;
      EXPECT_NEAR(static_cast<double>(values[static_cast<size_t>(q + 128)]), expected, slack) << q;
    }
  });
  EXPECT_EQ(tables, 1);
}

TEST_P(TablesTest, StaysInIntegersOnTheDefaultHardware) {
  auto module = quantized(network(GetParam().body), HwConfig::makeDefault());
  ASSERT_TRUE(module);
  expectNoFloats(*module);
}

size_t countTables(mlir::ModuleOp module) {
  size_t tables = 0;
  module.walk([&](graph::TableOp) { ++tables; });
  return tables;
}

// 252 elements: no ALU is so slow that the way to the host is worth it.
TEST_P(TablesTest, IsNoTableOnHardwareWithoutTablesWhereACurveComesClose) {
  if (GetParam().name == std::string("mish")) GTEST_SKIP() << "no curve";
  auto module = quantized(network(GetParam().body), HwConfig::makeDefault());
  ASSERT_TRUE(module);
  EXPECT_EQ(countTables(*module), 0U);
}

TEST_P(TablesTest, IsATableWhereTheHostIsAskedFor) {
  for (const char* exact : {"leaky", "hard_swish"}) {
    if (GetParam().name == std::string(exact)) GTEST_SKIP() << "steps of the ALU are exact";
  }
  auto module = quantized(network(GetParam().body), HwConfig::makeDefault(), CurvePlace::kHost);
  ASSERT_TRUE(module);
  EXPECT_EQ(countTables(*module), 1U);
}

INSTANTIATE_TEST_SUITE_P(Activations, TablesTest, testing::ValuesIn(activations()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace vta::compiler
