#include "base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace vta {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class ReadFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / "base_files";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / "a") << "12345678";
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(ReadFileTest, ReadsWholeFiles) {
  EXPECT_EQ(*readTextFile(folder_ / "a"), "12345678");
  EXPECT_EQ(readFile(folder_ / "a")->size(), 8u);
  std::ofstream(folder_ / "large") << std::string(3 << 20, 'x');
  EXPECT_EQ(readTextFile(folder_ / "large")->size(), size_t{3} << 20);
  EXPECT_FALSE(readTextFile("/proc/self/status")->empty());  // a file that tells no size
}

TEST_F(ReadFileTest, ReadsOnlyFiles) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(readFile(pipe).status().message(), HasSubstr("pipe' is a pipe"));
  EXPECT_THAT(readFile(folder_).status().message(), HasSubstr("is a directory"));
  EXPECT_THAT(readFile("/dev/zero").status().message(), HasSubstr("'/dev/zero' is a device"));
  EXPECT_THAT(requireRegularFile("/dev/null").message(), HasSubstr("is a device"));
  EXPECT_EQ(readFile(folder_ / "none").status().code(), StatusCode::kNotFound);
}

TEST_F(ReadFileTest, ReadsNoMoreThanItMay) {
  EXPECT_TRUE(readFile(folder_ / "a", 8).ok());
  EXPECT_THAT(readFile(folder_ / "a", 7).status().message(), HasSubstr("larger than 7 bytes"));
  fs::resize_file(folder_ / "a", uintmax_t{1} << 40);  // sparse
  EXPECT_THAT(readFile(folder_ / "a").status().message(), HasSubstr("larger than"));
}

}  // namespace
}  // namespace vta
