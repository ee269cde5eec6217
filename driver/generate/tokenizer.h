// Tokenizer: text as the numbers of its tokens, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::driver {

/// Of one language model. Safe for several threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// How many tokens there are: numbers are from 0 to one less.
  virtual int64_t size() const = 0;

  /// The tokens of `text`, behind those that begin every text of the model. Errors: bytes that are
  /// not UTF-8, or that the model has no token for.
  virtual Result<std::vector<int64_t>> encode(std::string_view text) const = 0;

  /// What `token` adds to a text. `is_first`: it begins the text, where some tokenizers leave out a
  /// space. The bytes may end within a character. Tokens that only steer the model add nothing.
  virtual std::string decode(int64_t token, bool is_first) const = 0;

  /// Tokens behind which a text ends.
  virtual const std::set<int64_t>& ends() const = 0;
};

/// The tokens of a text in one string.
std::string decodeAll(const Tokenizer& tokenizer, std::span<const int64_t> tokens);

/// llama2.c's tokenizer.bin: pieces of UTF-8 with scores, which SentencePiece has made. Errors: a
/// file that is cut off, or that is something else.
Result<std::unique_ptr<Tokenizer>> parseBinaryTokenizer(std::span<const std::byte> file);
/// The same of a file, which errors name.
Result<std::unique_ptr<Tokenizer>> readBinaryTokenizer(const std::filesystem::path& file);

}  // namespace vta::driver
