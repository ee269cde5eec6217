#include "base/folders/whole_file.h"

#include <gmock/gmock.h>

#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/temporary_folder.h"

namespace vta {
namespace {

namespace fs = std::filesystem;

int write(const fs::path& file, const std::string& text, mode_t mode = 0600) {
  return writeWhole(file, std::as_bytes(std::span(text)), mode);
}

std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

TEST(WholeFileTest, ContentIsReplacedAndNothingElseLeft) {
  const TemporaryFolder folder = TemporaryFolder::create("whole-file").value();
  const fs::path file = folder.path() / "file";
  EXPECT_EQ(write(file, "first, and longer"), 0);
  EXPECT_EQ(write(file, "second"), 0);
  EXPECT_EQ(readTextFile(file).value(), "second");
  EXPECT_THAT(namesIn(folder.path()), testing::ElementsAre("file"));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(WholeFileTest, WhatFailsLeavesNothing) {
  const TemporaryFolder folder = TemporaryFolder::create("whole-file").value();
  EXPECT_EQ(write(folder.path() / "none" / "file", "text"), ENOENT);
  const fs::path full = folder.path() / "folder";
  fs::create_directories(full / "inside");
  EXPECT_NE(write(full, "text"), 0);
  EXPECT_THAT(namesIn(folder.path()), testing::ElementsAre("folder"));
}

TEST(WholeFileTest, ReadersSeeOneContentOrAnother) {
  const TemporaryFolder folder = TemporaryFolder::create("whole-file").value();
  const fs::path file = folder.path() / "file";
  const std::string contents[] = {std::string(100'000, 'a'), std::string(50'000, 'b')};
  ASSERT_EQ(write(file, contents[0]), 0);
  std::vector<std::thread> writers;
  for (const std::string& content : contents) {
    writers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) EXPECT_EQ(write(file, content), 0);
    });
  }
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(contents, testing::Contains(readTextFile(file).value()));
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_THAT(namesIn(folder.path()), testing::ElementsAre("file"));
}

}  // namespace
}  // namespace vta
