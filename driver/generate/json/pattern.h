// Pattern: a regular expression over characters of Unicode.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::driver {

/// Bytes [begin, end) of a text.
struct TextRange {
  size_t begin = 0;
  size_t end = 0;
};

class Pattern {
 public:
  /// A regular expression, in which classes such as \s and \p{L} are those of Unicode. Errors: what
  /// PCRE2 says of it.
  static Result<Pattern> compile(const std::string& expression);
  /// One that finds `text` itself. `text` is not empty.
  static Result<Pattern> literal(const std::string& text);

  /// What it finds in `text`, which is UTF-8, from left to right; empty matches are left out.
  /// Errors: a text that takes more steps than PCRE2 goes.
  Result<std::vector<TextRange>> find(std::string_view text) const;

 private:
  struct Code;
  explicit Pattern(std::shared_ptr<const Code> code) : code_(std::move(code)) {}

  std::shared_ptr<const Code> code_;
};

}  // namespace vta::driver
