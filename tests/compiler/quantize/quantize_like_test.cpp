// The same integers for another number of rows.
#include "compiler/quantize/quantize_like.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "compiler/codegen/executable.h"
#include "compiler/quantize/quantize.h"
#include "compiler/registration.h"
#include "host_cpu/backend/backend.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

namespace vta::compiler {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kInputs = 20, kHidden = 24, kOutputs = 9;

std::string hexConstant(const std::string& name, int64_t rows, int64_t columns,
                        std::mt19937& random) {
  std::normal_distribution<float> value(0, 0.4F);
  std::string bytes;
  for (int64_t i = 0; i < rows * columns; ++i) {
    const float number = value(random);
    uint32_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    for (int byte = 0; byte < 4; ++byte)
      bytes += fmt::format("{:02X}", (bits >> (8 * byte)) & 255U);
  }
  return fmt::format("  %{0} = arith.constant dense<\"0x{1}\"> : tensor<{2}x{3}xf32>\n", name,
                     bytes, rows, columns);
}

/// A gated layer with a residual, of `rows` rows; `activation` is what it is gated with.
std::string gatedLayer(int64_t rows, const std::string& activation = "sigmoid") {
  std::mt19937 random(7);
  std::string text = fmt::format(
      "func.func @main(%x: tensor<{0}x20xf32> {{graph.name = \"rows\"}}) -> tensor<{0}x9xf32> {{\n",
      rows);
  text +=
      hexConstant("w1", kInputs, kHidden, random) + hexConstant("w2", kInputs, kHidden, random) +
      hexConstant("w3", kHidden, kInputs, random) + hexConstant("w4", kInputs, kOutputs, random);
  const auto product = [&](const char* result, const char* left, const char* weights, int64_t depth,
                           int64_t width) {
    return fmt::format(
        "  %{0} = graph.matmul %{1}, %{2} : (tensor<{3}x{4}xf32>, tensor<{4}x{5}xf32>) -> "
        "tensor<{3}x{5}xf32> loc(\"{0}\")\n",
        result, left, weights, rows, depth, width);
  };
  const auto binary = [&](const char* result, const char* kind, const char* left, const char* right,
                          int64_t width) {
    return fmt::format(
        "  %{0} = graph.binary {1} %{2}, %{3} : (tensor<{4}x{5}xf32>, "
        "tensor<{4}x{5}xf32>) -> tensor<{4}x{5}xf32> loc(\"{0}\")\n",
        result, kind, left, right, rows, width);
  };
  text += product("gate", "x", "w1", kInputs, kHidden) + product("up", "x", "w2", kInputs, kHidden);
  text += fmt::format("  %a = graph.unary {} %gate : (tensor<{}x24xf32>) -> tensor<{}x24xf32>\n",
                      activation, rows, rows);
  text +=
      binary("silu", "mul", "gate", "a", kHidden) + binary("gated", "mul", "silu", "up", kHidden);
  text +=
      product("down", "gated", "w3", kHidden, kInputs) + binary("sum", "add", "down", "x", kInputs);
  text += product("scores", "sum", "w4", kInputs, kOutputs);
  return text + fmt::format("  return %scores : tensor<{}x9xf32>\n}}", rows);
}

HwConfig shiftsOnly() {
  HwParams params = HwConfig::makeDefault().params();
  params.ext_qmul = params.ext_clip = params.ext_pad_min = false;
  params.compat_0_0_2 = true;
  return *HwConfig::create(params);
}

class QuantizeLikeTest : public testing::Test {
 protected:
  QuantizeLikeTest() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context_.appendDialectRegistry(registry);
    context_.loadAllAvailableDialects();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string& text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
  }

  static Tensor randomRows(int64_t rows, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> value(0, 1);
    Tensor tensor = Tensor::zeros(DType::kF32, {rows, kInputs});
    for (float& number : tensor.as<float>()) number = value(random);
    return tensor;
  }

  static std::vector<TensorMap> samples() {
    std::vector<TensorMap> samples;
    for (unsigned i = 0; i < 24; ++i) samples.push_back({{"rows", randomRows(1, i)}});
    return samples;
  }

