#include "base/numpy/npy.h"
#include "base/numpy/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace vta {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
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

TEST(Npy, ShapesAreTuplesOfPython) {
  const auto shapeOf = [](const std::vector<int64_t>& shape) {
    const std::string header = npyHeader(DType::kI32, shape);
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_EQ(header.back(), '\n');
    const size_t at = header.find('(');
    return header.substr(at, header.find(')') + 1 - at);
  };
  EXPECT_EQ(shapeOf({}), "()");
  EXPECT_EQ(shapeOf({3}), "(3,)");
  EXPECT_EQ(shapeOf({3, 4}), "(3, 4)");
}

TEST(Npy, RefusesWhatItCannotRead) {
  const auto messageOf = [](const std::string& header) {
    return parseNpy(fileWith(header)).status().message();
  };
  EXPECT_TRUE(parseNpy(fileWith("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }")).ok());
  EXPECT_THAT(messageOf("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }"),
              HasSubstr("damaged"));
  EXPECT_THAT(messageOf("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }"),
              HasSubstr("element type '<c8' of"));
  EXPECT_THAT(messageOf("{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,), }"),
              HasSubstr("element type '<M8[ns]' of"));
  EXPECT_THAT(messageOf("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }"),
              HasSubstr("element type '[('a', '<f4')]"));
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

/// A version 1 file of `data` with this element type and shape.
std::vector<std::byte> fileOf(const std::string& descr, const std::string& order,
                              const std::string& shape, const std::string& data) {
  const std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  return bytesOf(std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' +
                 header + data);
}

TEST(Npy, ConvertsOtherByteOrders) {
  const auto big =
      parseNpy(fileOf(">f4", "False", "(2,)", std::string("\x3f\x80\0\0\xc0\0\0\0", 8)));
  ASSERT_TRUE(big.ok()) << big.status().message();
  EXPECT_THAT(big->as<float>(), ElementsAre(1.0f, -2.0f));
  const auto words = parseNpy(fileOf(">i2", "False", "(2,)", std::string("\x01\x02\xff\xfe", 4)));
  ASSERT_TRUE(words.ok());
  EXPECT_THAT(words->as<int16_t>(), ElementsAre(0x102, -2));
}

TEST(Npy, ConvertsHalfPrecision) {
  // 1, -2, the largest, the smallest, infinity.
  const std::string data("\x00\x3c\x00\xc0\xff\x7b\x01\x00\x00\x7c", 10);
  const auto half = parseNpy(fileOf("<f2", "False", "(5,)", data));
  ASSERT_TRUE(half.ok()) << half.status().message();
  EXPECT_EQ(half->dtype, DType::kF32);
  EXPECT_THAT(half->as<float>(), ElementsAre(1.0f, -2.0f, 65504.0f, 0x1p-24f, INFINITY));
}

TEST(Npy, ConvertsFortranOrder) {
  const auto array = parseNpy(fileOf("|u1", "True", "(2, 3)", std::string("\0\3\1\4\2\5", 6)));
  ASSERT_TRUE(array.ok()) << array.status().message();
  EXPECT_THAT(array->shape, ElementsAre(2, 3));
  EXPECT_THAT(array->as<uint8_t>(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_TRUE(parseNpy(fileOf("<f4", "True", "()", std::string(4, '\0'))).ok());
  EXPECT_TRUE(parseNpy(fileOf("<f4", "True", "(0, 3)", "")).ok());
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

TEST(Npy, KnowsItsVersions) {
  std::vector<std::byte> file = serializeNpy(Tensor::zeros(DType::kF32, {2}));
  for (const auto& [major, minor] : {std::pair(0, 0), {1, 1}, {4, 0}, {9, 0}, {255, 0}}) {
    file[6] = static_cast<std::byte>(major);
    file[7] = static_cast<std::byte>(minor);
    const std::string text = std::to_string(major) + "." + std::to_string(minor);
    EXPECT_THAT(parseNpy(file).status().message(), HasSubstr("version " + text + " of the .npy"));
  }
}

TEST(Npz, ChecksumsAreLookedAt) {
  NpzWriter writer;
  writer.add("words", std::vector<int32_t>{1, -2, 3});
  const std::string file = writer.finish();
  const size_t central = file.rfind(std::string("PK\x01\x02", 4));
  ASSERT_NE(central, std::string::npos);
  std::string other = file;
  other[central + 16] ^= 1;
  EXPECT_THAT(parseNpz(bytesOf(other)).status().message(),
              HasSubstr("array 'words': damaged .npz archive: the array has another checksum"));
}

TEST(Npz, ArraysOfOneNameAreRefused) {
  NpzWriter writer;
  writer.add("words", std::vector<int32_t>{1});
  writer.add("words", std::vector<int32_t>{2});
  EXPECT_THAT(parseNpz(bytesOf(writer.finish())).status().message(),
              HasSubstr("two arrays of the .npz archive are called 'words'"));
}

TEST(Npz, RoundTrips) {
  const std::vector<int32_t> words = {1, -2, 3};
  const std::vector<int64_t> longs(10000, int64_t{1} << 40);
  NpzWriter writer;
  writer.add("words", words);
  writer.add("longs", longs);
  const std::string file = writer.finish();
  EXPECT_LT(file.size(), longs.size()) << "it is deflated";
  const auto arrays = parseNpz(bytesOf(file));
  ASSERT_TRUE(arrays.ok()) << arrays.status().message();
  ASSERT_EQ(arrays->size(), 2u);
  EXPECT_THAT(arrays->at("words").as<int32_t>(), ElementsAreArray(words));
  EXPECT_THAT(arrays->at("longs").as<int64_t>(), ElementsAreArray(longs));
  writer.add("words", words);
  EXPECT_EQ(parseNpz(bytesOf(writer.finish()))->size(), 1u) << "it is empty after the first file";
}

}  // namespace
}  // namespace vta
