#include "driver/generate/gguf/byte_pair_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/generate/gguf/gguf_fields.h"

namespace vta::driver {
namespace {

using Json = nlohmann::json;

/// Where tokenizers of a kind cut a text.
struct Cuts {
  bool single_digits = false;        // each digit stands alone
  const char* expression = nullptr;  // null: GPT-2's
  bool composes = false;             // characters are brought into Unicode's form NFC first
  bool ignores_merges = false;       // of words that are tokens
  bool begins = false;               // a text has a token in front, unless the file says otherwise
};

constexpr Cuts kGpt2{};
constexpr Cuts kDigits{.single_digits = true};
// Letters with what stands in front of them, up to three digits, other characters, line ends.
constexpr Cuts kLlama3{.expression =
                           R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
                           R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
                       .ignores_merges = true,
                       .begins = true};
// The same with single digits.
constexpr Cuts kQwen2{.expression =
                          R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
                          R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
                      .composes = true};

struct Row {
  std::string_view name;
  const Cuts& cuts;
};
/// Source of the names: https://github.com/ggml-org/llama.cpp, src/llama-vocab.cpp; of the
/// expressions, the tokenizer.json of a model of that name.
constexpr std::array kRows = {Row{"gpt-2", kGpt2},
                              Row{"phi-2", kGpt2},
                              Row{"mpt", kGpt2},
                              Row{"olmo", kGpt2},
                              Row{"starcoder", kDigits},
                              Row{"refact", kDigits},
                              Row{"smollm", kDigits},
                              Row{"command-r", kDigits},
                              Row{"llama-bpe", kLlama3},
                              Row{"llama3", kLlama3},
                              Row{"llama-v3", kLlama3},
                              Row{"qwen2", kQwen2},
                              Row{"deepseek-r1-qwen", kQwen2}};

Result<const Cuts*> cutsOf(const GgufFile& file) {
  const std::string field = tokenizerField("pre");
  VTA_ASSIGN_OR_RETURN(const std::optional<std::string> name, file.text(field));
  if (!name) {
    return unsupported(fmt::format(
        "the GGUF file does not say how its tokenizer cuts a text, because it has no field '{}'. "
        "Give the model's tokenizer.json",
        field));
  }
  const auto* row = std::ranges::find(kRows, *name, &Row::name);
  if (row != kRows.end()) return &row->cuts;
  std::vector<std::string_view> names;
  for (const Row& known : kRows) names.push_back(known.name);
  return unsupported(
      fmt::format("a GGUF file whose tokenizer cuts a text as '{}' does is not supported; {} are. "
                  "Give the model's tokenizer.json",
                  *name, fmt::join(names, ", ")));
}

Json preTokenizer(const Cuts& cuts) {
  Json steps = Json::array();
  if (cuts.single_digits) steps.push_back({{"type", "Digits"}, {"individual_digits", true}});
  if (cuts.expression != nullptr) {
    steps.push_back(
        {{"type", "Split"}, {"pattern", {{"Regex", cuts.expression}}}, {"behavior", "Isolated"}});
  }
  steps.push_back({{"type", "ByteLevel"},
                   {"add_prefix_space", false},
                   {"use_regex", cuts.expression == nullptr}});
  return {{"type", "Sequence"}, {"pretokenizers", std::move(steps)}};
}

/// The token that begins every text.
Result<Json> postProcessor(const GgufFile& file, const Cuts& cuts) {
  VTA_ASSIGN_OR_RETURN(const bool begins, isSet(file, "add_bos_token", cuts.begins));
  if (!begins) return Json();
  VTA_ASSIGN_OR_RETURN(const std::optional<int64_t> token,
                       file.integer(tokenizerField("bos_token_id")));
  if (!token) {
    return invalidArgument(fmt::format(
        "each text of the GGUF file begins with a token, but its number, field '{}', is missing",
        tokenizerField("bos_token_id")));
  }
  return Json{{"type", "TemplateProcessing"},
              {"single", Json::array({Json{{"SpecialToken", {{"id", "begin"}}}}})},
              {"special_tokens", {{"begin", {{"ids", Json::array({*token})}}}}}};
}

}  // namespace

Result<Json> bytePairFields(const GgufFile& file) {
  VTA_ASSIGN_OR_RETURN(const Cuts* cuts, cutsOf(file));
  VTA_ASSIGN_OR_RETURN(const std::vector<std::string> tokens, tokensOf(file));
  VTA_ASSIGN_OR_RETURN(const std::vector<GgufTokenKind> kinds, kindsOf(file, tokens.size()));
  VTA_ASSIGN_OR_RETURN(std::vector<std::string> merges, file.texts(tokenizerField("merges")));
  Json vocabulary = Json::object(), added = Json::array();
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (kinds[i] == GgufTokenKind::kNormal || kinds[i] == GgufTokenKind::kByte) {
      vocabulary[tokens[i]] = i;
    } else if (kinds[i] != GgufTokenKind::kUnused) {
      const bool adds_nothing = kinds[i] != GgufTokenKind::kUserDefined;
      added.push_back({{"id", i}, {"content", tokens[i]}, {"special", adds_nothing}});
    }
  }
  VTA_ASSIGN_OR_RETURN(Json post_processor, postProcessor(file, *cuts));
  return Json{{"model",
               {{"type", "BPE"},
                {"vocab", std::move(vocabulary)},
                {"merges", std::move(merges)},
                {"ignore_merges", cuts->ignores_merges}}},
              {"normalizer", cuts->composes ? Json{{"type", "NFC"}} : Json()},
              {"pre_tokenizer", preTokenizer(*cuts)},
              {"decoder", {{"type", "ByteLevel"}}},
              {"added_tokens", std::move(added)},
              {"post_processor", std::move(post_processor)}};
}

}  // namespace vta::driver
