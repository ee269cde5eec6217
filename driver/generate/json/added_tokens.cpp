#include "driver/generate/json/added_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "driver/generate/json/token_number.h"

namespace vta::driver {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

constexpr std::string_view kEnds[] = {
    "</s>",  "<|endoftext|>", "<|im_end|>",      "<|end|>",   "<|eot_id|>", "<|end_of_text|>",
    "<eos>", "<end_of_turn>", "<|end_of_turn|>", "<|eom_id|>"};

}  // namespace

Result<AddedTokens> AddedTokens::parse(const nlohmann::json& field) {
  AddedTokens added;
  for (const auto& entry : field) {
    Token token = {0, entry.at("content").get<std::string>(), entry.value("special", false),
                   entry.value("lstrip", false), entry.value("rstrip", false)};
    VTA_ASSIGN_OR_RETURN(token.number, tokenNumber(token.text, entry.at("id")));
    if (entry.value("single_word", false)) {
      return unsupported(fmt::format(
          "added token '{}' has to be a whole word, which is not supported", token.text));
    }
    if (token.text.empty()) {
      return invalidArgument(fmt::format("added token {} has no text", token.number));
    }
    added.tokens_.push_back(std::move(token));
  }
  return added;
}

const AddedTokens::Token* AddedTokens::findAt(std::string_view text) const {
  const Token* longest = nullptr;
  for (const Token& token : tokens_) {
    const bool is_longer = longest == nullptr || token.text.size() > longest->text.size();
    if (is_longer && text.starts_with(token.text)) longest = &token;
  }
  return longest;
}

std::vector<TextPart> AddedTokens::split(std::string_view text) const {
  std::vector<TextPart> parts;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const Token* token = findAt(text.substr(at));
    if (token == nullptr) {
      ++at;
      continue;
    }
    std::string_view before = text.substr(begin, at - begin);
    at += token->text.size();
    if (token->strips_left) before = before.substr(0, before.find_last_not_of(kSpaces) + 1);
    while (token->strips_right && at < text.size() &&
           kSpaces.find(text[at]) != std::string_view::npos)
      ++at;
    if (!before.empty()) parts.push_back({before, -1});
    parts.push_back({text.substr(at, 0), token->number});
    begin = at;
  }
  if (begin < text.size()) parts.push_back({text.substr(begin), -1});
  return parts;
}

std::set<int64_t> AddedTokens::ends() const {
  std::set<int64_t> ends;
  for (const Token& token : tokens_) {
    if (std::ranges::find(kEnds, std::string_view(token.text)) != std::end(kEnds)) {
      ends.insert(token.number);
    }
  }
  return ends;
}

}  // namespace vta::driver
