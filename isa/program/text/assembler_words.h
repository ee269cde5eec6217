// The words of assembler text and the operands of one instruction. Internal to the isa library.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace vta::syntax {

/// One word of a line with the column (from 1) where it starts. Quoted words have no quotes here.
struct Word {
  std::string text;
  size_t column = 1;
  bool quoted = false;
};

/// Where errors are reported.
struct Place {
  std::string_view source;
  size_t line = 0;

  Status error(size_t column, std::string_view message) const;
};

/// Splits a line at white space; "..." is one word, ';' begins a comment.
Result<std::vector<Word>> splitLine(std::string_view line, const Place& place);

/// The decimal number that `text` is, nothing else around it.
std::optional<int64_t> parseNumber(std::string_view text);

/// The words of an instruction after its mnemonic. Each is taken once; what is left is unknown.
class Operands {
 public:
  /// `end_column` is where the line ends: the place of errors about missing words.
  Operands(std::span<const Word> words, size_t end_column, const Place& place)
      : words_(words.begin(), words.end()), end_column_(end_column), place_(place) {}

  /// True if the word `name` is there.
  bool takeFlag(std::string_view name) { return take(name, false).has_value(); }

  /// The value of "key=value".
  std::optional<Word> takeValue(std::string_view key) { return take(key, true); }

  /// The first word; `what` it should be is for the error when there is none.
  Result<Word> takeFirst(std::string_view what);

  /// "key=AxB" and the like: numbers separated by `separator`. Errors name the key and the form.
  Status numbers(std::string_view key, char separator, std::initializer_list<uint32_t*> targets);

  /// An error for the first word that nothing took.
  Status expectEmpty() const;

  const Place& place() const { return place_; }
  size_t endColumn() const { return end_column_; }

 private:
  std::optional<Word> take(std::string_view name, bool with_value);

  std::vector<Word> words_;
  size_t end_column_;
  const Place& place_;
};

}  // namespace vta::syntax
