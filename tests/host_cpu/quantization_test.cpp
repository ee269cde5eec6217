// The integer steps of quantised networks, bit for bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include <algorithm>

#include "tests/host_cpu/host_test_support.h"

namespace vta::codegen::testing {
namespace {

/// sat32(round(x * m / 2^shift)), ties away from zero, with exact arithmetic.
int32_t qmulReference(int32_t x, int32_t m, int shift) {
  const __int128 product = static_cast<__int128>(x) * m;
  const __int128 magnitude = product < 0 ? -product : product;
  __int128 rounded = shift == 0 ? magnitude : (magnitude + (__int128{1} << (shift - 1))) >> shift;
  if (product < 0) rounded = -rounded;
  return static_cast<int32_t>(std::clamp<__int128>(rounded, INT32_MIN, INT32_MAX));
}

TEST(QmulTest, EveryShiftRoundsHalfAwayAndSaturates) {
  std::string text;
  const std::vector<int> shifts = {0, 1, 2, 7, 16, 31, 32, 45, 62};
  for (int shift : shifts) {
    text += fmt::format(
        "func.func @s{0}(%x: tensor<2x3x40xi32>, %m: tensor<1x3x1xi32>) -> tensor<2x3x40xi32> {{ "
        "%y = graph.qmul %x, %m {{shift = {0} : i64}} : (tensor<2x3x40xi32>, tensor<1x3x1xi32>) "
        "-> tensor<2x3x40xi32>\nreturn %y : tensor<2x3x40xi32> }}\n",
        shift);
  }
  auto module = CompiledText::create(text);
  ASSERT_TRUE(module.ok()) << module.status().message();
  Tensor x = randomTensor(DType::kI32, {2, 3, 40}, 5, INT32_MIN, INT32_MAX);
  for (int i = 0; i < 20; ++i) x.as<int32_t>()[i * 12] = (i - 10);  // ties for small shifts
  x.as<int32_t>()[1] = INT32_MIN;
  x.as<int32_t>()[2] = INT32_MAX;
  for (std::vector<int32_t> multipliers :
       {std::vector<int32_t>{1, -1, 131071}, std::vector<int32_t>{INT32_MIN, INT32_MAX, 0}}) {
    Tensor m = tensorOfValues<int32_t>(DType::kI32, {1, 3, 1}, multipliers);
    for (int shift : shifts) {
      auto results = module->run(fmt::format("s{}", shift), {x, m});
      ASSERT_TRUE(results.ok());
      for (int64_t i = 0; i < 240; ++i) {
        const int32_t multiplier = multipliers[i / 40 % 3];
        ASSERT_EQ((*results)[0].as<int32_t>()[i],
                  qmulReference(x.as<int32_t>()[i], multiplier, shift))
            << x.as<int32_t>()[i] << " * " << multiplier << " >> " << shift;
      }
    }
  }
}

TEST(QmulTest, ShiftOutOfRangeIsAnError) {
  auto compiled = compileText(
      "func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> { %y = graph.qmul %x, %x {shift = 63 : "
      "i64} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>\nreturn %y : tensor<2xi32> }");
  ASSERT_FALSE(compiled.ok());
  EXPECT_NE(compiled.status().message().find("63"), std::string::npos);
}

int32_t shrReference(int32_t x, int amount) {
  if (amount >= 0) return x >> amount;
  return amount == -32 ? 0 : static_cast<int32_t>(static_cast<uint32_t>(x) << -amount);
}

TEST(ShrTest, EveryAmount) {
  auto module = CompiledText::create(R"(
    func.func @f(%x: tensor<5x1xi32>, %s: tensor<64xi32>) -> tensor<5x64xi32> {
      %e = graph.expand %x : (tensor<5x1xi32>) -> tensor<5x64xi32>
      %y = graph.shr %e, %s : (tensor<5x64xi32>, tensor<64xi32>) -> tensor<5x64xi32>
      return %y : tensor<5x64xi32> }
    func.func @right(%x: tensor<5x1xi32>) -> tensor<5x1xi32> {
      %s = arith.constant dense<3> : tensor<1xi32>
      %y = graph.shr %x, %s : (tensor<5x1xi32>, tensor<1xi32>) -> tensor<5x1xi32>
      return %y : tensor<5x1xi32> }
    func.func @left(%x: tensor<5x1xi32>) -> tensor<5x1xi32> {
      %s = arith.constant dense<-32> : tensor<1xi32>
      %y = graph.shr %x, %s : (tensor<5x1xi32>, tensor<1xi32>) -> tensor<5x1xi32>
      return %y : tensor<5x1xi32> })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const std::vector<int32_t> values = {INT32_MIN, -1, 12345, -98765, INT32_MAX};
  Tensor x = tensorOfValues<int32_t>(DType::kI32, {5, 1}, values);
  Tensor amounts = Tensor::zeros(DType::kI32, {64});
  for (int i = 0; i < 64; ++i) amounts.as<int32_t>()[i] = i - 32;
  auto results = module->run("f", {x, amounts});
  ASSERT_TRUE(results.ok());
  for (int i = 0; i < 5 * 64; ++i) {
    ASSERT_EQ((*results)[0].as<int32_t>()[i], shrReference(values[i / 64], i % 64 - 32)) << i;
  }
  const auto right = valuesOf<int32_t>((*module->run("right", {x}))[0]);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(right[i], values[i] >> 3);
  EXPECT_EQ(valuesOf<int32_t>((*module->run("left", {x}))[0]), (std::vector<int32_t>(5, 0)));
}

TEST(ShrTest, AmountOutOfRangeIsAnError) {
  auto compiled = compileText(
      "func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> { %s = arith.constant dense<32> : "
      "tensor<1xi32>\n%y = graph.shr %x, %s : (tensor<2xi32>, tensor<1xi32>) -> tensor<2xi32>\n"
      "return %y : tensor<2xi32> }");
  ASSERT_FALSE(compiled.ok());
  EXPECT_NE(compiled.status().message().find("shift amount 32 is outside of -32 to 31"),
            std::string::npos);
}

TEST(QuantizeTest, RoundsHalfToEvenAndSaturates) {
  auto module = CompiledText::create(R"(
    func.func @s(%x: tensor<8xf32>) -> tensor<8xi8> {
      %y = graph.quantize %x {scales = array<f32: 0.5>, zero_points = array<i64: -3>}
        : (tensor<8xf32>) -> tensor<8xi8>
      return %y : tensor<8xi8> }
    func.func @u(%x: tensor<8xf32>) -> tensor<8xui8> {
      %y = graph.quantize %x {scales = array<f32: 0.5>, zero_points = array<i64: 3>}
        : (tensor<8xf32>) -> tensor<8xui8>
      return %y : tensor<8xui8> }
    func.func @axis(%x: tensor<2x2xf32>) -> tensor<2x2xi8> {
      %y = graph.quantize %x {scales = array<f32: 1.0, 0.25>, zero_points = array<i64: 0, 1>}
        : (tensor<2x2xf32>) -> tensor<2x2xi8>
      return %y : tensor<2x2xi8> })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  Tensor x = tensorOfValues<float>(DType::kF32, {8},
                                   {0.25f, 0.75f, -0.25f, -0.75f, 1e30f, -1e30f, NAN, 61.3f});
  EXPECT_EQ(valuesOf<int8_t>((*module->run("s", {x}))[0]),
            (std::vector<int8_t>{-3, -1, -3, -5, 127, -128, -128, 120}));
  EXPECT_EQ(valuesOf<uint8_t>((*module->run("u", {x}))[0]),
            (std::vector<uint8_t>{3, 5, 3, 1, 255, 0, 0, 126}));
  Tensor y = tensorOfValues<float>(DType::kF32, {2, 2}, {1, 1, 2, 2});
  EXPECT_EQ(valuesOf<int8_t>((*module->run("axis", {y}))[0]), (std::vector<int8_t>{1, 5, 2, 9}));
}

TEST(DequantizeTest, SubtractsTheZeroPointExactly) {
  auto module = CompiledText::create(R"(
    func.func @f(%x: tensor<2x2xi8>) -> tensor<2x2xf32> {
      %y = graph.dequantize %x {scales = array<f32: 0.5, 2.0>, zero_points = array<i64: -128, 127>,
        axis = 0 : i64} : (tensor<2x2xi8>) -> tensor<2x2xf32>
      return %y : tensor<2x2xf32> }
    func.func @u(%x: tensor<2xui8>) -> tensor<2xf32> {
      %y = graph.dequantize %x {scales = array<f32: 0.25>, zero_points = array<i64: 128>}
        : (tensor<2xui8>) -> tensor<2xf32>
      return %y : tensor<2xf32> })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  Tensor x = tensorOfValues<int8_t>(DType::kI8, {2, 2}, {-128, 127, -128, 127});
  EXPECT_EQ(valuesOf<float>((*module->run("f", {x}))[0]), (std::vector<float>{0, 127.5, -510, 0}));
  Tensor u = tensorOfValues<uint8_t>(DType::kU8, {2}, {255, 0});
  EXPECT_EQ(valuesOf<float>((*module->run("u", {u}))[0]), (std::vector<float>{31.75, -32}));
}

TEST(ClipIntTest, ClampsBothWidths) {
  auto module = CompiledText::create(R"(
    func.func @f(%x: tensor<4xi32>, %y: tensor<3xi8>) -> (tensor<4xi32>, tensor<3xi8>) {
      %a = graph.clip_int %x {min = -128 : i64, max = 127 : i64} : (tensor<4xi32>) -> tensor<4xi32>
      %b = graph.clip_int %y {min = 0 : i64, max = 6 : i64} : (tensor<3xi8>) -> tensor<3xi8>
      return %a, %b : tensor<4xi32>, tensor<3xi8> })");
  ASSERT_TRUE(module.ok()) << module.status().message();
  auto results = module->run("f", {tensorOfValues<int32_t>(DType::kI32, {4}, {-500, 5, 128, 127}),
                                   tensorOfValues<int8_t>(DType::kI8, {3}, {-1, 3, 100})});
  EXPECT_EQ(valuesOf<int32_t>((*results)[0]), (std::vector<int32_t>{-128, 5, 127, 127}));
  EXPECT_EQ(valuesOf<int8_t>((*results)[1]), (std::vector<int8_t>{0, 3, 6}));
}

}  // namespace
}  // namespace vta::codegen::testing
