#include "base/folders/user_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "base/temporary_folder.h"

namespace vta {
namespace {

namespace fs = std::filesystem;

/// Sets variables for one test; an empty text stands for none.
class UserFolder : public testing::Test {
 protected:
  ~UserFolder() override {
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }

  void set(const std::string& name, const std::string& value) {
    const char* before = std::getenv(name.c_str());
    if (before != nullptr) before_.emplace(name, before);
    unsetenv(name.c_str());
    if (!value.empty()) setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::map<std::string, std::string> before_;
};

TEST_F(UserFolder, TheFirstVariableThatSaysWhereCounts) {
  set("VTA_CACHE_DIR", "own");
  set("XDG_CACHE_HOME", "/caches");
  set("HOME", "/users/me");
  set("XDG_RUNTIME_DIR", "/run/user");
  EXPECT_EQ(userCacheFolder(), "own");
  set("VTA_CACHE_DIR", "");
  EXPECT_EQ(userCacheFolder(), "/caches/vta");
  set("XDG_CACHE_HOME", "relative");  // the standard says that such a value is to be ignored
  EXPECT_EQ(userCacheFolder(), "/users/me/.cache/vta");
  set("HOME", "");
  EXPECT_EQ(userCacheFolder(), "/run/user/vta");
  set("XDG_RUNTIME_DIR", "");
  EXPECT_EQ(userCacheFolder(), "");
}

TEST_F(UserFolder, IsMadeForThisUserAlone) {
  const TemporaryFolder folder = *TemporaryFolder::create("vta-test");
  const fs::path path = folder.path() / "a" / "b";
  ASSERT_TRUE(makeOwnFolder(path).ok());
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(makeOwnFolder(path).ok());
}

TEST_F(UserFolder, AFileInItsPlaceIsAnError) {
  const TemporaryFolder folder = *TemporaryFolder::create("vta-test");
  std::ofstream(folder.path() / "file") << "text";
  const Status status = makeOwnFolder(folder.path() / "file");
  EXPECT_EQ(status.code(), StatusCode::kIoError);
  EXPECT_THAT(status.message(), testing::HasSubstr("file is not a folder"));
}

}  // namespace
}  // namespace vta
