// How deep brackets stand in each other in IR as text: a parser that calls itself for each level
// takes stack for each.
#pragma once

#include <cstddef>
#include <string_view>

namespace vta::tools {

/// More than any IR of people or compilers has, and less than the parser's stack takes.
inline constexpr size_t kMostNesting = 1000;

/// The deepest nesting of (), [], {} and <> in `text`, strings and comments aside.
size_t nestingOf(std::string_view text);

}  // namespace vta::tools
