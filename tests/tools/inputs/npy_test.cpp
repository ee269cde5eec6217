#include "tools/inputs/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace vta::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::byte> bytesOf(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// A version 1 file with this header and 8 bytes of data.
std::vector<std::byte> fileWith(const std::string& header) {
  return bytesOf(std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' +
                 header + "12345678");
}

class NpyTypes : public ::testing::TestWithParam<DType> {};

TEST_P(NpyTypes, RoundTrips) {
  Tensor tensor = Tensor::zeros(GetParam(), {2, 3});
  for (size_t i = 0; i < tensor.data.size(); ++i) tensor.data[i] = static_cast<std::byte>(i * 7);
  const std::vector<std::byte> file = serializeNpy(tensor);
  EXPECT_EQ((file.size() - tensor.data.size()) % 64, 0u);
  const auto parsed = parseNpy(file);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->dtype, GetParam());
  EXPECT_EQ(parsed->shape, tensor.shape);
  EXPECT_EQ(parsed->data, tensor.data);
}

INSTANTIATE_TEST_SUITE_P(All, NpyTypes,
                         ::testing::Values(DType::kF32, DType::kF64, DType::kI8, DType::kU8,
                                           DType::kI16, DType::kU16, DType::kI32, DType::kU32,
                                           DType::kI64, DType::kU64, DType::kBool));

TEST(Npy, ScalarsAndEmptyArrays) {
  const auto scalar = parseNpy(serializeNpy(Tensor::zeros(DType::kF32, {})));
  ASSERT_TRUE(scalar.ok());
  EXPECT_TRUE(scalar->shape.empty());
  EXPECT_EQ(scalar->data.size(), 4u);
  const auto empty = parseNpy(serializeNpy(Tensor::zeros(DType::kI8, {0, 5})));
  ASSERT_TRUE(empty.ok());
  EXPECT_THAT(empty->shape, ElementsAre(0, 5));
}

TEST(Npy, RefusesWhatItCannotRead) {
  const auto messageOf = [](const std::string& header) {
    return parseNpy(fileWith(header)).status().message();
  };
  EXPECT_TRUE(parseNpy(fileWith("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }")).ok());
  EXPECT_THAT(messageOf("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }"),
              HasSubstr("Fortran order"));
  EXPECT_THAT(messageOf("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }"),
              HasSubstr("element type '>f4'"));
  EXPECT_THAT(messageOf("{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }"),
              HasSubstr("element type"));
  EXPECT_THAT(messageOf("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"),
              HasSubstr("truncated"));
  EXPECT_THAT(
      messageOf("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 16), }"),
      HasSubstr("truncated"));
  EXPECT_THAT(messageOf("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }"),
              HasSubstr("damaged"));
  EXPECT_THAT(messageOf("{'shape': (2,), }"), HasSubstr("damaged"));
  EXPECT_THAT(parseNpy(bytesOf("hello")).status().message(), HasSubstr("not a .npy"));
}

TEST(Npy, SurvivesDamage) {
  const std::vector<std::byte> file = serializeNpy(Tensor::zeros(DType::kF32, {4, 4}));
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> damaged = file;
    damaged[random() % 80] = static_cast<std::byte>(random());
    damaged.resize(random() % (damaged.size() + 1));
    (void)parseNpy(damaged);
    (void)parseNpz(damaged);
  }
}

TEST(Npz, RefusesWhatIsNoArchive) {
  EXPECT_THAT(parseNpz({}).status().message(), HasSubstr("not an .npz"));
  // An end record that promises an entry far away.
  std::string end("PK\x05\x06", 4);
  end += std::string(6, '\0') + std::string("\x01\0", 2) + std::string(4, '\0');
  end += std::string("\xff\xff\xff\x7f\0\0", 6);
  EXPECT_THAT(parseNpz(bytesOf(end)).status().message(), HasSubstr("damaged"));
}

}  // namespace
}  // namespace vta::tools
