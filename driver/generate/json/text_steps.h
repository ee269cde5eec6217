// What a tokenizer.json does to a text before tokens are looked for: normalise it, cut it.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/status.h"

namespace vta::driver {

/// A piece of a text between tokens that are written out.
struct TextPiece {
  std::string text;
  bool is_first = false;  // the text begins with it
};

using Normalise = std::function<Result<std::string>(std::string text)>;
using Cut = std::function<Result<std::vector<TextPiece>>(std::vector<TextPiece> pieces)>;

/// The field "normalizer", null included. Errors: kUnsupported, with the kind and the known ones; a
/// wrong regular expression. Throws nlohmann::json::exception where a field has another type.
Result<Normalise> parseNormaliser(const nlohmann::json& field);

/// The field "pre_tokenizer", likewise.
Result<Cut> parsePreTokeniser(const nlohmann::json& field);

/// The expression that GPT-2 cuts a text by.
extern const char* const kGpt2Expression;

/// The character that stands for a byte in the vocabularies of byte-level tokenizers.
std::string characterOfByte(unsigned char byte);

}  // namespace vta::driver
