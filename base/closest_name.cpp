#include "base/closest_name.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace vta {
namespace {

/// Optimal string alignment distance.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::string lowerCase(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

/// How many mistakes a text of `characters` may hold: a third of it, and two in five letters.
size_t mostMistakes(size_t characters) {
  constexpr size_t kTwoMistakes = 5;
  if (characters < 2) return 0;  // a letter by itself is like every other
  return std::max<size_t>(characters / 3, characters < kTwoMistakes ? 1 : 2);
}

/// The shortest name that begins so.
std::string completed(std::string_view beginning, const std::vector<std::string>& names) {
  constexpr size_t kLeastCharacters = 3;
  std::string best;
  if (beginning.size() < kLeastCharacters) return best;
  for (const std::string& name : names) {
    const bool is_shorter = best.empty() || name.size() < best.size();
    if (is_shorter && lowerCase(name).starts_with(beginning)) best = name;
  }
  return best;
}

}  // namespace

std::string closestName(std::string_view text, const std::vector<std::string>& names) {
  // The cost is quadratic: texts of strangers may be long.
  constexpr size_t kMostCharacters = 100;
  constexpr size_t kMostNames = 2000;
  if (text.size() > kMostCharacters || names.size() > kMostNames) return "";
  const std::string written = lowerCase(text);
  std::string best;
  size_t least = mostMistakes(text.size()) + 1;
  for (const std::string& name : names) {
    if (name.size() >= text.size() + least || text.size() >= name.size() + least) continue;
    const size_t cost = distance(written, lowerCase(name));
    if (cost >= least) continue;
    least = cost;
    best = name;
  }
  return best.empty() ? completed(written, names) : best;
}

std::string suggestion(std::string_view text, const std::vector<std::string>& names) {
  const std::string name = closestName(text, names);
  return name.empty() ? "" : "; did you mean " + name + "?";
}

}  // namespace vta
