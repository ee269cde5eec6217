#include "isa/program/text/assembler_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "isa/program/text/assembler_syntax.h"

namespace vta::syntax {
namespace {

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// The quoted word at `at` (on the opening quote); leaves `at` behind the closing one.
Result<Word> readQuoted(std::string_view line, size_t& at, const Place& place) {
  Word word{"", at + 1, true};
  for (++at; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] != '\\') {
      word.text += line[at];
      continue;
    }
    const int high = at + 3 < line.size() && line[at + 1] == 'x' ? hexDigit(line[at + 2]) : -1;
    const int low = high >= 0 ? hexDigit(line[at + 3]) : -1;
    if (low < 0) return place.error(at + 1, "a backslash must begin \\xHH with lower-case digits");
    word.text += static_cast<char>(high * 16 + low);
    at += 3;
  }
  if (at == line.size()) return place.error(word.column, "quoted name does not end");
  ++at;
  return word;
}

std::string formOf(std::string_view key, char separator, size_t count) {
  std::string form = fmt::format("{}=N", key);
  for (size_t i = 1; i < count; ++i) form += fmt::format("{}N", separator);
  return form;
}

}  // namespace

Status Place::error(size_t column, std::string_view message) const {
  return invalidArgument(fmt::format("{}:{}:{}: {}", source, line, column, message));
}

Result<std::vector<Word>> splitLine(std::string_view line, const Place& place) {
  constexpr std::string_view kSpace = " \t\r";
  std::vector<Word> words;
  size_t at = 0;
  while ((at = line.find_first_not_of(kSpace, at)) != std::string_view::npos && line[at] != ';') {
    if (line[at] == '"') {
      VTA_ASSIGN_OR_RETURN(Word word, readQuoted(line, at, place));
      words.push_back(std::move(word));
      continue;
    }
    const size_t end = std::min(line.find_first_of(" \t\r;", at), line.size());
    words.push_back({std::string(line.substr(at, end - at)), at + 1, false});
    at = end;
  }
  return words;
}

std::optional<int64_t> parseNumber(std::string_view text) {
  int64_t value = 0;
  const auto [ptr, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || ec != std::errc() || ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<Word> Operands::takeFirst(std::string_view what) {
  if (words_.empty()) return place_.error(end_column_, fmt::format("{} is missing", what));
  Word word = words_.front();
  words_.erase(words_.begin());
  return word;
}

Status Operands::numbers(std::string_view key, char separator,
                         std::initializer_list<uint32_t*> targets) {
  const std::optional<Word> word = takeValue(key);
  const std::string form = formOf(key, separator, targets.size());
  if (!word) return place_.error(end_column_, fmt::format("{} is missing", form));
  std::string_view rest = word->text;
  for (size_t i = 0; i < targets.size(); ++i) {
    const bool last = i + 1 == targets.size();
    const size_t end = last ? rest.size() : rest.find(separator);
    const auto value = parseNumber(rest.substr(0, end));
    if (end == std::string_view::npos || !value || *value < 0 || *value > UINT32_MAX) {
      return place_.error(word->column,
                          fmt::format("{}={} is not of the form {}", key, word->text, form));
    }
    *targets.begin()[i] = static_cast<uint32_t>(*value);
    rest.remove_prefix(last ? end : end + 1);
  }
  return {};
}

Status Operands::expectEmpty() const {
  if (words_.empty()) return {};
  return place_.error(words_.front().column,
                      fmt::format("unknown or repeated operand \"{}\"", words_.front().text));
}

std::optional<Word> Operands::take(std::string_view name, bool with_value) {
  for (auto it = words_.begin(); it != words_.end(); ++it) {
    if (it->quoted || !it->text.starts_with(name)) continue;
    const bool is_value = it->text.size() > name.size() && it->text[name.size()] == '=';
    if (with_value ? !is_value : it->text.size() != name.size()) continue;
    Word word = *it;
    if (with_value) word.text.erase(0, name.size() + 1);
    words_.erase(it);
    return word;
  }
  return std::nullopt;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
    if (plain) {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return result + '"';
}

}  // namespace vta::syntax
