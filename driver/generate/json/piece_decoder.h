// PieceDecoder: what a token of a tokenizer.json adds to a text.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.h"

namespace vta::driver {

class PieceDecoder {
 public:
  /// The field "decoder", null included. Errors: kUnsupported, with the kind. Throws
  /// nlohmann::json::exception where a field has another type.
  static Result<PieceDecoder> parse(const nlohmann::json& field);

  /// The bytes of the token with this text; `is_first` where it begins what is decoded.
  std::string decode(const std::string& text, bool is_first) const;

 private:
  Status addStep(const nlohmann::json& field);

  bool has_characters_of_bytes_ = false;
  bool has_byte_tokens_ = false;
  std::vector<std::pair<std::string, std::string>> replaced_;
  std::string stripped_;                         // where a text begins
  std::unordered_map<std::string, char> bytes_;  // by the character that stands for each
};

}  // namespace vta::driver
