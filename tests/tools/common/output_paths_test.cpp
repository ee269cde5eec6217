#include "tools/common/output_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tools/common/files.h"

namespace vta::tools {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class OutputPathsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / "output_paths";
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "in");
    ASSERT_TRUE(writeFile(folder_ / "in" / "model", "m").ok());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const char* name) const { return (folder_ / name).string(); }

  /// The message for an output beside the model.
  std::string check(const std::string& output) const {
    return checkPaths({{{"the model", at("in/model")}}, {{"-o", output}}, {}}).message();
  }
  std::string checkFolder(const std::string& output) const {
    return checkPaths({{{"--input", at("in")}}, {}, {{"--output", output}}}).message();
  }

  fs::path folder_;
};

TEST_F(OutputPathsTest, AcceptsNewAndExistingFiles) {
  EXPECT_EQ(check(at("new")), "");
  EXPECT_EQ(check(""), "");
  EXPECT_EQ(check("relative"), "");
  EXPECT_EQ(check("/dev/null"), "");
  ASSERT_TRUE(writeFile(folder_ / "old", "x").ok());
  EXPECT_EQ(check(at("old")), "");
}

TEST_F(OutputPathsTest, RefusesOutputsThatAreInputs) {
  EXPECT_THAT(check(at("in/model")), HasSubstr("is also read as the model"));
  EXPECT_THAT(check(at("in/../in/./model")), HasSubstr("under the name"));
  fs::create_symlink("in/model", folder_ / "symbolic");
  EXPECT_THAT(check(at("symbolic")), HasSubstr("is also read as the model"));
  fs::create_hard_link(folder_ / "in/model", folder_ / "hard");
  EXPECT_THAT(check(at("hard")), HasSubstr("is also read as the model"));
}

TEST_F(OutputPathsTest, RefusesTwoOutputsToOneFile) {
  const auto both = [&](const std::string& a, const std::string& b) {
    return checkPaths({{}, {{"--report", a}, {"--trace", b}}, {}}).message();
  };
  EXPECT_THAT(both(at("x"), at("x")), HasSubstr("--trace: '"));
  EXPECT_THAT(both(at("x"), at("in/../x")), HasSubstr("also written by --report"));
  fs::create_directory_symlink("in", folder_ / "again");
  EXPECT_THAT(both(at("in/new"), at("again/new")), HasSubstr("also written by --report"));
  EXPECT_EQ(both(at("x"), at("y")), "");
  EXPECT_EQ(both("/dev/null", "/dev/null"), "");
}

TEST_F(OutputPathsTest, RefusesWhatCannotBeWritten) {
  EXPECT_THAT(check(at("none/x")), HasSubstr("No such file"));
  EXPECT_THAT(check(at("in/model/x")), HasSubstr("-o: cannot write"));
  EXPECT_THAT(check(at("in")), HasSubstr("is a folder; give a file's name"));
}

TEST_F(OutputPathsTest, FoldersAreMadeButNotWrittenOver) {
  EXPECT_EQ(checkFolder(at("a/b/c")), "");
  EXPECT_EQ(checkFolder(at("a/b/c/")), "");
  EXPECT_EQ(checkFolder("relative/folder"), "");
  EXPECT_THAT(checkFolder(at("in/model")), HasSubstr("is not a folder"));
  EXPECT_THAT(checkFolder(at("in/model/x")), HasSubstr("is not a folder"));
  EXPECT_THAT(checkFolder(at("in")), HasSubstr("is also read as --input"));
}

TEST_F(OutputPathsTest, PathsOfNamedArguments) {
  EXPECT_EQ(pathOf("image=cat.png"), "cat.png");
  EXPECT_EQ(pathOf("cat.png"), "cat.png");
  ASSERT_TRUE(writeFile(folder_ / "a=b", "x").ok());
  EXPECT_EQ(pathOf(at("a=b")), at("a=b"));
}

}  // namespace
}  // namespace vta::tools
