#include "sim/rtl/model_cache.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "sim/rtl/model_library.h"

namespace vta::sim {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

HwConfig tinyConfig() { return *loadHwConfig(VTA_TEST_CONFIGS "/tiny-1x2x4.yaml"); }

class ModelCacheTest : public testing::Test {
 protected:
  ModelCacheTest() {
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "rtl");
    cache_ = ModelCache::standard();
    cache_.prebuilt_directory.clear();
    cache_.cache_directory = folder_ / "cache";
  }
  ~ModelCacheTest() override { fs::remove_all(folder_); }

  void useBrokenRtl() {
    cache_.rtl_directory = folder_ / "rtl";
    std::ofstream(folder_ / "rtl" / "files.f") << "vta_core.sv\n";
    std::ofstream(folder_ / "rtl" / "vta_core.sv") << "module vta_core; this is no Verilog\n";
  }

  fs::path folder_;
  ModelCache cache_;
};

TEST_F(ModelCacheTest, FailureNamesTheLogAndLeavesNothingElse) {
  useBrokenRtl();
  const auto library = cache_.find(tinyConfig(), ModelVariant::kPlain);
  ASSERT_FALSE(library.ok());
  EXPECT_THAT(library.status().message(), HasSubstr("see "));
  const std::string& message = library.status().message();
  const fs::path log = message.substr(message.find("see ") + 4);
  ASSERT_TRUE(fs::exists(log)) << message;
  std::stringstream text;
  text << std::ifstream(log).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("syntax error"));
  for (const auto& entry : fs::directory_iterator(cache_.cache_directory)) {
    EXPECT_TRUE(entry.path().extension() == ".log" || entry.path().extension() == ".lock")
        << entry.path();
  }
}

TEST_F(ModelCacheTest, MissingSources) {
  cache_.rtl_directory = folder_ / "nowhere";
  const auto library = cache_.find(tinyConfig(), ModelVariant::kPlain);
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(library.status().message(), HasSubstr("VTA_RTL_DIR"));
}

TEST_F(ModelCacheTest, UnusableCacheFolder) {
  std::ofstream(folder_ / "cache") << "a file, not a folder";
  const auto library = cache_.find(tinyConfig(), ModelVariant::kPlain);
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.status().code(), StatusCode::kIoError);
}

// The one test that really builds a model: two users at once, one build.
TEST_F(ModelCacheTest, TwoUsersBuildOnce) {
  std::vector<std::string> told[2];
  fs::path built[2];
  std::thread users[2];
  for (int i = 0; i < 2; ++i) {
    users[i] = std::thread([&, i] {
      ModelCache cache = cache_;
      cache.progress = [&, i](const std::string& text) { told[i].push_back(text); };
      const auto library = cache.find(tinyConfig(), ModelVariant::kPlain);
      EXPECT_TRUE(library.ok()) << library.status().message();
      if (library.ok()) built[i] = *library;
    });
  }
  for (std::thread& user : users) user.join();
  EXPECT_EQ(built[0], built[1]);
  const auto builders = [&](const std::vector<std::string>& texts) {
    return std::count_if(texts.begin(), texts.end(),
                         [](const std::string& text) { return text.starts_with("compiling"); });
  };
  EXPECT_EQ(builders(told[0]) + builders(told[1]), 1);
  ASSERT_TRUE(fs::exists(built[0]));
  told[0].clear();
  cache_.progress = [&](const std::string& text) { told[0].push_back(text); };
  EXPECT_EQ(cache_.find(tinyConfig(), ModelVariant::kPlain).value(), built[0]);
  EXPECT_TRUE(told[0].empty());
  EXPECT_TRUE(RtlModel::open(built[0], 0).ok());
}

TEST(RtlModelTest, OtherFilesAreRefused) {
  const fs::path file = fs::path(testing::TempDir()) / "no_model.so";
  std::ofstream(file) << "text";
  const auto model = RtlModel::open(file, 0);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), StatusCode::kIoError);
  fs::remove(file);
}

}  // namespace
}  // namespace vta::sim
