// Tokenizers of tokenizer.json, beside what Hugging Face's own library makes of the same texts.
#include "driver/generate/json/json_tokenizer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files.h"
#include "driver/generate/files/read_tokenizer.h"

namespace vta::driver {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kFolder = VTA_SOURCE_DIR "/tests/driver/generate/data/";

std::string textOf(const std::string& name) { return *readTextFile(kFolder + name); }

Result<std::unique_ptr<Tokenizer>> parse(const std::string& text) {
  return parseJsonTokenizer(std::as_bytes(std::span(text)));
}

/// A tokenizer of a few characters, with one field replaced.
Json smallFile() {
  return {{"added_tokens", Json::array()},
          {"model",
           {{"type", "BPE"},
            {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}, {"▁", 3}}},
            {"merges", {"a b"}}}}};
}

std::string errorOf(const Json& file) {
  const auto tokenizer = parse(file.dump());
  EXPECT_FALSE(tokenizer.ok()) << file.dump();
  return tokenizer.status().message();
}

TEST(JsonTokenizer, TokensAndTextsAreThoseOfHuggingFace) {
  const Json all = Json::parse(textOf("cases.json"));
  EXPECT_EQ(all.size(), 5U);
  for (const auto& [name, cases] : all.items()) {
    const auto tokenizer = readTokenizer(fmt::format("{}{}.json", kFolder, name));
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().message();
    for (const Json& one : cases) {
      const auto text = one.at("text").get<std::string>();
      const auto tokens = (*tokenizer)->encode(text);
      ASSERT_TRUE(tokens.ok()) << tokens.status().message();
      EXPECT_EQ(*tokens, one.at("tokens").get<std::vector<int64_t>>()) << name << ": " << text;
      EXPECT_EQ(decodeAll(**tokenizer, *tokens), one.at("decoded").get<std::string>()) << name;
    }
  }
}

TEST(JsonTokenizer, LongTextsTakeTimeInProportion) {
  const auto tokenizer = readTokenizer(fmt::format("{}llama2.json", kFolder));
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "there was ";
  const auto tokens = (*tokenizer)->encode(text);
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(decodeAll(**tokenizer, *tokens), text);
}

TEST(JsonTokenizer, EndsAreFoundByTheirNames) {
  const auto ends = [](const char* name) {
    return (*readTokenizer(fmt::format("{}{}.json", kFolder, name)))->ends().size();
  };
  EXPECT_EQ(ends("gpt2"), 1U);
  EXPECT_EQ(ends("digits"), 2U);
  EXPECT_EQ(ends("llama2"), 1U);
}

TEST(JsonTokenizer, SpacesBesideAddedTokensBelongToThem) {
  Json file = smallFile();
  file["added_tokens"] = {{{"id", 4}, {"content", "<x>"}, {"lstrip", true}, {"rstrip", true}},
                          {{"id", 5}, {"content", "<x>>"}}};
  const auto tokenizer = parse(file.dump());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  EXPECT_THAT(*(*tokenizer)->encode("a <x> b<x>"), ElementsAre(0, 4, 1, 4));
  EXPECT_THAT(*(*tokenizer)->encode("<x>>ab"), ElementsAre(5, 2)) << "the longest one";
}

TEST(JsonTokenizer, CharactersWithoutTokens) {
  Json file = smallFile();
  const auto strict = parse(file.dump());
  EXPECT_THAT((*strict)->encode("az").status().message(), HasSubstr("no token for 'z'"));
  file["model"]["unk_token"] = "▁";
  EXPECT_THAT(*(*parse(file.dump()))->encode("zzb"), ElementsAre(3, 3, 1));
  file["model"]["fuse_unk"] = true;
  EXPECT_THAT(*(*parse(file.dump()))->encode("zzb"), ElementsAre(3, 1));
}

