// Functions that GPUs compute by arithmetic of 32 bits, at the ends of their ranges, beside the
// CPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/host_cpu/host_test_support.h"
#include "tests/host_gpu/gpu_test_support.h"
#include "tests/host_gpu/webgpu/webgpu_device.h"

namespace vta::codegen::testing {
namespace {

template <typename Element>
Tensor tensorOf(DType dtype, const std::vector<Element>& values) {
  Tensor tensor = Tensor::zeros(dtype, {static_cast<int64_t>(values.size())});
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

/// Each element of `values` with each, as two tensors.
template <typename Element>
std::vector<Tensor> pairsOf(DType dtype, const std::vector<Element>& values) {
  std::vector<Element> left, right;
  for (const Element x : values) {
    for (const Element y : values) {
      left.push_back(x);
      right.push_back(y);
    }
  }
  return {tensorOf(dtype, left), tensorOf(dtype, right)};
}

std::string withTypes(const std::string& op, const std::string& element, size_t count,
                      size_t operands, const std::string& to) {
  const std::string from = "tensor<" + std::to_string(count) + "x" + element + ">";
  const std::string result = "tensor<" + std::to_string(count) + "x" + to + ">";
  const std::string types = operands == 2 ? from + ", " + from : from;
  const std::string second = operands == 2 ? ", %b" : "",
                    more = operands == 2 ? ", %b: " + from : "";
  return "func.func @f(%a: " + from + more + ") -> " + result + " {\n%y = graph." + op + " %a" +
         second + " : (" + types + ") -> " + result + "\nreturn %y : " + result + " }\n";
}

/// Bit for bit; NaN as NaN.
template <typename Element>
void expectSameBits(const Tensor& want, const Tensor& got) {
  const auto wanted = want.as<Element>(), given = got.as<Element>();
  ASSERT_EQ(wanted.size(), given.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] != wanted[i] && given[i] != given[i]) continue;
    EXPECT_EQ(std::memcmp(&wanted[i], &given[i], sizeof(Element)), 0)
        << "element " << i << ": " << +given[i] << ", not " << +wanted[i];
  }
}

template <typename Element>
void expectBitsOfTheCpu(const std::string& text, const std::vector<Tensor>& inputs) {
  const auto want = compileAndRun(text, inputs);
  ASSERT_TRUE(want.ok()) << want.status().message();
  const auto expectOn = [&](const Gpus& gpus, const GpuChoice& choice) {
    const auto made = compileForGpu(text, choice);
    ASSERT_TRUE(made.ok()) << made.status().message();
    for (const auto& device : gpus) {
      SCOPED_TRACE(device->info().name);
      const auto got = runOnGpu(*device, *made, inputs);
      ASSERT_TRUE(got.ok()) << got.status().message();
      expectSameBits<Element>(want->front(), got->front());
    }
  };
  for (const Gpus* gpus : {&vulkanGpus(), &ptxGpus(), &openClGpus()}) expectOn(*gpus, {});
  if (missingWebGpu().empty()) expectOn(webGpus(), {.codes = {"wgsl"}});
}

const std::vector<float>& floatsOfAllSizes() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static const std::vector<float> values = {0.0F,
                                            -0.0F,
                                            1.0F,
                                            -1.0F,
                                            3.0F,
                                            -7.5F,
                                            0.1F,
                                            -0.3F,
                                            0x1p-126F,
                                            1e-7F,
                                            0x1.8p-120F,
                                            1e10F,
                                            -3e20F,
                                            16777217.0F,
                                            0x1.fep127F,
                                            -0x1.2p99F,
                                            kInfinity,
                                            -kInfinity,
                                            std::numeric_limits<float>::quiet_NaN()};
  return values;
}

TEST(ExpansionsTest, RemaindersOfFloatsAreExact) {
  const std::vector<Tensor> inputs = pairsOf(DType::kF32, floatsOfAllSizes());
  const auto count = static_cast<size_t>(inputs[0].elementCount());
  for (const char* kind : {"binary fmod", "binary mod"}) {
    SCOPED_TRACE(kind);
    expectBitsOfTheCpu<float>(withTypes(kind, "f32", count, 2, "f32"), inputs);
  }
}

template <typename Element>
void expectPowers(DType dtype, const std::string& element) {
  SCOPED_TRACE(element);
  using Limits = std::numeric_limits<Element>;
  std::vector<Element> values = {Limits::min(), static_cast<Element>(Limits::min() + 1),
                                 Limits::max(), static_cast<Element>(Limits::max() - 1)};
  for (int value = -9; value <= 33; ++value) values.push_back(static_cast<Element>(value));
  const std::vector<Tensor> inputs = pairsOf(dtype, values);
  const auto count = static_cast<size_t>(inputs[0].elementCount());
  expectBitsOfTheCpu<Element>(withTypes("binary pow", element, count, 2, element), inputs);
}

