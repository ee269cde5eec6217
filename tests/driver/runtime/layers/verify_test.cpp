#include "driver/runtime/layers/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

namespace vta::driver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Two blocks of 4 channels, 2x3 pixels, two images.
TensorInfo packedTensor() {
  TensorInfo tensor;
  tensor.dtype = DType::kI8;
  tensor.shape = {1, 2, 2, 3, 2, 4};
  tensor.size_bytes = 96;
  return tensor;
}

size_t at(int block, int y, int x, int batch, int lane) {
  return (((block * 2 + y) * 3 + x) * 2 + batch) * 4 + lane;
}

TEST(Verify, EqualBytesAreFine) {
  const std::vector<std::byte> data(96, std::byte{7});
  EXPECT_TRUE(compareWithReference(packedTensor(), "vta", data, data).ok());
}

TEST(Verify, NamesTheFirstDifference) {
  const std::vector<std::byte> expected(96, std::byte{7});
  std::vector<std::byte> actual = expected;
  actual[at(1, 1, 2, 0, 1)] = static_cast<std::byte>(-5);
  actual[at(0, 1, 0, 0, 3)] = std::byte{9};
  EXPECT_THAT(compareWithReference(packedTensor(), "vta", actual, expected).message(),
              AllOf(HasSubstr("n=0 c=3 y=1 x=0"), HasSubstr("9 instead of 7"),
                    HasSubstr("2 of 96 elements differ")));
}

TEST(Verify, OtherElementTypes) {
  TensorInfo tensor;
  tensor.dtype = DType::kI32;
  tensor.shape = {2};
  tensor.size_bytes = 8;
  const std::vector<int32_t> expected = {1, 70000};
  const std::vector<int32_t> actual = {1, -3};
  EXPECT_THAT(compareWithReference(tensor, "vta", std::as_bytes(std::span(actual)),
                                   std::as_bytes(std::span(expected)))
                  .message(),
              AllOf(HasSubstr("element 1"), HasSubstr("-3 instead of 70000")));
}

template <typename T>
Status compareFloats(DType dtype, const std::vector<T>& actual, const std::vector<T>& expected,
                     double tolerance) {
  TensorInfo tensor;
  tensor.dtype = dtype;
  tensor.shape = {static_cast<int64_t>(actual.size())};
  tensor.size_bytes = actual.size() * sizeof(T);
  return compareWithReference(tensor, "gpu", std::as_bytes(std::span(actual)),
                              std::as_bytes(std::span(expected)), tolerance);
}

TEST(Verify, FloatsMayDifferByAShareOfTheLargest) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> expected = {100, 0.001F, inf, nan};
  const std::vector<float> near = {100.01F, -0.001F, inf, -nan}, far = {100.2F, 0.001F, inf, nan};
  EXPECT_TRUE(compareFloats(DType::kF32, near, expected, 1e-3).ok());
  EXPECT_THAT(compareFloats(DType::kF32, far, expected, 1e-3).message(),
              AllOf(HasSubstr("the GPU's result differs"), HasSubstr("element 0"),
                    HasSubstr("1 of 4 elements differ")));
  EXPECT_FALSE(compareFloats(DType::kF32, near, expected, 0).ok());
  const std::vector<float> not_infinite = {100, 0.001F, 1e30F, nan};
  EXPECT_THAT(compareFloats(DType::kF32, not_infinite, expected, 1e-3).message(),
              HasSubstr("element 2"));
}

TEST(Verify, TheToleranceIsForAllFloatsAndNoIntegers) {
  EXPECT_TRUE(compareFloats<double>(DType::kF64, {1000.0, 1.5}, {1000.0, 1.0}, 1e-3).ok());
  EXPECT_FALSE(compareFloats<double>(DType::kF64, {1000.0, 2.5}, {1000.0, 1.0}, 1e-3).ok());
  // 1 and 1.001 in 16 bits.
  EXPECT_TRUE(compareFloats<uint16_t>(DType::kF16, {0x3c01}, {0x3c00}, 1e-2).ok());
  EXPECT_FALSE(compareFloats<uint16_t>(DType::kF16, {0x3d00}, {0x3c00}, 1e-2).ok());
  EXPECT_FALSE(compareFloats<int32_t>(DType::kI32, {1000000}, {1000001}, 1e-2).ok());
}

}  // namespace
}  // namespace vta::driver
