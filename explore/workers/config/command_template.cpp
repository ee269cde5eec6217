#include "explore/workers/config/command_template.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace vta::launcher {
namespace {

std::string bracedList(std::span<const std::string_view> names) {
  std::vector<std::string> braced;
  for (const std::string_view name : names) braced.push_back(fmt::format("{{{}}}", name));
  return fmt::format("{}", fmt::join(braced, ", "));
}

/// The end of the placeholder that begins at `open`. npos: there is none.
size_t endOfPlaceholder(std::string_view text, size_t open) {
  const size_t end = text.find_first_of("{}", open + 1);
  return end != std::string_view::npos && text[end] == '}' ? end : std::string_view::npos;
}

}  // namespace

std::string shellWord(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";  // a quote ends the quotation, stands by itself, and begins the next
    } else {
      word += c;
    }
  }
  return word + "'";
}

Result<CommandTemplate> CommandTemplate::parse(std::string_view text,
                                               std::span<const std::string_view> legal,
                                               std::span<const std::string_view> required) {
  if (text.find_first_not_of(" \t\n") == std::string_view::npos) {
    return invalidArgument("the command is empty");
  }
  std::vector<std::string_view> used;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' && text[i] != '}') continue;
    const size_t end = text[i] == '{' ? endOfPlaceholder(text, i) : std::string_view::npos;
    if (end == std::string_view::npos) {
      return invalidArgument(fmt::format("'{}' at character {} has no partner; placeholders: {}",
                                         text[i], i + 1, bracedList(legal)));
    }
    const std::string_view name = text.substr(i + 1, end - i - 1);
    if (std::ranges::find(legal, name) == legal.end()) {
      return invalidArgument(
          fmt::format("unknown placeholder {{{}}}; legal: {}", name, bracedList(legal)));
    }
    used.push_back(name);
    i = end;
  }
  for (const std::string_view name : required) {
    if (std::ranges::find(used, name) == used.end()) {
      return invalidArgument(fmt::format("the placeholder {{{}}} is missing", name));
    }
  }
  return CommandTemplate(std::string(text));
}

std::string CommandTemplate::fill(
    const std::map<std::string, std::string, std::less<>>& values) const {
  std::string line;
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] != '{') {
      line += text_[i];
      continue;
    }
    const size_t end = text_.find('}', i);
    line += shellWord(values.at(text_.substr(i + 1, end - i - 1)));
    i = end;
  }
  return line;
}

}  // namespace vta::launcher
