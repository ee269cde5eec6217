#include "sim/rtl/model_cache.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
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

TEST_F(ModelCacheTest, InstalledSourcesLieBesideTheProgram) {
  const fs::path program = folder_ / "prefix/bin/vta-run";
  EXPECT_EQ(ModelCache::installedSources(program), "");
  const fs::path sources = folder_ / "prefix/share/vta/rtl";
  fs::create_directories(sources / "hw/vta_rtl");
  std::ofstream(sources / "hw/vta_rtl/files.f").close();
  EXPECT_EQ(ModelCache::installedSources(program), sources);
  EXPECT_EQ(ModelCache::installedSources("/bin/vta-run"), "");
  EXPECT_EQ(ModelCache::installedSources(""), "");
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

TEST_F(ModelCacheTest, FoldersOfOthersAreRefused) {
  fs::create_directories(cache_.cache_directory);
  fs::permissions(cache_.cache_directory, fs::perms::all);
  const auto library = cache_.find(tinyConfig(), ModelVariant::kPlain);
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.status().code(), StatusCode::kIoError);
  EXPECT_THAT(library.status().message(), HasSubstr("can be written by others"));
}

TEST_F(ModelCacheTest, FoldersAreForThisUserAlone) {
  useBrokenRtl();
  cache_.cache_directory = folder_ / "a" / "b";
  EXPECT_FALSE(cache_.find(tinyConfig(), ModelVariant::kPlain).ok());
  EXPECT_EQ(fs::status(folder_ / "a" / "b").permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(folder_ / "a").permissions(), fs::perms::owner_all);
}

TEST_F(ModelCacheTest, AbandonedBuildsAreRemoved) {
  useBrokenRtl();
  fs::create_directories(cache_.cache_directory / "0123.build" / "obj");
  fs::permissions(cache_.cache_directory, fs::perms::owner_all);
  EXPECT_FALSE(cache_.find(tinyConfig(), ModelVariant::kPlain).ok());
  EXPECT_FALSE(fs::exists(cache_.cache_directory / "0123.build"));
}

/// Sets variables for a scope; null takes one away.
class Environment {
 public:
  explicit Environment(const std::map<std::string, const char*>& variables) {
    for (const auto& [name, value] : variables) {
      const char* before = std::getenv(name.c_str());
      before_[name] = before == nullptr ? std::nullopt : std::optional<std::string>(before);
      set(name, value);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : before_) set(name, value ? value->c_str() : nullptr);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void set(const std::string& name, const char* value) {
    if (value == nullptr) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value, 1);
    }
  }
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(ModelCacheTest, TheEnvironmentSaysWhereModelsGo) {
  const auto folderWith = [](const char* own, const char* cache, const char* home,
                             const char* run) {
    const Environment environment({{"VTA_CACHE_DIR", own},
                                   {"XDG_CACHE_HOME", cache},
                                   {"HOME", home},
                                   {"XDG_RUNTIME_DIR", run}});
    return ModelCache::standard().cache_directory;
  };
  EXPECT_EQ(folderWith("/o", "/c", "/h", "/r"), "/o/rtl");
  EXPECT_EQ(folderWith("", "/c", "/h", "/r"), "/c/vta/rtl");
  EXPECT_EQ(folderWith(nullptr, "relative", "/h", "/r"), "/h/.cache/vta/rtl");
  EXPECT_EQ(folderWith(nullptr, nullptr, nullptr, "/r"), "/r/vta/rtl");
  EXPECT_EQ(folderWith(nullptr, nullptr, nullptr, nullptr), "");
  cache_.cache_directory.clear();
  EXPECT_THAT(cache_.find(tinyConfig(), ModelVariant::kPlain).status().message(),
              HasSubstr("set VTA_CACHE_DIR"));
}

// Make takes no blanks, shells no apostrophes. The broken library is one that a build replaces.
TEST_F(ModelCacheTest, BuildsBelowAnyNameAndReplacesBrokenModels) {
  const fs::path folder = folder_ / "o'brien's models $HOME";
  fs::create_directories(folder);
  fs::create_directory_symlink(cache_.rtl_directory, folder / "rtl");
  fs::create_directory_symlink(cache_.source_root, folder / "source");
  cache_.rtl_directory = folder / "rtl";
  cache_.source_root = folder / "source";
  cache_.cache_directory = folder / "cache";
  const auto library = cache_.find(tinyConfig(), ModelVariant::kPlain);
  ASSERT_TRUE(library.ok()) << library.status().message();
  EXPECT_TRUE(RtlModel::open(*library, 0).ok());
  const auto size = fs::file_size(*library);
  for (const uintmax_t kept : {size / 2, uintmax_t{0}}) {
    fs::resize_file(*library, kept);
    const auto broken = RtlModel::open(*library, 0);
    ASSERT_FALSE(broken.ok());
    EXPECT_THAT(broken.status().message(), HasSubstr("damaged"));
    EXPECT_EQ(cache_.find(tinyConfig(), ModelVariant::kPlain).value(), *library);
    EXPECT_TRUE(RtlModel::open(*library, 0).ok());
  }
  fs::permissions(*library, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(RtlModel::open(*library, 0).status().message(), HasSubstr("written by others"));
}

TEST_F(ModelCacheTest, SignalsStopTheBuild) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    (void)cache_.find(tinyConfig(), ModelVariant::kPlain);
    _exit(0);
  }
  const auto isBuilding = [&] {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(cache_.cache_directory, error)) {
      if (entry.path().extension() == ".build" && fs::exists(entry.path() / "obj")) return true;
    }
    return false;
  };
  while (!isBuilding()) usleep(1000);
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  EXPECT_FALSE(isBuilding());
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
