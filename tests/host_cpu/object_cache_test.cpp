// What was compiled before is not compiled again, and what is damaged or not one's own is not run.
#include "compiler/codegen/llvm/object_cache.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.h"
#include "tests/host_cpu/host_test_support.h"

namespace vta::codegen::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDouble = R"(
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = graph.binary add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32> })";

class ObjectCacheTest : public ::testing::Test {
 protected:
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(cached())) found.push_back(entry.path());
    return found;
  }
  fs::path cached() const { return folder_.path() / "code"; }
  CodeOptions options() const {
    CodeOptions options;
    options.cache_folder = cached();
    return options;
  }

  static std::vector<std::byte> bytes(size_t count) { return std::vector<std::byte>(count); }

  TemporaryFolder folder_ = *TemporaryFolder::create("vta-test");
};

TEST_F(ObjectCacheTest, TheSameCodeIsCompiledOnce) {
  const auto first = compileText(kDouble, options());
  ASSERT_TRUE(first.ok()) << first.status().message();
  ASSERT_EQ(files().size(), 1u);
  const auto second = compileText(kDouble, options());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(objectsOf(*first), objectsOf(*second));
  EXPECT_EQ(files().size(), 1u);
  CodeOptions quick = options();
  quick.quality = CodeQuality::kDraft;
  ASSERT_TRUE(compileText(kDouble, quick).ok());
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(ObjectCacheTest, WhatIsThereIsTaken) {
  ASSERT_TRUE(compileText(kDouble, options()).ok());
  const ObjectCache cache(cached());
  const std::string key = files().front().stem().string();
  cache.add(key, bytes(3));
  const auto taken = compileText(kDouble, options());
  ASSERT_TRUE(taken.ok());
  const std::vector<std::vector<std::byte>> expected = {bytes(3)};
  EXPECT_EQ(objectsOf(*taken), expected);
}

TEST_F(ObjectCacheTest, ADamagedFileIsCompiledAgain) {
  ASSERT_TRUE(compileText(kDouble, options()).ok());
  const fs::path file = files().front();
  fs::resize_file(file, fs::file_size(file) - 1);
  const Tensor x = tensorOfValues<float>(DType::kF32, {4}, {1, 2, 3, 4});
  const auto results = compileAndRun(kDouble, {x}, options());
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ(valuesOf<float>(results->front()), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_TRUE(ObjectCache(cached()).find(file.stem().string()).has_value());
}

TEST_F(ObjectCacheTest, AnObjectUnderAnothersNameIsCompiledAgain) {
  ASSERT_TRUE(compileText(kDouble, options()).ok());
  const fs::path file = files().front();
  const ObjectCache cache(cached());
  const std::string key = file.stem().string(), other = std::string(key.size(), '0');
  cache.add(other, bytes(3));
  ASSERT_EQ(cache.find(other), bytes(3));
  fs::rename(cached() / (other + ".o"), file);
  EXPECT_FALSE(cache.find(key).has_value());
  const Tensor x = tensorOfValues<float>(DType::kF32, {4}, {1, 2, 3, 4});
  const auto results = compileAndRun(kDouble, {x}, options());
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ(valuesOf<float>(results->front()), (std::vector<float>{2, 4, 6, 8}));
}

TEST_F(ObjectCacheTest, WhatOthersCanWriteIsNotTaken) {
  const ObjectCache cache(cached());
  cache.add("key", bytes(3));
  ASSERT_TRUE(cache.find("key").has_value());
  fs::permissions(cached() / "key.o", fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(cache.find("key").has_value());
  cache.add("key", bytes(4));  // replaces it
  EXPECT_EQ(cache.find("key"), bytes(4));
  fs::permissions(cached(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(cache.find("key").has_value());
}

TEST_F(ObjectCacheTest, AFolderThatCannotBeMadeCostsNothing) {
  std::ofstream(cached()) << "a file";
  EXPECT_TRUE(compileText(kDouble, options()).ok());
  const ObjectCache none{fs::path()};
  none.add("key", bytes(3));
  EXPECT_FALSE(none.find("key").has_value());
}

TEST_F(ObjectCacheTest, WhatWasNotUsedForLongGoesFirst) {
  const ObjectCache cache(cached(), 3000);
  const auto now = fs::file_time_type::clock::now();
  for (const auto& [key, age] : {std::pair("old", 3), std::pair("used", 2), std::pair("new", 1)}) {
    cache.add(key, bytes(900));
    fs::last_write_time(cached() / (std::string(key) + ".o"), now - std::chrono::hours(age));
  }
  ASSERT_TRUE(cache.find("used").has_value());
  cache.add("last", bytes(900));
  EXPECT_FALSE(cache.find("old").has_value());
  EXPECT_TRUE(cache.find("used").has_value());
  EXPECT_TRUE(cache.find("new").has_value());
  EXPECT_TRUE(cache.find("last").has_value());
}

}  // namespace
}  // namespace vta::codegen::testing