TEST(JsonTokenizer, CharactersWithoutTokensAreFoundInTheText) {
  Json file = smallFile();
  const auto refusal = [&](const std::string& text) {
    return (*parse(file.dump()))->encode(text).status().message();
  };
  EXPECT_EQ(refusal("ab\nz"),
            "the tokenizer has no token for '\\n', which stands in line 1 at character 3");
  EXPECT_THAT(refusal("\x1b"), HasSubstr("no token for '\\x1b'"));
  file["model"]["vocab"]["\n"] = 4;
  EXPECT_THAT(refusal("ab\n▁bz"), HasSubstr("'z', which stands in line 2 at character 3"));
  // Steps change the text: bytes become letters.
  file["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  file["decoder"] = {{"type", "ByteLevel"}};
  EXPECT_THAT(refusal("a\nb"), HasSubstr("'\\n', which stands in line 1 at character 2"));
}

TEST(JsonTokenizer, NumbersOfTokensAreWholeAndDiffer) {
  const auto with = [](const Json& number) {
    Json file = smallFile();
    file["model"]["vocab"]["c"] = number;
    return errorOf(file);
  };
  EXPECT_THAT(with(5.5), HasSubstr("token 'c' has the number 5.5; numbers of tokens are whole"));
  EXPECT_THAT(with("x"), HasSubstr("token 'c' has no number, but string"));
  EXPECT_THAT(with(true), HasSubstr("token 'c' has no number, but boolean"));
  EXPECT_THAT(with(uint64_t{1} << 63), HasSubstr("the number 9223372036854775808"));
  EXPECT_THAT(with(1), HasSubstr("tokens 'b' and 'c' both have the number 1"));
  Json file = smallFile();
  file["added_tokens"] = {{{"id", 2}, {"content", "ab"}}};
  EXPECT_TRUE(parse(file.dump()).ok()) << "the same token in both places";
  file["added_tokens"][0]["content"] = "<x>";
  EXPECT_THAT(errorOf(file), HasSubstr("tokens '<x>' and 'ab' both have the number 2"));
  file["added_tokens"][0]["id"] = 4.5;
  EXPECT_THAT(errorOf(file), HasSubstr("token '<x>' has the number 4.5"));
  file = smallFile();
  file["post_processor"] = {{"type", "TemplateProcessing"},
                            {"single", {{{"SpecialToken", {{"id", "<s>"}}}}}},
                            {"special_tokens", {{"<s>", {{"ids", {0.5}}}}}}};
  EXPECT_THAT(errorOf(file), HasSubstr("token '<s>' has the number 0.5"));
}

TEST(JsonTokenizer, FieldsOfAWrongTypeAreNamed) {
  Json file = smallFile();
  file["model"]["byte_fallback"] = "yes";
  EXPECT_EQ(errorOf(file),
            "tokenizer.json: (/model/byte_fallback) type must be boolean, but is string");
  file = smallFile();
  file["model"]["merges"] = {"a b", 3};
  EXPECT_THAT(errorOf(file), HasSubstr("(/model/merges/1)"));
  file = smallFile();
  file["model"]["vocab"] = 3;
  EXPECT_THAT(errorOf(file), HasSubstr("'vocab' has to be an object"));
  file = smallFile();
  file["added_tokens"] = {{{"id", 4}, {"content", "<x>"}}, {{"id", 5}}};
  EXPECT_THAT(errorOf(file), HasSubstr("(/added_tokens/1) key 'content' not found"));
}

TEST(JsonTokenizer, BehavioursOfSplits) {
  const auto tokens = [](const char* behaviour, bool invert) {
    Json file = smallFile();
    file["pre_tokenizer"] = {{"type", "Split"},
                             {"pattern", {{"String", "b"}}},
                             {"behavior", behaviour},
                             {"invert", invert}};
    return *(*parse(file.dump()))->encode("abab");
  };
  EXPECT_THAT(tokens("Isolated", false), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(tokens("Removed", false), ElementsAre(0, 0));
  EXPECT_THAT(tokens("Removed", true), ElementsAre(1, 1));
  EXPECT_THAT(tokens("MergedWithPrevious", false), ElementsAre(2, 2));
  EXPECT_THAT(tokens("MergedWithNext", false), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(tokens("MergedWithNext", true), ElementsAre(2, 2));
}

TEST(JsonTokenizer, FilesThatAreCutOffAreRefused) {
  const std::string whole = textOf("gpt2.json");
  for (size_t size = 0; size < whole.size(); size += 97) {
    const auto tokenizer = parse(whole.substr(0, size));
    ASSERT_FALSE(tokenizer.ok());
    EXPECT_THAT(tokenizer.status().message(), HasSubstr("tokenizer.json")) << size;
  }
}

TEST(JsonTokenizer, EveryFieldOfAWrongTypeIsRefused) {
  const Json whole = Json::parse(textOf("llama2.json"));
  for (const Json& wrong : {Json(3), Json("x"), Json::array({1})}) {
    for (const char* name : {"added_tokens", "normalizer", "post_processor", "decoder", "model"}) {
      Json file = whole;
      file[name] = wrong;
      EXPECT_FALSE(parse(file.dump()).ok()) << name << " " << wrong;
    }
    Json file = whole;
    file["model"]["merges"] = wrong;
    EXPECT_FALSE(parse(file.dump()).ok());
    file = whole;
    file["model"]["vocab"] = wrong;
    EXPECT_FALSE(parse(file.dump()).ok());
  }
}

TEST(JsonTokenizer, WhatIsNotSupportedIsNamed) {
  const auto with = [](const char* field, const Json& value) {
    Json file = smallFile();
    file[field] = value;
    return errorOf(file);
  };
  const auto with_model = [](const char* field, const Json& value) {
    Json file = smallFile();
    file["model"][field] = value;
    return errorOf(file);
  };
  EXPECT_THAT(with("normalizer", {{"type", "Lowercase"}}), HasSubstr("'Lowercase'"));
  EXPECT_THAT(with("pre_tokenizer", {{"type", "BertPreTokenizer"}}),
              HasSubstr("'BertPreTokenizer'"));
  EXPECT_THAT(with("post_processor", {{"type", "BertProcessing"}}), HasSubstr("'BertProcessing'"));
  EXPECT_THAT(with("decoder", {{"type", "WordPiece"}}), HasSubstr("'WordPiece'"));
  EXPECT_THAT(with("added_tokens", {{{"id", 9}, {"content", "x"}, {"single_word", true}}}),
              HasSubstr("whole word"));
  EXPECT_THAT(with("added_tokens", {{{"id", -9}, {"content", "x"}}}), HasSubstr("number -9"));
  EXPECT_THAT(with("added_tokens", {{{"id", 1 << 30}, {"content", "x"}}}), HasSubstr("far above"));
  EXPECT_THAT(with_model("type", "Unigram"), HasSubstr("'Unigram'"));
  EXPECT_THAT(with_model("end_of_word_suffix", "</w>"), HasSubstr("end_of_word_suffix"));
  EXPECT_THAT(with_model("merges", {"ab"}), HasSubstr("no two parts"));
  EXPECT_THAT(with_model("merges", {"b a"}), HasSubstr("vocabulary lacks"));
  const Json split = {{"type", "Split"}, {"pattern", {{"Regex", "(["}}}, {"behavior", "Isolated"}};
  EXPECT_THAT(with("pre_tokenizer", split), HasSubstr("regular expression"));
  Json behaviour = split;
  behaviour["pattern"] = {{"String", "."}};
  behaviour["behavior"] = "Contiguous";
  EXPECT_THAT(with("pre_tokenizer", behaviour), HasSubstr("'Contiguous'"));
  EXPECT_THAT(errorOf(Json::object()), HasSubstr("no field 'model'"));
}

TEST(JsonTokenizer, StepsWithinStepsHaveAnEnd) {
  std::string deep = R"({"model": {}, "normalizer": )";
  for (int i = 0; i < 100'000; ++i) deep += R"({"type": "Sequence", "normalizers": [)";
  for (int i = 0; i < 100'000; ++i) deep += "]}";
  EXPECT_THAT(parse(deep + "}").status().message(), HasSubstr("nested deeper than 32"));
}

}  // namespace
}  // namespace vta::driver
