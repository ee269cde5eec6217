// Convolutions and products against plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/host_cpu/host_test_support.h"

namespace vta::codegen::testing {
namespace {

struct ConvCase {
  int64_t batch = 1, channels = 3, height = 8, width = 8, outputs = 4, group = 1;
  std::vector<int64_t> kernel = {3, 3}, strides = {1, 1}, pads = {1, 1, 1, 1}, dilations = {1, 1};
  bool bias = true;
  int64_t pad_value = 0;

  int64_t outExtent(int d) const {
    int64_t in = d == 0 ? height : width;
    return (in + pads[d] + pads[2 + d] - (kernel[d] - 1) * dilations[d] - 1) / strides[d] + 1;
  }
};

/// Sums in double for floats, wrapping for integers.
template <typename In, typename Sum>
std::vector<Sum> referenceConv(const ConvCase& c, const Tensor& x, const Tensor& w,
                               const Tensor& b) {
  const auto in = x.as<In>();
  const auto weight = w.as<In>();
  const int64_t oh = c.outExtent(0), ow = c.outExtent(1);
  const int64_t in_per_group = c.channels / c.group, out_per_group = c.outputs / c.group;
  std::vector<Sum> out(c.batch * c.outputs * oh * ow);
  for (int64_t n = 0; n < c.batch; ++n) {
    for (int64_t o = 0; o < c.outputs; ++o) {
      for (int64_t y = 0; y < oh; ++y) {
        for (int64_t x_out = 0; x_out < ow; ++x_out) {
          Sum sum = 0;
          if (c.bias) {
            sum = std::is_floating_point_v<Sum> ? static_cast<Sum>(b.as<float>()[o])
                                                : static_cast<Sum>(b.as<int32_t>()[o]);
          }
          for (int64_t ci = 0; ci < in_per_group; ++ci) {
            for (int64_t ky = 0; ky < c.kernel[0]; ++ky) {
              for (int64_t kx = 0; kx < c.kernel[1]; ++kx) {
                const int64_t iy = y * c.strides[0] + ky * c.dilations[0] - c.pads[0];
                const int64_t ix = x_out * c.strides[1] + kx * c.dilations[1] - c.pads[1];
                const int64_t channel = o / out_per_group * in_per_group + ci;
                const bool inside = iy >= 0 && iy < c.height && ix >= 0 && ix < c.width;
                const Sum value =
                    inside ? static_cast<Sum>(
                                 in[((n * c.channels + channel) * c.height + iy) * c.width + ix])
                           : static_cast<Sum>(c.pad_value);
                sum += value *
                       static_cast<Sum>(
                           weight[((o * in_per_group + ci) * c.kernel[0] + ky) * c.kernel[1] + kx]);
              }
            }
          }
          out[((n * c.outputs + o) * oh + y) * ow + x_out] = sum;
        }
      }
    }
  }
  return out;
}

struct ConvData {
  Tensor x, w, b;
  std::string text;
};

ConvData makeConv(const ConvCase& c, bool integer, unsigned seed) {
  ConvData data;
  const DType dtype = integer ? DType::kI8 : DType::kF32;
  const double bound = integer ? 127 : 1;
  data.x = randomTensor(dtype, {c.batch, c.channels, c.height, c.width}, seed, -bound, bound);
  data.w = randomTensor(dtype, {c.outputs, c.channels / c.group, c.kernel[0], c.kernel[1]},
                        seed + 1, -bound, bound);
  data.b = randomTensor(integer ? DType::kI32 : DType::kF32, {c.outputs}, seed + 2, -bound * 100,
                        bound * 100);
  const std::string x = mlirType(data.x), w = mlirType(data.w), b = mlirType(data.b);
  const std::string y =
      mlirType(Tensor::zeros(data.b.dtype, {c.batch, c.outputs, c.outExtent(0), c.outExtent(1)}));
  data.text = "func.func @f(%x: " + x + ", %w: " + w + ", %b: " + b + ") -> " + y +
              " { %y = graph.conv %x, %w" + (c.bias ? ", %b" : "") +
              " {strides = " + mlirList(c.strides) + ", pads = " + mlirList(c.pads) +
              ", dilations = " + mlirList(c.dilations) + ", group = " + std::to_string(c.group) +
              " : i64, pad_value = " + std::to_string(c.pad_value) + " : i64} : (" + x + ", " + w +
              (c.bias ? ", " + b : "") + ") -> " + y + " return %y : " + y + " }";
  return data;
}

const std::vector<ConvCase>& convCases() {
  static const std::vector<ConvCase> cases = {
      {},
      {.batch = 2,
       .channels = 5,
       .height = 7,
       .width = 9,
       .outputs = 3,
       .strides = {2, 1},
       .pads = {0, 1, 2, 0},
       .bias = false},
      {.channels = 4,
       .height = 11,
       .width = 11,
       .outputs = 6,
       .group = 2,
       .strides = {2, 2},
       .dilations = {2, 2}},
      {.channels = 8, .outputs = 8, .group = 8, .strides = {2, 2}},
      {.channels = 4, .outputs = 8, .group = 4, .kernel = {5, 1}, .pads = {2, 0, 2, 0}},
      {.channels = 16,
       .height = 1,
       .width = 30,
       .outputs = 7,
       .kernel = {1, 4},
       .pads = {0, 3, 0, 0}},
      {.channels = 64, .height = 28, .width = 28, .outputs = 64},
      {.channels = 32,
       .height = 14,
       .width = 14,
       .outputs = 48,
       .kernel = {1, 1},
       .pads = {0, 0, 0, 0}},
  };
  return cases;
}

TEST(ConvTest, FloatAgreesWithPlainLoops) {
  for (size_t i = 0; i < convCases().size(); ++i) {
    const ConvCase& c = convCases()[i];
    ConvData data = makeConv(c, /*integer=*/false, 100 + i);
    auto results = compileAndRun(data.text, {data.x, data.w, data.b});
    ASSERT_TRUE(results.ok()) << results.status().message();
    std::vector<double> expected = referenceConv<float, double>(c, data.x, data.w, data.b);
    // Sums of n products of numbers below 1, and a bias below 100: each addition rounds by at most
    // half an ulp of a partial sum below n + 100.
    const double terms = c.channels / c.group * c.kernel[0] * c.kernel[1];
    const double tolerance = (terms + 1) * (terms + 100) * 6e-8;
    for (size_t k = 0; k < expected.size(); ++k) {
      ASSERT_NEAR((*results)[0].as<float>()[k], expected[k], tolerance) << "case " << i;
    }
  }
}

TEST(ConvTest, IntegersAreExact) {
  for (size_t i = 0; i < convCases().size(); ++i) {
    ConvCase c = convCases()[i];
    c.pad_value = -5;
    ConvData data = makeConv(c, /*integer=*/true, 200 + i);
    auto results = compileAndRun(data.text, {data.x, data.w, data.b});
    ASSERT_TRUE(results.ok()) << results.status().message();
    std::vector<int32_t> expected = referenceConv<int8_t, int32_t>(c, data.x, data.w, data.b);
    const auto actual = (*results)[0].as<int32_t>();
    ASSERT_EQ(std::vector<int32_t>(actual.begin(), actual.end()), expected) << "case " << i;
  }
}

}  // namespace
}  // namespace vta::codegen::testing
