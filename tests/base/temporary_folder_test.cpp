#include "base/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <utility>

namespace vta {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, IsRemovedWithItsContents) {
  fs::path path;
  {
    const TemporaryFolder folder = *TemporaryFolder::create("vta-test", ::testing::TempDir());
    path = folder.path();
    EXPECT_THAT(path.filename().string(), ::testing::StartsWith("vta-test-"));
    std::ofstream(path / "file") << "text";
    EXPECT_TRUE(fs::exists(path / "file"));
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, BelongsToTheObjectItIsMovedTo) {
  std::optional<TemporaryFolder> first(*TemporaryFolder::create("vta-test"));
  std::optional<TemporaryFolder> second(std::move(*first));
  first.reset();
  const fs::path path = second->path();
  EXPECT_TRUE(fs::exists(path));
  second.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, StaysWhenReleased) {
  fs::path path;
  path = TemporaryFolder::create("vta-test")->release();
  EXPECT_TRUE(fs::exists(path));
  fs::remove(path);
}

TEST(TemporaryFolder, NamesThePlaceThatTakesNone) {
  const auto folder = TemporaryFolder::create("vta-test", "/no/such/folder");
  EXPECT_EQ(folder.status().code(), StatusCode::kIoError);
  EXPECT_THAT(folder.status().message(), ::testing::HasSubstr("/no/such/folder"));
}

}  // namespace
}  // namespace vta
