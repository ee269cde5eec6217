#include "tools/inputs/sample_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/numpy/npy.h"
#include "tools/common/files.h"

namespace vta::tools {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class SampleSetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / "sample_set_test";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A file with an array whose elements count up from `first`.
  std::string save(const char* name, std::vector<int64_t> shape, float first = 0) {
    Tensor tensor = Tensor::zeros(DType::kF32, std::move(shape));
    for (float& value : tensor.as<float>()) value = first++;
    const std::string path = (folder_ / name).string();
    EXPECT_TRUE(writeFile(path, serializeNpy(tensor)).ok());
    return path;
  }

  Result<SampleSet> open(const std::vector<std::string>& arguments) {
    return SampleSet::open(arguments, inputs_, Preprocess{});
  }
  std::string messageOf(const std::vector<std::string>& arguments) {
    return open(arguments).status().message();
  }

  std::vector<InputSpec> inputs_ = {{"x", DType::kF32, {1, 4}}};
  fs::path folder_;
};

TEST_F(SampleSetTest, OneArrayIsOneSample) {
  for (const std::string& argument : {save("a.npy", {1, 4}), "x=" + save("b.npy", {4})}) {
    const auto set = open({argument});
    ASSERT_TRUE(set.ok()) << set.status().message();
    EXPECT_EQ(set->size(), 1);
    const auto sample = set->load(0);
    ASSERT_TRUE(sample.ok()) << sample.status().message();
    EXPECT_EQ(sample->at("x").shape, (std::vector<int64_t>{1, 4}));
    EXPECT_EQ(sample->at("x").as<float>()[3], 3.0f);
  }
}

TEST_F(SampleSetTest, LongerArraysAreBatches) {
  const auto set = open({save("a.npy", {3, 4})});
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set->size(), 3);
  EXPECT_TRUE(set->name(2).ends_with("a.npy:2"));
  EXPECT_EQ(set->load(2)->at("x").as<float>()[0], 8.0f);
}

TEST_F(SampleSetTest, FoldersAndRepeatedArgumentsAreBatches) {
  save("b.npy", {1, 4}, 10);
  save("a.npy", {1, 4}, 20);
  const auto folder = open({folder_.string()});
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ(folder->size(), 2);
  EXPECT_EQ(folder->load(0)->at("x").as<float>()[0], 20.0f);
  const auto repeated = open({(folder_ / "b.npy").string(), (folder_ / "a.npy").string()});
  ASSERT_TRUE(repeated.ok());
  EXPECT_EQ(repeated->load(0)->at("x").as<float>()[0], 10.0f);
}

TEST_F(SampleSetTest, SeveralInputs) {
  inputs_.push_back({"y", DType::kF32, {2}});
  const std::string x = save("x.npy", {2, 4});
  const std::string y = save("y.npy", {2});
  const auto set = open({"x=" + x, "y=" + y});
  ASSERT_TRUE(set.ok()) << set.status().message();
  EXPECT_EQ(set->size(), 2);
  EXPECT_EQ(set->load(1)->at("y").as<float>()[1], 1.0f);
  EXPECT_THAT(messageOf({x}), HasSubstr("the model has 2 inputs (x, y); say NAME="));
  EXPECT_THAT(messageOf({"x=" + x}), HasSubstr("no data for input 'y'"));
  EXPECT_THAT(messageOf({"z=" + x}), HasSubstr("no input 'z'; it has: x, y"));
  EXPECT_THAT(messageOf({"x=" + x, "y=" + save("y3.npy", {3, 2})}), HasSubstr("has 2 samples"));
}

TEST_F(SampleSetTest, WrongShapesNameBoth) {
  const auto set = open({save("a.npy", {1, 5})});
  ASSERT_TRUE(set.ok());
  EXPECT_THAT(set->load(0).status().message(),
              HasSubstr("1x5 float32 given, the model wants 1x4 float32"));
}

TEST_F(SampleSetTest, FilesThatAreNotThere) {
  EXPECT_THAT(messageOf({"/no/such.png"}), HasSubstr("/no/such.png"));
  EXPECT_THAT(messageOf({"x=/no/such.npy"}), HasSubstr("/no/such.npy"));
  EXPECT_THAT(messageOf({folder_.string()}), HasSubstr("has no file of type"));
}

TEST_F(SampleSetTest, RandomSamplesDependOnTheSeedAlone) {
  inputs_.push_back({"flag", DType::kBool, {8}});
  inputs_.push_back({"index", DType::kI64, {3}});
  const auto sample = [&](uint64_t seed) { return *SampleSet::random(inputs_, seed).load(0); };
  EXPECT_EQ(sample(1).at("x").data, sample(1).at("x").data);
  EXPECT_NE(sample(1).at("x").data, sample(2).at("x").data);
  const TensorMap one = sample(1);
  for (const float value : one.at("x").as<float>()) EXPECT_LE(std::abs(value), 1.0f);
  for (const std::byte value : one.at("flag").data) EXPECT_LE(value, std::byte{1});
  for (const int64_t value : one.at("index").as<int64_t>()) {
    EXPECT_TRUE(value >= 0 && value < 256);
  }
}

TEST_F(SampleSetTest, RandomIndicesAreWithinWhatTheySelectFrom) {
  inputs_.push_back({"word", DType::kI64, {100}, 7});
  const TensorMap sample = *SampleSet::random(inputs_, 1).load(0);
  for (const int64_t value : sample.at("word").as<int64_t>()) {
    EXPECT_TRUE(value >= 0 && value < 7) << value;
  }
}

}  // namespace
}  // namespace vta::tools