  static std::vector<float> run(mlir::ModuleOp module, const float* rows, int64_t count) {
    auto executable = codegen::Executable::create(mlir::cast<mlir::ModuleOp>(module->clone()),
                                                  codegen::cpuBackend(), {});
    EXPECT_TRUE(executable.ok()) << executable.status().message();
    alignas(64) static float buffers[2][1 << 12];
    std::copy_n(rows, count * kInputs, buffers[0]);
    void* arguments[] = {buffers[0], buffers[1]};
    EXPECT_TRUE((*executable)->call("main", arguments).ok());
    return {buffers[1], buffers[1] + count * kOutputs};
  }

  mlir::MLIRContext context_;
};

TEST_F(QuantizeLikeTest, RowsAreTheSameBitForBit) {
  HwParams lut = HwConfig::makeDefault().params();
  lut.ext_lut = true;
  HwParams narrow = HwConfig::makeDefault().params();
  narrow.wgt_width_bits = 4;
  const HwConfig configs[] = {HwConfig::makeDefault(), shiftsOnly(), *HwConfig::create(lut),
                              *HwConfig::create(narrow)};
  const Tensor rows = randomRows(37, 99);
  for (const HwConfig& hw : configs) {
    for (const CurvePlace curves : {CurvePlace::kAuto, CurvePlace::kAlu, CurvePlace::kHost}) {
      QuantizeOptions options;
      options.curves = curves;
      options.samples = samples();
      QuantizationChoices choices;
      auto one = parse(gatedLayer(1));
      ASSERT_TRUE(one);
      ASSERT_TRUE(quantizeGraph(*one, hw, options, {}, &choices).ok());
      std::vector<float> expected;
      for (int64_t i = 0; i < 37; ++i) {
        const auto row = run(*one, rows.as<float>().data() + i * kInputs, 1);
        expected.insert(expected.end(), row.begin(), row.end());
      }
      for (const int64_t count : {1, 2, 37}) {
        auto many = parse(gatedLayer(count));
        const Status status = quantizeLike(*many, hw, options, choices);
        ASSERT_TRUE(status.ok()) << status.message();
        const auto found = run(*many, rows.as<float>().data(), count);
        EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin()))
            << hw.name() << ", " << count << " rows";
      }
    }
  }
}

TEST_F(QuantizeLikeTest, LayersThatStayInFloatDoSoThere) {
  const HwConfig hw = HwConfig::makeDefault();
  QuantizeOptions options;
  options.samples = samples();
  options.worst_float_layers = 1;
  options.float_layers = {"up"};
  QuantizationChoices choices;
  auto one = parse(gatedLayer(1));
  ASSERT_TRUE(quantizeGraph(*one, hw, options, {}, &choices).ok());
  EXPECT_EQ(choices.float_layers.size(), 2U);
  auto many = parse(gatedLayer(3));
  ASSERT_TRUE(quantizeLike(*many, hw, options, choices).ok());
  const Tensor rows = randomRows(3, 5);
  const auto found = run(*many, rows.as<float>().data(), 3);
  for (int64_t i = 0; i < 3; ++i) {
    const auto row = run(*one, rows.as<float>().data() + i * kInputs, 1);
    for (int64_t k = 0; k < kOutputs; ++k) {
      EXPECT_NEAR(found[static_cast<size_t>(i * kOutputs + k)], row[static_cast<size_t>(k)], 1e-5);
    }
  }
}

TEST_F(QuantizeLikeTest, AnotherNetworkIsRefused) {
  const HwConfig hw = HwConfig::makeDefault();
  QuantizeOptions options;
  options.samples = samples();
  QuantizationChoices choices;
  auto one = parse(gatedLayer(1));
  ASSERT_TRUE(quantizeGraph(*one, hw, options, {}, &choices).ok());
  std::string renamed = gatedLayer(2);
  renamed.replace(renamed.find("loc(\"down\")"), 11, "loc(\"other\")");
  const Status other = quantizeLike(*parse(renamed), hw, options, choices);
  EXPECT_EQ(other.code(), StatusCode::kUnsupported);
  EXPECT_THAT(other.message(), HasSubstr("'down' has no counterpart"));
  choices.scales.pop_back();
  EXPECT_THAT(quantizeLike(*parse(gatedLayer(2)), hw, options, choices).message(),
              HasSubstr("activations become integers, not"));
  choices.has_filled_ranges = true;
  EXPECT_THAT(quantizeLike(*parse(gatedLayer(2)), hw, options, choices).message(),
              HasSubstr("one number of words"));
}

}  // namespace
}  // namespace vta::compiler
