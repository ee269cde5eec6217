#include "tools/common/closest_name.h"

#include <algorithm>
#include <cstddef>

namespace vta::tools {
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

}  // namespace

std::string closestName(std::string_view text, const std::vector<std::string>& names) {
  constexpr size_t kMostCharacters = 100;  // names are shorter, and the cost is quadratic
  if (text.size() > kMostCharacters) return "";
  std::string best;
  size_t least = text.size() / 3 + 1;
  for (const std::string& name : names) {
    const size_t cost = distance(text, name);
    if (cost >= least) continue;
    least = cost;
    best = name;
  }
  return best;
}

std::string suggestion(std::string_view text, const std::vector<std::string>& names) {
  const std::string name = closestName(text, names);
  return name.empty() ? "" : "; did you mean " + name + "?";
}

}  // namespace vta::tools
