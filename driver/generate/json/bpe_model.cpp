#include "driver/generate/json/bpe_model.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/utf8.h"
#include "driver/generate/json/token_number.h"

namespace vta::driver {
namespace {

using Json = nlohmann::json;

uint64_t keyOf(int64_t left, int64_t right) {
  return static_cast<uint64_t>(left) << 32 | static_cast<uint64_t>(right);
}

/// A text that may be null or left out.
std::string optionalText(const Json& field, const char* name) {
  const auto found = field.find(name);
  return found == field.end() || found->is_null() ? "" : found->get<std::string>();
}

bool optionalFlag(const Json& field, const char* name) {
  const auto found = field.find(name);
  return found != field.end() && !found->is_null() && found->get<bool>();
}

}  // namespace

std::string byteToken(unsigned char byte) { return fmt::format("<0x{:02X}>", byte); }

Result<BpeModel> BpeModel::parse(const Json& field) {
  const std::string kind = optionalText(field, "type");
  // Old files leave it out.
  if (kind != "BPE" && !(kind.empty() && field.contains("merges"))) {
    return unsupported(fmt::format(
        "a tokenizer of kind '{}' is not supported; byte-pair encoding (BPE) is", kind));
  }
  for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (optionalText(field, name).empty()) continue;
    return unsupported(fmt::format("'{}' is not supported", name));
  }
  BpeModel model;
  const Json& vocabulary = field.at("vocab");
  if (!vocabulary.is_object()) {
    return invalidArgument(
        fmt::format("field 'vocab' has to be an object, tokens with their numbers, but is {}",
                    vocabulary.type_name()));
  }
  for (const auto& [text, number] : vocabulary.items()) {
    VTA_ASSIGN_OR_RETURN(model.vocabulary_[text], tokenNumber(text, number));
  }
  model.falls_back_to_bytes_ = optionalFlag(field, "byte_fallback");
  model.ignores_merges_ = optionalFlag(field, "ignore_merges");
  model.joins_unknown_ = optionalFlag(field, "fuse_unk");
  if (const std::string unknown = optionalText(field, "unk_token"); !unknown.empty()) {
    model.unknown_ = model.find(unknown);
  }
  VTA_RETURN_IF_ERROR(model.addMerges(field.at("merges")));
  return model;
}

std::optional<int64_t> BpeModel::find(const std::string& text) const {
  const auto found = vocabulary_.find(text);
  return found == vocabulary_.end() ? std::nullopt : std::optional(found->second);
}

/// Each is "left right", or a list of both.
Status BpeModel::addMerges(const Json& merges) {
  for (const Json& merge : merges) {
    if (merge.is_array()) {
      VTA_RETURN_IF_ERROR(addMerge(merge.at(0).get<std::string>(), merge.at(1).get<std::string>()));
      continue;
    }
    const auto text = merge.get<std::string>();
    const size_t space = text.find(' ');
    if (space == std::string::npos) {
      return invalidArgument(fmt::format("merge '{}' has no two parts", text));
    }
    VTA_RETURN_IF_ERROR(addMerge(text.substr(0, space), text.substr(space + 1)));
  }
  return {};
}

Status BpeModel::addMerge(const std::string& left, const std::string& right) {
  const auto first = find(left), second = find(right), joined = find(left + right);
  if (!first || !second || !joined) {
    return invalidArgument(fmt::format(
        "the merge of '{}' and '{}' has a token that the vocabulary lacks", left, right));
  }
  merges_.try_emplace(keyOf(*first, *second), Merge{static_cast<double>(merges_.size()), *joined});
  return {};
}

std::optional<Merge> BpeModel::mergeOf(int64_t left, int64_t right) const {
  const auto found = merges_.find(keyOf(left, right));
  return found == merges_.end() ? std::nullopt : std::optional(found->second);
}

/// False if one of them has no token.
bool BpeModel::addBytes(const std::string& character, std::vector<int64_t>& tokens) const {
  std::vector<int64_t> bytes;
  for (const char byte : character) {
    const auto token = find(byteToken(static_cast<unsigned char>(byte)));
    if (!token) return false;
    bytes.push_back(*token);
  }
  tokens.insert(tokens.end(), bytes.begin(), bytes.end());
  return true;
}

/// False if it has no token.
bool BpeModel::addCharacter(const std::string& character, std::vector<int64_t>& tokens) const {
  if (const auto token = find(character)) {
    tokens.push_back(*token);
    return true;
  }
  if (falls_back_to_bytes_ && addBytes(character, tokens)) return true;
  if (!unknown_) return false;
  const bool joins = joins_unknown_ && !tokens.empty() && tokens.back() == *unknown_;
  if (!joins) tokens.push_back(*unknown_);
  return true;
}

Status BpeModel::encode(std::string_view piece, std::vector<int64_t>& tokens,
                        std::string& missing) const {
  if (ignores_merges_) {
    if (const auto token = find(std::string(piece))) {
      tokens.push_back(*token);
      return {};
    }
  }
  std::vector<int64_t> characters;
  while (!piece.empty()) {
    const size_t bytes = characterBytes(piece);
    if (bytes == 0) return invalidArgument("the text is not UTF-8");
    const std::string character(piece.substr(0, bytes));
    if (!addCharacter(character, characters)) {
      missing = character;
      return invalidArgument(fmt::format("the tokenizer has no token for '{}'", character));
    }
    piece.remove_prefix(bytes);
  }
  const auto merged =
      mergePairs(characters, [this](int64_t left, int64_t right) { return mergeOf(left, right); });
  tokens.insert(tokens.end(), merged.begin(), merged.end());
  return {};
}

}  // namespace vta::driver
