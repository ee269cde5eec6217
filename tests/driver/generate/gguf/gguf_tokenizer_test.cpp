// Tokenizers in GGUF files, beside the same tokenizers as files of Hugging Face.
#include "driver/generate/gguf/gguf_tokenizer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files.h"
#include "driver/generate/json/json_tokenizer.h"
#include "tests/base/gguf/gguf_writer.h"

namespace vta::driver {
namespace {

using Json = nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace test::gguf;

constexpr const char* kDataFolder = VTA_SOURCE_DIR "/tests/driver/generate/data/";
constexpr int32_t kNormal = 1, kControl = 3, kUserDefined = 4, kUnused = 5;

/// What a tokenizer in a GGUF file is made of.
struct Fields {
  std::string model = "gpt2", pre = "gpt-2";
  std::vector<std::string> tokens, merges;
  std::vector<int32_t> kinds;
  std::vector<std::pair<std::string, uint32_t>> numbers;  // further fields
};

std::vector<std::byte> fileOf(const Fields& fields) {
  Writer writer;
  const bool has_pre = !fields.pre.empty();
  writer.begin(0, 4 + (has_pre ? 1 : 0) + fields.numbers.size());
  const auto begin = [&](const std::string& name, uint32_t kind) -> Writer& {
    return writer.text("tokenizer.ggml." + name).add(kind);
  };
  begin("model", kText).text(fields.model);
  if (has_pre) begin("pre", kText).text(fields.pre);
  for (const auto& [name, texts] :
       {std::pair("tokens", fields.tokens), std::pair("merges", fields.merges)}) {
    begin(name, kArray).add(kText).add<uint64_t>(texts.size());
    for (const std::string& text : texts) writer.text(text);
  }
  begin("token_type", kArray).add(kI32).add<uint64_t>(fields.kinds.size());
  for (const int32_t kind : fields.kinds) writer.add(kind);
  for (const auto& [name, number] : fields.numbers) begin(name, kU32).add(number);
  return writer.align().bytes();
}

/// The fields that converters write for a tokenizer.json.
Fields fieldsOf(const Json& file, const std::string& pre) {
  Fields fields;
  fields.pre = pre;
  size_t count = 0;
  for (const auto& [text, number] : file.at("model").at("vocab").items()) {
    count = std::max(count, number.get<size_t>() + 1);
  }
  for (const Json& token : file.at("added_tokens")) {
    count = std::max(count, token.at("id").get<size_t>() + 1);
  }
  fields.tokens.resize(count);
  fields.kinds.assign(count, kUnused);
  const auto set = [&](size_t number, const std::string& text, int32_t kind) {
    fields.tokens[number] = text;
    fields.kinds[number] = kind;
  };
  for (const auto& [text, number] : file.at("model").at("vocab").items()) {
    set(number.get<size_t>(), text, kNormal);
  }
  for (const Json& token : file.at("added_tokens")) {
    set(token.at("id").get<size_t>(), token.at("content").get<std::string>(),
        token.at("special").get<bool>() ? kControl : kUserDefined);
  }
  for (const Json& merge : file.at("model").at("merges")) {
    fields.merges.push_back(merge.is_array() ? merge.at(0).get<std::string>() + ' ' +
                                                   merge.at(1).get<std::string>()
                                             : merge.get<std::string>());
  }
  return fields;
}

Json jsonFile(const char* name) {
  return Json::parse(*readTextFile(fmt::format("{}{}.json", kDataFolder, name)));
}

Json cases(const char* name) { return jsonFile("cases").at(name); }

std::unique_ptr<Tokenizer> parsed(const Fields& fields) {
  auto tokenizer = parseGgufTokenizer(fileOf(fields));
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  return *std::move(tokenizer);
}

Result<std::unique_ptr<Tokenizer>> tokenizerOf(const Json& file) {
  const std::string text = file.dump();
  return parseJsonTokenizer(std::as_bytes(std::span(text)));
}

std::string errorOf(const Fields& fields) {
  const auto tokenizer = parseGgufTokenizer(fileOf(fields));
  EXPECT_FALSE(tokenizer.ok());
  return tokenizer.status().message();
}

/// Both give the same tokens and texts.
void expectEqual(const Tokenizer& tokenizer, const Tokenizer& expected, const Json& cases) {
  for (const Json& one : cases) {
    const auto text = one.at("text").get<std::string>();
    const auto tokens = tokenizer.encode(text);
    ASSERT_TRUE(tokens.ok()) << tokens.status().message();
    EXPECT_EQ(*tokens, *expected.encode(text)) << text;
    EXPECT_EQ(decodeAll(tokenizer, *tokens), decodeAll(expected, *tokens)) << text;
  }
}

TEST(GgufTokenizer, BytePairsAreThoseOfHuggingFace) {
  for (const auto& [name, pre] : {std::pair("gpt2", "gpt-2"), std::pair("digits", "smollm")}) {
    const auto tokenizer = parsed(fieldsOf(jsonFile(name), pre));
    const Json texts = cases(name);
    EXPECT_GT(texts.size(), 10U);
    for (const Json& one : texts) {
      const auto text = one.at("text").get<std::string>();
      const auto tokens = tokenizer->encode(text);
      ASSERT_TRUE(tokens.ok()) << tokens.status().message();
      EXPECT_EQ(*tokens, one.at("tokens").get<std::vector<int64_t>>()) << name << ": " << text;
      EXPECT_EQ(decodeAll(*tokenizer, *tokens), one.at("decoded").get<std::string>()) << name;
    }
  }
}

TEST(GgufTokenizer, Llama3CutsTextsAsItsOwnFileSays) {
  Json file = jsonFile("llama3");
  file["normalizer"] = nullptr;  // as the models have it
  Fields fields = fieldsOf(file, "llama-bpe");
  fields.numbers = {{"bos_token_id", 436}, {"eos_token_id", 437}};
  const auto tokenizer = parsed(fields);
  expectEqual(*tokenizer, **tokenizerOf(file), cases("llama3"));
  EXPECT_THAT(tokenizer->ends(), ElementsAre(437));
}

TEST(GgufTokenizer, Qwen2HasSingleDigitsAndComposedCharacters) {
  Json file = jsonFile("llama3");  // with NFC
  Json& expression = file["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"];
  std::string text = expression.get<std::string>();
  const size_t at = text.find("{1,3}");
  ASSERT_NE(at, std::string::npos);
  expression = text.erase(at, 5);
  file["model"]["ignore_merges"] = false;
  file["post_processor"] = nullptr;
  expectEqual(*parsed(fieldsOf(file, "qwen2")), **tokenizerOf(file), cases("llama3"));
}

/// Tokens 0 to 2 are letters and their pair, 3 steers the model, 4 is a word of its own.
Fields smallFields() {
  Fields fields;
  fields.tokens = {"a", "b", "ab", "<end>", "<tool>", "[PAD5]"};
  fields.kinds = {kNormal, kNormal, kNormal, kControl, kUserDefined, kUnused};
  fields.merges = {"a b"};
  return fields;
}

TEST(GgufTokenizer, KindsOfTokens) {
  Fields fields = smallFields();
  fields.numbers = {{"eos_token_id", 3}, {"eot_token_id", 2}};
  const auto tokenizer = parsed(fields);
  EXPECT_THAT(*tokenizer->encode("ab<end>b<tool>"), ElementsAre(2, 3, 1, 4));
  EXPECT_EQ(tokenizer->decode(3, false), "");
  EXPECT_EQ(tokenizer->decode(4, false), "<tool>");
  EXPECT_FALSE(tokenizer->encode("[PAD5]").ok()) << "a token that is not used";
  EXPECT_THAT(tokenizer->ends(), ElementsAre(2, 3));
}

TEST(GgufTokenizer, TextsBeginWithATokenWhereTheFileSaysSo) {
  Fields fields = smallFields();
  EXPECT_THAT(*parsed(fields)->encode("a"), ElementsAre(0));
  fields.numbers = {{"add_bos_token", 1}, {"bos_token_id", 3}};
  EXPECT_THAT(*parsed(fields)->encode("a"), ElementsAre(3, 0));
  fields.pre = "llama-bpe";
  fields.numbers = {{"bos_token_id", 3}};
  EXPECT_THAT(*parsed(fields)->encode("a"), ElementsAre(3, 0)) << "they do unless it says no";
  fields.numbers = {{"add_bos_token", 0}};
  EXPECT_THAT(*parsed(fields)->encode("a"), ElementsAre(0));
  fields.numbers = {};
  EXPECT_THAT(errorOf(fields), HasSubstr("'tokenizer.ggml.bos_token_id', is missing"));
}

TEST(GgufTokenizer, WhatIsNotSupportedIsNamed) {
  Fields fields = smallFields();
  fields.pre = "viking";
  EXPECT_THAT(errorOf(fields), testing::AllOf(HasSubstr("'viking'"), HasSubstr("gpt-2, "),
                                              HasSubstr("tokenizer.json")));
  fields.pre = "";
  EXPECT_THAT(errorOf(fields), HasSubstr("no field 'tokenizer.ggml.pre'"));
  fields = smallFields();
  fields.model = "bert";
  EXPECT_THAT(errorOf(fields), HasSubstr("kind 'bert'"));
}

TEST(GgufTokenizer, FieldsThatContradictEachOther) {
  Fields fields = smallFields();
  fields.kinds.pop_back();
  EXPECT_THAT(errorOf(fields), HasSubstr("6 tokens, but kinds of 5"));
  fields = smallFields();
  fields.kinds[1] = 9;
  EXPECT_THAT(errorOf(fields), HasSubstr("token 1 of the GGUF file has kind 9"));
  fields = smallFields();
  fields.merges = {"a z"};
  EXPECT_THAT(errorOf(fields), HasSubstr("'a' and 'z'"));
  fields = smallFields();
  fields.tokens.clear();
  fields.kinds.clear();
  EXPECT_THAT(errorOf(fields), HasSubstr("no tokens"));
}

}  // namespace
}  // namespace vta::driver
