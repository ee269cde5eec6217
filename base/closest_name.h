// "Did you mean ...?": what a mistyped name stands for.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace vta {

/// The one of `names` that takes the fewest insertions, deletions, replacements and swaps of
/// neighbours to become `text`, whatever the case of letters; without one that comes close enough,
/// the shortest that begins with `text`. Empty when there is none of either.
std::string closestName(std::string_view text, const std::vector<std::string>& names);

/// "; did you mean NAME?", or nothing.
std::string suggestion(std::string_view text, const std::vector<std::string>& names);

/// The names of the rows of a table, for the functions above.
template <typename Rows, typename Name = std::identity>
std::vector<std::string> namesOf(const Rows& rows, Name name = {}) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(std::invoke(name, row));
  return names;
}

}  // namespace vta
