#include "driver/runtime/layers/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
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

}  // namespace
}  // namespace vta::driver
