// "Did you mean ...?": what a mistyped name stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vta::tools {

/// The one of `names` that takes the fewest insertions, deletions, replacements and swaps of
/// neighbours to become `text`; empty when even that takes more than a third of its length.
std::string closestName(std::string_view text, const std::vector<std::string>& names);

/// "; did you mean NAME?", or nothing.
std::string suggestion(std::string_view text, const std::vector<std::string>& names);

}  // namespace vta::tools
