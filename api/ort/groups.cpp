#include "api/ort/groups.h"

#include <algorithm>
#include <map>

namespace vta::ort {

std::vector<std::vector<size_t>> convexGroups(const NodeChoice& choice) {
  // The level of a node is how often a path to it changes between taken nodes and others, at most.
  // It never falls along a path, so a path between two nodes of one level has that level
  // throughout.
  std::vector<size_t> levels(choice.taken.size(), 0);
  std::map<size_t, std::vector<size_t>> groups;
  for (size_t node = 0; node < levels.size(); ++node) {
    for (const size_t producer : choice.producers[node]) {
      const size_t changes = choice.taken[producer] != choice.taken[node] ? 1 : 0;
      levels[node] = std::max(levels[node], levels[producer] + changes);
    }
    if (choice.taken[node]) groups[levels[node]].push_back(node);
  }
  std::vector<std::vector<size_t>> ordered;
  for (auto& [level, nodes] : groups) ordered.push_back(std::move(nodes));
  return ordered;
}

}  // namespace vta::ort
