// BpeModel: the vocabulary and the merges of a tokenizer.json.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "driver/generate/pair_merger.h"

namespace vta::driver {

class BpeModel {
 public:
  /// The field "model". Errors: another kind of model, parts of words that are marked, merges of
  /// unknown tokens. Throws nlohmann::json::exception where a field has another type.
  static Result<BpeModel> parse(const nlohmann::json& field);

  /// Appends the tokens of a piece of text. Errors: a character without a token, which `missing`
  /// then is.
  Status encode(std::string_view piece, std::vector<int64_t>& tokens, std::string& missing) const;

  const std::unordered_map<std::string, int64_t>& vocabulary() const { return vocabulary_; }

 private:
  std::optional<int64_t> find(const std::string& text) const;
  Status addMerges(const nlohmann::json& merges);
  Status addMerge(const std::string& left, const std::string& right);
  bool addCharacter(const std::string& character, std::vector<int64_t>& tokens) const;
  bool addBytes(const std::string& character, std::vector<int64_t>& tokens) const;
  std::optional<Merge> mergeOf(int64_t left, int64_t right) const;

  std::unordered_map<std::string, int64_t> vocabulary_;
  std::unordered_map<uint64_t, Merge> merges_;  // by both tokens
  std::optional<int64_t> unknown_;
  bool joins_unknown_ = false;
  bool falls_back_to_bytes_ = false;
  bool ignores_merges_ = false;  // of pieces that are a token
};

/// The token of a single byte where bytes are tokens: "<0x0A>".
std::string byteToken(unsigned char byte);

}  // namespace vta::driver
