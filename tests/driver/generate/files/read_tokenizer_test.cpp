#include "driver/generate/files/read_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/driver/generate/small_tokenizer.h"

namespace vta::driver {
namespace {

using testing::HasSubstr;

TEST(ReadTokenizer, FilesAreToldApartByTheirBegin) {
  const auto missing = readTokenizer("/nowhere/tokenizer.json");
  EXPECT_THAT(missing.status().message(), HasSubstr("/nowhere/tokenizer.json"));
  const std::string named = testing::TempDir() + "/vta-named.json";
  for (const char* text : {"", "[1]", "3", "\"x\""}) {
    std::ofstream(named) << text;
    EXPECT_THAT(readTokenizer(named).status().message(), HasSubstr("no tokenizer.json")) << text;
  }
  std::filesystem::remove(named);
  // The length of the longest piece is the code of a space, a tab, a line's end or a bracket.
  const std::string binary = testing::TempDir() + "/vta-binary.tokenizer";
  for (const int longest : {9, 10, 13, 32, 123}) {
    std::vector<std::byte> bytes = test::smallTokenizerFile();
    bytes[0] = static_cast<std::byte>(longest);
    std::ofstream(binary, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    EXPECT_TRUE(readTokenizer(binary).ok()) << longest;
  }
  std::filesystem::remove(binary);
  const auto other = readTokenizer(VTA_SOURCE_DIR "/README.md");
  EXPECT_THAT(other.status().message(), HasSubstr("README.md"));
}

}  // namespace
}  // namespace vta::driver
