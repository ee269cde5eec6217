#include "module/counted_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vta {
namespace {

using ::testing::HasSubstr;

ModuleInfo makeInfo(std::vector<int64_t> shape) {
  ModuleInfo info;
  uint64_t size_bytes = 2;
  for (const int64_t extent : shape) size_bytes *= static_cast<uint64_t>(extent);
  info.tensors = {{"boxes", DType::kI16, std::move(shape), 0, 0, size_bytes},
                  {"count", DType::kI64, {}, 0, 0, 8}};
  return info;
}

std::vector<std::byte> iota(size_t size) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(i));
  return bytes;
}

TEST(CountedOutput, IsTheFirstPositionsOfItsDimension) {
  const ModuleInfo info = makeInfo({2, 3, 2});
  const std::vector<std::byte> bytes = iota(24);
  const auto part = outputOf(info, {"boxes", 0, 1, 1}, bytes, 1);
  ASSERT_TRUE(part.ok()) << part.status().message();
  EXPECT_EQ(part->shape, (std::vector<int64_t>{2, 1, 2}));
  std::vector<std::byte> expected(bytes.begin(), bytes.begin() + 4);
  expected.insert(expected.end(), bytes.begin() + 12, bytes.begin() + 16);
  EXPECT_EQ(part->data, expected);
  EXPECT_TRUE(outputOf(info, {"boxes", 0, 1, 1}, bytes, 0)->data.empty());
  EXPECT_EQ(outputOf(info, {"boxes", 0, 1, 1}, bytes, 3)->data, bytes);
  EXPECT_EQ(outputOf(info, {"boxes", 0}, bytes, -7)->data, bytes);
}

TEST(CountedOutput, CountsOutOfRangeAreErrors) {
  const ModuleInfo info = makeInfo({2, 3, 2});
  for (const int64_t count : {int64_t{-1}, int64_t{4}, int64_t{1} << 40}) {
    EXPECT_THAT(outputOf(info, {"boxes", 0, 1, 1}, iota(24), count).status().message(),
                HasSubstr("along dimension 1, which has room for 3"));
  }
}

TEST(CountedOutput, ItsSizeTellsItsShape) {
  const ModuleInfo info = makeInfo({2, 3, 2});
  const PortInfo counted{"boxes", 0, 1, 1}, whole{"boxes", 0};
  EXPECT_EQ(*outputShape(info, counted, 16), (std::vector<int64_t>{2, 2, 2}));
  EXPECT_EQ(*outputShape(info, counted, 0), (std::vector<int64_t>{2, 0, 2}));
  EXPECT_EQ(*outputShape(info, whole, 24), (std::vector<int64_t>{2, 3, 2}));
  EXPECT_THAT(outputShape(info, whole, 16).status().message(), HasSubstr("has 24"));
  EXPECT_THAT(outputShape(info, counted, 12).status().message(), HasSubstr("at most 24"));
  EXPECT_THAT(outputShape(info, counted, 32).status().message(), HasSubstr("at most 24"));
  // Where a position has no elements, nothing tells.
  EXPECT_EQ(*outputShape(makeInfo({0, 3}), counted, 0), (std::vector<int64_t>{0, 0}));
}

}  // namespace
}  // namespace vta
