#include "base/process/find_program.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.h"

namespace vta {
namespace {

namespace fs = std::filesystem;

TEST(FindProgram, IsOnPath) {
  EXPECT_EQ(findProgram("sh").filename(), "sh");
  EXPECT_EQ(findProgram("no-such-program"), "");
}

TEST(FindProgram, TakesTheFirstFileThatCanRun) {
  const TemporaryFolder folder = *TemporaryFolder::create("vta-test");
  std::vector<fs::path> folders;
  for (const char* name : {"folder", "text", "first", "second"}) {
    folders.push_back(folder.path() / name);
    fs::create_directory(folders.back());
  }
  fs::create_directory(folders[0] / "program");
  for (size_t i = 1; i < folders.size(); ++i) std::ofstream(folders[i] / "program") << "#!/bin/sh";
  for (size_t i = 2; i < folders.size(); ++i) {
    fs::permissions(folders[i] / "program", fs::perms::owner_all);
  }
  EXPECT_EQ(findProgram("program", folders), folders[2] / "program");
}

}  // namespace
}  // namespace vta
