#include "tools/common/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace vta::tools {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class FilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(::testing::TempDir()) /
        (std::string("files_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string textOf(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  size_t filesInFolder() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

TEST_F(FilesTest, WritesAndReadsBack) {
  const fs::path path = folder_ / "a";
  ASSERT_TRUE(writeFile(path, "first").ok());
  ASSERT_TRUE(writeFile(path, "second, longer").ok());
  const auto data = readFile(path);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(textOf(*data), "second, longer");
  EXPECT_EQ(filesInFolder(), 1u);
  const std::string large(3 << 20, 'x');
  ASSERT_TRUE(writeFile(path, large).ok());
  EXPECT_EQ(readFile(path)->size(), large.size());
}

TEST_F(FilesTest, ErrorsNameTheFile) {
  EXPECT_EQ(readFile(folder_ / "none").status().code(), StatusCode::kNotFound);
  EXPECT_THAT(readFile(folder_ / "none").status().message(), HasSubstr("none"));
  EXPECT_THAT(readFile(folder_).status().message(), HasSubstr("is a directory"));
  EXPECT_THAT(writeFile(folder_ / "none" / "a", "x").message(), HasSubstr("none/a"));
  const Status full = writeFile("/dev/full", "x");
  EXPECT_EQ(full.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(full.message(), HasSubstr("/dev/full"));
}

TEST_F(FilesTest, NewFilesGetThePermissionsThatTheMaskLeaves) {
  const auto modeOf = [](const fs::path& path) {
    return static_cast<int>(fs::status(path).permissions());
  };
  const mode_t mask = umask(077);
  EXPECT_TRUE(writeFile(folder_ / "private", "x").ok());
  umask(022);
  EXPECT_TRUE(writeFile(folder_ / "public", "x").ok());
  EXPECT_TRUE(writeFile(folder_ / "private", "again").ok());
  umask(mask);
  EXPECT_EQ(modeOf(folder_ / "public"), 0644);
  EXPECT_EQ(modeOf(folder_ / "private"), 0600);  // an existing file keeps its own
}

TEST_F(FilesTest, WritesThroughLinks) {
  fs::create_directory(folder_ / "real");
  fs::create_symlink("real/a", folder_ / "link");
  fs::create_symlink("link", folder_ / "link2");
  for (const char* text : {"new", "again"}) {
    ASSERT_TRUE(writeFile(folder_ / "link2", text).ok());
    EXPECT_TRUE(fs::is_symlink(folder_ / "link2"));
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(textOf(*readFile(folder_ / "real" / "a")), text);
  }
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_FALSE(writeFile(folder_ / "loop", "x").ok());
}

TEST_F(FilesTest, ATargetThatCannotBeReplacedStays) {
  const fs::path target = folder_ / "folder";
  fs::create_directories(target / "inside");
  EXPECT_FALSE(writeFile(target, "x").ok());
  EXPECT_TRUE(fs::is_directory(target / "inside"));
  EXPECT_EQ(filesInFolder(), 1u);
}

TEST_F(FilesTest, ASignalWhileWritingLeavesNothing) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::string large(8 << 20, 'x');
    while (writeFile(folder_ / "a", large).ok()) {
    }
    _exit(0);
  }
  usleep(50000);
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().filename(), "a");
    EXPECT_EQ(entry.file_size(), size_t{8} << 20);
  }
}

}  // namespace
}  // namespace vta::tools
