#include "isa/rtl/sv_prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace vta {
namespace {

/// Verilog's tools take names of 1,024 characters at least; nobody reads longer ones than these.
constexpr size_t kMostPrefixChars = 64;

// Of ASCII, whatever the locale is.
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isWordChar(char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '$'; }

/// The word that begins at `begin`, empty where none does.
std::string_view wordAt(std::string_view text, size_t begin) {
  size_t end = begin;
  while (end < text.size() && isWordChar(text[end])) ++end;
  return text.substr(begin, end - begin);
}

/// What a line at `begin` defines, empty when it defines nothing.
std::string_view definedAt(std::string_view text, size_t begin) {
  const std::string_view keyword = wordAt(text, begin);
  if (keyword != "module" && keyword != "package") return {};
  const size_t name = text.find_first_not_of(' ', begin + keyword.size());
  return name == std::string_view::npos ? std::string_view() : wordAt(text, name);
}

std::string withPrefix(std::string_view text, const std::set<std::string, std::less<>>& names,
                       std::string_view prefix) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const std::string_view word = wordAt(text, at);
    if (word.empty()) {
      result += text[at++];
      continue;
    }
    if (names.contains(word)) result += prefix;
    result += word;
    at += word.size();
  }
  return result;
}

}  // namespace

Status checkSvPrefix(std::string_view prefix) {
  const bool is_name =
      !prefix.empty() && prefix.size() <= kMostPrefixChars && isLetter(prefix.front()) &&
      std::ranges::all_of(prefix, [](char c) { return isWordChar(c) && c != '$'; });
  if (is_name) return {};
  return invalidArgument(
      fmt::format("'{}' cannot stand before the names of modules: a prefix is a letter or "
                  "underscore and then letters, digits and underscores, {} characters at most",
                  prefix, kMostPrefixChars));
}

std::vector<std::string> svNames(std::span<const SvSource> sources) {
  std::vector<std::string> names;
  for (const SvSource& source : sources) {
    const std::string_view text = source.text;
    for (size_t line = 0; line < text.size();) {
      const std::string_view name = definedAt(text, line);
      if (!name.empty()) names.emplace_back(name);
      const size_t end = text.find('\n', line);
      line = end == std::string_view::npos ? text.size() : end + 1;
    }
  }
  return names;
}

void addSvPrefix(std::span<SvSource> sources, std::string_view prefix) {
  const std::vector<std::string> defined = svNames(sources);
  const std::set<std::string, std::less<>> names(defined.begin(), defined.end());
  for (SvSource& source : sources) {
    source.text = withPrefix(source.text, names, prefix);
    source.file.insert(0, prefix);
  }
}

}  // namespace vta
