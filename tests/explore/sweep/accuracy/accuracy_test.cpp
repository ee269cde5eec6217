#include "explore/sweep/accuracy/accuracy.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.h"

namespace vta::sweep {
namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

TEST(Accuracy, TextsKeepAllCounts) {
  const Accuracy accuracy = {200, 190, 100, 71, 75};
  const auto decoded = decodeAccuracy(encodeAccuracy(accuracy));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->samples, 200);
  EXPECT_EQ(decoded->agreementPercent(), 95);
  EXPECT_EQ(decoded->top1Percent(), 71);
  EXPECT_EQ(decoded->floatTop1Percent(), 75);
  for (const char* text : {"", "{}", "[1,2,3,4]", "[1,2,3,4,\"5\"]"}) {
    EXPECT_FALSE(decodeAccuracy(text).ok()) << text;
  }
}

TEST(Accuracy, HashesAreThoseOfTheContents) {
  const auto folder = TemporaryFolder::create("accuracy_test");
  ASSERT_TRUE(folder.ok());
  const std::filesystem::path samples = folder->path() / "samples";
  std::filesystem::create_directory(samples);
  write(samples / "a.npy", "1");
  AccuracyData data;
  data.samples = {"x=" + samples.string()};
  const auto hash = hashOfData(data);
  ASSERT_TRUE(hash.ok()) << hash.status().message();
  EXPECT_EQ(*hashOfData(data), *hash);
  write(samples / "a.npy", "2");
  EXPECT_NE(*hashOfData(data), *hash);
  write(samples / "a.npy", "1");
  EXPECT_EQ(*hashOfData(data), *hash);
  write(samples / "b.npy", "1");
  EXPECT_NE(*hashOfData(data), *hash);
  std::filesystem::remove(samples / "b.npy");
  data.labels = samples / "a.npy";
  EXPECT_NE(*hashOfData(data), *hash);
  data.labels = samples / "none.csv";
  EXPECT_FALSE(hashOfData(data).ok());
}

}  // namespace
}  // namespace vta::sweep
