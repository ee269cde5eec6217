#include "tools/inputs/png_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tools/common/files.h"
#include "tools/inputs/image.h"

namespace vta::tools {
namespace {

using ::testing::HasSubstr;

constexpr size_t kSignatureBytes = 8;
constexpr size_t kIendBytes = 12;

std::vector<std::byte> pngFile() {
  return readFile(VTA_SOURCE_DIR "/examples/digits/images/three-1.png").value();
}

TEST(PngCheck, WholeFilesAndOtherFilesAreGood) {
  std::vector<std::byte> file = pngFile();
  EXPECT_TRUE(checkPng(file).ok());
  file.push_back(std::byte{1});  // what lies behind the end is nobody's
  EXPECT_TRUE(checkPng(file).ok());
  EXPECT_TRUE(checkPng({}).ok());
  EXPECT_TRUE(checkPng(std::span(file).subspan(1)).ok());
}

TEST(PngCheck, EveryDamagedByteIsNoticed) {
  const std::vector<std::byte> file = pngFile();
  for (size_t at = kSignatureBytes; at < file.size(); ++at) {
    std::vector<std::byte> damaged = file;
    damaged[at] ^= std::byte{1};
    EXPECT_FALSE(checkPng(damaged).ok()) << at;
    EXPECT_FALSE(decodeImage(damaged).ok()) << at;
  }
}

TEST(PngCheck, SaysWhatIsWrong) {
  std::vector<std::byte> file = pngFile();
  file[30] ^= std::byte{1};  // in the checksum of the first chunk
  EXPECT_THAT(checkPng(file).message(), HasSubstr("chunk 'IHDR' has another checksum"));
  file = pngFile();
  file.resize(file.size() - kIendBytes);
  EXPECT_THAT(checkPng(file).message(), HasSubstr("it has no end (chunk 'IEND')"));
  file.resize(file.size() - 1);
  EXPECT_THAT(checkPng(file).message(), HasSubstr("ends inside of its chunk 'IDAT'"));
}

}  // namespace
}  // namespace vta::tools
