#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "driver/generate/tokenizer.h"
#include "tests/driver/generate/small_tokenizer.h"

namespace vta::driver {
namespace {

using test::smallTokenizerFile;
using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Tokenizer> smallTokenizer() {
  auto tokenizer = parseBinaryTokenizer(smallTokenizerFile());
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  return *std::move(tokenizer);
}

std::string errorOf(const std::vector<std::byte>& file) {
  const auto tokenizer = parseBinaryTokenizer(file);
  EXPECT_FALSE(tokenizer.ok());
  return tokenizer.status().message();
}

TEST(BinaryTokenizer, JoinsThePairWithTheHighestScoreFirst) {
  const auto tokenizer = smallTokenizer();
  // Of "ab" and "bc" the second has the higher score; "abc" follows from "a" and "bc".
  EXPECT_THAT(*tokenizer->encode("abc"), ElementsAre(1, test::kSpace, test::kAbc));
  EXPECT_THAT(*tokenizer->encode("ab"), ElementsAre(1, test::kSpace, test::kAb));
}

TEST(BinaryTokenizer, CharactersWithoutATokenAreBytes) {
  const auto tokenizer = smallTokenizer();
  EXPECT_THAT(*tokenizer->encode("é"), ElementsAre(1, test::kSpace, 3 + 0xC3, 3 + 0xA9));
  EXPECT_EQ(tokenizer->decode(3 + 0xC3, false), "\xC3");
}

TEST(BinaryTokenizer, AnEmptyTextIsItsBegin) {
  EXPECT_THAT(*smallTokenizer()->encode(""), ElementsAre(1));
}

TEST(BinaryTokenizer, TheSpaceInFrontOfATextIsLeftOut) {
  const auto tokenizer = smallTokenizer();
  for (const std::string text : {"abc", "a b", "  a", "é"}) {
    EXPECT_EQ(decodeAll(*tokenizer, *tokenizer->encode(text)), text);
  }
}

TEST(BinaryTokenizer, SteeringTokensAddNothing) {
  const auto tokenizer = smallTokenizer();
  for (const int64_t token : {int64_t{1}, int64_t{2}, int64_t{-1}, tokenizer->size()}) {
    EXPECT_EQ(tokenizer->decode(token, false), "");
  }
  EXPECT_THAT(tokenizer->ends(), ElementsAre(1, 2));
}

TEST(BinaryTokenizer, TextsHaveToBeUtf8) {
  EXPECT_THAT(smallTokenizer()->encode("a\xFF").status().message(), HasSubstr("UTF-8"));
}

TEST(BinaryTokenizer, FilesThatAreCutOffAreRefused) {
  const std::vector<std::byte> whole = smallTokenizerFile();
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto tokenizer = parseBinaryTokenizer(std::span(whole).first(size));
    // A cut between two tokens looks like a smaller vocabulary.
    if (tokenizer.ok()) continue;
    EXPECT_THAT(tokenizer.status().message(), HasSubstr("tokenizer.bin")) << size;
  }
  EXPECT_THAT(errorOf({whole.begin(), whole.end() - 1}), HasSubstr("cut off"));
}

TEST(BinaryTokenizer, OtherFilesAreRefused) {
  EXPECT_THAT(errorOf({}), HasSubstr("does not begin with a length"));
  std::vector<std::byte> file = smallTokenizerFile();
  const int32_t wrong = -1;
  std::memcpy(file.data() + 8, &wrong, sizeof wrong);  // the length of the first token
  EXPECT_THAT(errorOf(file), HasSubstr("damaged behind 0 tokens"));
  file.resize(4);
  EXPECT_THAT(errorOf(file), HasSubstr("has 0 tokens"));
}

TEST(BinaryTokenizer, AFileThatIsNotThereIsNamed) {
  const auto tokenizer = readBinaryTokenizer("/nowhere/tokenizer.bin");
  EXPECT_THAT(tokenizer.status().message(), HasSubstr("/nowhere/tokenizer.bin"));
}

}  // namespace
}  // namespace vta::driver
