// AddedTokens: tokens of a tokenizer.json that are found in a text before anything else is.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::driver {

/// A text between added tokens, or such a token.
struct TextPart {
  std::string_view text;
  int64_t token = -1;  // -1: a text
};

class AddedTokens {
 public:
  struct Token {
    int64_t number = 0;
    std::string text;
    bool is_special = false;  // it steers the model, and adds nothing to a text
    bool strips_left = false, strips_right = false;  // spaces beside it belong to it
  };

  /// The field "added_tokens". Errors: a token that has to stand alone, one without a text or
  /// a number. Throws nlohmann::json::exception where another field has another type.
  static Result<AddedTokens> parse(const nlohmann::json& field);

  /// Of those that begin at one place the longest is found.
  std::vector<TextPart> split(std::string_view text) const;

  const std::vector<Token>& tokens() const { return tokens_; }
  /// Those that end a text by the names that models give them.
  std::set<int64_t> ends() const;

 private:
  const Token* findAt(std::string_view text) const;

  std::vector<Token> tokens_;
};

}  // namespace vta::driver
