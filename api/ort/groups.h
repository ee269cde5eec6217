// Which nodes of a graph become one node of the execution provider.
#pragma once

#include <cstddef>
#include <vector>

namespace vta::ort {

/// Nodes in an order in which producers come first, by what they read and whether they are taken.
struct NodeChoice {
  std::vector<std::vector<size_t>> producers;  ///< of each node: the nodes whose results it reads
  std::vector<bool> taken;                     ///< of each node
};

/// The taken nodes in groups, as few and as large as this method finds: no path leads from a group
/// out of it and back, so that each can be one node. Groups and their nodes are in the order of
/// `choice`.
std::vector<std::vector<size_t>> convexGroups(const NodeChoice& choice);

}  // namespace vta::ort
