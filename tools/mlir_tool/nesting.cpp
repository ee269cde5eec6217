#include "tools/mlir_tool/nesting.h"

#include <algorithm>

namespace vta::tools {
namespace {

/// Behind the string that begins at `at`.
size_t skipString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at;
}

/// Whether the '>' at `at` ends what '<' began, and is no part of "->" or ">=".
bool closesAngle(std::string_view text, size_t at) {
  const bool is_arrow = at > 0 && text[at - 1] == '-';
  const bool is_relation = at + 1 < text.size() && text[at + 1] == '=';
  return !is_arrow && !is_relation;
}

}  // namespace

size_t nestingOf(std::string_view text) {
  constexpr std::string_view kOpening = "([{<", kClosing = ")]}";
  size_t depth = 0, deepest = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      at = skipString(text, at);
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (kOpening.find(c) != kOpening.npos) {
      deepest = std::max(deepest, ++depth);
    } else if (kClosing.find(c) != kClosing.npos || (c == '>' && closesAngle(text, at))) {
      depth -= depth > 0 ? 1 : 0;
    }
  }
  return deepest;
}

}  // namespace vta::tools
