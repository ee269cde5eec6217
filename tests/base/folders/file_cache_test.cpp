#include "base/folders/file_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <fstream>

#include "base/temporary_folder.h"

namespace vta {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class FileCacheTest : public ::testing::Test {
 protected:
  static std::vector<std::byte> bytes(size_t count) { return std::vector<std::byte>(count); }
  fs::path path(const std::string& name) const { return folder() / (name + ".x"); }
  fs::path folder() const { return temporary_.path() / "kept"; }
  FileCache cache() const { return FileCache(folder(), ".x"); }

  /// What there is, in bytes; -1 for nothing, -2 for an error.
  static int64_t sizeOf(const FileCache& cache, const std::string& name, std::string_view key) {
    const auto found = cache.find(name, key);
    if (!found.ok()) return -2;
    return found->has_value() ? static_cast<int64_t>((*found)->size()) : -1;
  }

  TemporaryFolder temporary_ = *TemporaryFolder::create("vta-test");
};

TEST_F(FileCacheTest, WhatIsAddedIsFound) {
  EXPECT_EQ(sizeOf(cache(), "a", "key"), -1);
  for (const size_t size : {0, 1, 70000}) {
    ASSERT_TRUE(cache().add("a", "key", bytes(size)).ok());
    EXPECT_EQ(sizeOf(cache(), "a", "key"), static_cast<int64_t>(size));
  }
  EXPECT_EQ(sizeOf(cache(), "b", "key"), -1);
}

TEST_F(FileCacheTest, WithoutAFolderNothingIsKept) {
  const FileCache none("", ".x");
  EXPECT_TRUE(none.add("a", "key", bytes(3)).ok());
  EXPECT_EQ(sizeOf(none, "a", "key"), -1);
}

TEST_F(FileCacheTest, TheFileOfAnotherKeyIsNotTaken) {
  ASSERT_TRUE(cache().add("a", "key", bytes(3)).ok());
  EXPECT_THAT(cache().find("a", "other key").status().message(),
              AllOf(HasSubstr(path("a").string()), HasSubstr("another key")));
}

TEST_F(FileCacheTest, ADamagedFileIsNotTaken) {
  ASSERT_TRUE(cache().add("a", "key", bytes(30)).ok());
  fs::resize_file(path("a"), fs::file_size(path("a")) - 1);
  EXPECT_THAT(cache().find("a", "key").status().message(), HasSubstr("is damaged"));
  std::ofstream(path("a")) << "";
  EXPECT_EQ(sizeOf(cache(), "a", "key"), -2);
  ASSERT_TRUE(cache().add("a", "key", bytes(4)).ok());
  EXPECT_EQ(sizeOf(cache(), "a", "key"), 4);
}

TEST_F(FileCacheTest, WhatOthersCanWriteIsNotTaken) {
  ASSERT_TRUE(cache().add("a", "key", bytes(3)).ok());
  fs::permissions(path("a"), fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(cache().find("a", "key").status().message(), HasSubstr("written by others"));
  fs::permissions(folder(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(sizeOf(cache(), "b", "key"), -2);
  EXPECT_FALSE(cache().add("b", "key", bytes(3)).ok());
}

TEST_F(FileCacheTest, AFolderThatCannotBeMadeIsAnError) {
  std::ofstream(folder()) << "a file";
  EXPECT_FALSE(cache().add("a", "key", bytes(3)).ok());
  EXPECT_EQ(sizeOf(cache(), "a", "key"), -2);
}

TEST_F(FileCacheTest, WithoutRoomTheFileIsAsItWas) {
  ASSERT_TRUE(cache().add("a", "key", bytes(3)).ok());
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small = {1000, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = cache().add("a", "key", bytes(5000));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_THAT(status.message(), HasSubstr("cannot write"));
  EXPECT_EQ(sizeOf(cache(), "a", "key"), 3);
}

TEST_F(FileCacheTest, WhatWasNotUsedForLongGoesFirst) {
  const FileCache small(folder(), ".x", 3000);
  const auto now = fs::file_time_type::clock::now();
  for (const auto& [name, age] : {std::pair("old", 3), std::pair("used", 2), std::pair("new", 1)}) {
    ASSERT_TRUE(small.add(name, "key", bytes(900)).ok());
    fs::last_write_time(path(name), now - std::chrono::hours(age));
  }
  std::ofstream(folder() / "not-ours.txt") << std::string(5000, ' ');
  EXPECT_EQ(sizeOf(small, "used", "key"), 900);
  ASSERT_TRUE(small.add("last", "key", bytes(900)).ok());
  EXPECT_EQ(sizeOf(small, "old", "key"), -1);
  for (const char* name : {"used", "new", "last"}) EXPECT_EQ(sizeOf(small, name, "key"), 900);
  EXPECT_TRUE(fs::exists(folder() / "not-ours.txt"));
}

}  // namespace
}  // namespace vta
