// The fields of a GGUF file that every tokenizer has.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/gguf/gguf_file.h"
#include "base/status.h"

namespace vta::driver {

/// What a token is (tokenizer.ggml.token_type), by the numbers that files have for it.
enum class GgufTokenKind : uint8_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,      // steers the model, and adds nothing to a text
  kUserDefined = 4,  // is found in a text before anything else is
  kUnused = 5,
  kByte = 6,
};

/// "tokenizer.ggml." and `name`.
std::string tokenizerField(const char* name);

/// Errors of all: fields of another type, or that contradict each other.
Result<bool> isSet(const GgufFile& file, const char* name, bool otherwise);
Result<std::vector<std::string>> tokensOf(const GgufFile& file);
/// One for each of `tokens`; normal ones where the file does not say it.
Result<std::vector<GgufTokenKind>> kindsOf(const GgufFile& file, size_t tokens);
/// Tokens behind which a text ends.
Result<std::set<int64_t>> endsOf(const GgufFile& file);

}  // namespace vta::driver