TEST(ExpansionsTest, PowersOfIntegersWrap) {
  expectPowers<int8_t>(DType::kI8, "i8");
  expectPowers<uint8_t>(DType::kU8, "ui8");
  expectPowers<int16_t>(DType::kI16, "i16");
  expectPowers<uint16_t>(DType::kU16, "ui16");
  expectPowers<int32_t>(DType::kI32, "i32");
  expectPowers<uint32_t>(DType::kU32, "ui32");
}

TEST(ExpansionsTest, FloatsAsUnsignedIntegersWrap) {
  std::vector<float> values = floatsOfAllSizes();
  for (const float value : {0.999F, -0.999F, 2147483648.0F, 4294967040.0F, 4294967296.0F,
                            8589934592.0F, -2147483648.0F, -5e9F, 0x1p63F, -0x1p63F}) {
    values.push_back(value);
  }
  expectBitsOfTheCpu<uint32_t>(withTypes("cast", "f32", values.size(), 1, "ui32"),
                               {tensorOf(DType::kF32, values)});
}

/// Small angles keep their digits, and what has no arc is NaN.
TEST(ExpansionsTest, ArcsAtTheEndsOfTheirRange) {
  std::vector<float> values = floatsOfAllSizes();
  for (const float value : {0.5F, -0.5F, 0.50000006F, 0.9999999F, -0.9999999F, 1.0000001F}) {
    values.push_back(value);
  }
  for (const char* kind : {"unary asin", "unary acos"}) {
    SCOPED_TRACE(kind);
    const std::string text = withTypes(kind, "f32", values.size(), 1, "f32");
    const std::vector<Tensor> inputs = {tensorOf(DType::kF32, values)};
    expectWhatTheCpuGives(text, inputs, vulkanGpus());
    expectWhatTheCpuGives(text, inputs, ptxGpus());
  }
}

/// All that are no small numbers below the least normal one, which devices may take as zero.
std::vector<uint16_t> halves(uint16_t exponent_mask) {
  std::vector<uint16_t> values;
  for (uint32_t bits = 0; bits < 0x10000; bits += 7) {
    const bool is_small = (bits & exponent_mask) == 0 && (bits & 0x7fff) != 0;
    if (!is_small) values.push_back(static_cast<uint16_t>(bits));
  }
  return values;
}

TEST(ExpansionsTest, ShortFloatsBecomeFloats) {
  for (const auto& [element, dtype, mask] : {std::tuple{"f16", DType::kF16, uint16_t{0x7c00}},
                                             std::tuple{"bf16", DType::kBF16, uint16_t{0x7f80}}}) {
    SCOPED_TRACE(element);
    const std::vector<uint16_t> values = halves(mask);
    expectBitsOfTheCpu<float>(withTypes("cast", element, values.size(), 1, "f32"),
                              {tensorOf(dtype, values)});
  }
}

TEST(ExpansionsTest, FloatsBecomeShort) {
  std::vector<float> values = floatsOfAllSizes();
  for (uint32_t i = 0; i < 997; ++i) {
    const uint32_t bits = i * 4305157U;  // some of each exponent and sign
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::fpclassify(value) != FP_SUBNORMAL) values.push_back(value);
  }
  for (const char* element : {"f16", "bf16"}) {
    SCOPED_TRACE(element);
    expectBitsOfTheCpu<uint16_t>(withTypes("cast", "f32", values.size(), 1, element),
                                 {tensorOf(DType::kF32, values)});
  }
}

/// What is only moved keeps its bits.
TEST(ExpansionsTest, ElementsOf16BitsAreMoved) {
  std::vector<uint16_t> values(96);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint16_t>(i * 683);
  for (const auto& [element, dtype] : {std::pair{"i16", DType::kI16}, std::pair{"f16", DType::kF16},
                                       std::pair{"bf16", DType::kBF16}}) {
    SCOPED_TRACE(element);
    const std::string from = std::string("tensor<96x") + element + ">";
    const std::string to = std::string("tensor<9x4x") + element + ">";
    const auto type = [&](const std::string& shape) {
      return "tensor<" + shape + "x" + element + ">";
    };
    const std::string text =
        "func.func @f(%a: " + from + ") -> " + to + " {\n%m = graph.reshape %a : (" + from +
        ") -> " + type("8x12") + "\n%t = graph.transpose %m {permutation = array<i64: 1, 0>} : (" +
        type("8x12") + ") -> " + type("12x8") +
        "\n%s = graph.slice %t {starts = array<i64: 1, 7>, steps = array<i64: 1, -2>} : (" +
        type("12x8") + ") -> " + type("6x4") +
        "\n%r = graph.slice %t {starts = array<i64: 2, 0>, steps = array<i64: 4, 1>} : (" +
        type("12x8") + ") -> " + type("3x4") + "\n%y = graph.concat %s, %r {axis = 0 : i64} : (" +
        type("6x4") + ", " + type("3x4") + ") -> " + to + "\nreturn %y : " + to + " }\n";
    expectBitsOfTheCpu<uint16_t>(text, {tensorOf(dtype, values)});
  }
}

}  // namespace
}  // namespace vta::codegen::testing
